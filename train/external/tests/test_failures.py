"""What goes wrong outside of the protocol is a PigpenError with a sentence, and never hangs."""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import stat
import sys
import threading
import time

import gymnasium
import numpy as np
import pytest

import pigpen
import pigpen.process
from conftest import children
from test_client import gone, halt


def program(tmp_path, text, name="fake"):
    file = tmp_path / name
    file.write_text(text)
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


def python(tmp_path, text):
    return program(tmp_path, f"#!{sys.executable}\n{text}\n")


def test_programs_that_do_not_start(tmp_path):
    other = tmp_path / "other"
    other.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(60))
    other.chmod(0o755)
    with pytest.raises(pigpen.CannotStart, match="not a program for this machine") as caught:
        pigpen.Client(binary=other)
    assert isinstance(caught.value, pigpen.PigpenError) and isinstance(caught.value, OSError)
    with pytest.raises(pigpen.CannotStart, match="not a program for this machine"):
        pigpen.evaluate("hold-20", binary=other)


def test_too_many_open_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (60, hard))
        with pytest.raises(pigpen.CannotStart, match="ulimit|Too many open files"):
            for _ in range(100):
                stack.enter_context(pigpen.Client())


def test_a_start_that_takes_too_long(tmp_path):
    slow = python(tmp_path, "import time; time.sleep(600)")
    for format in ("msgpack", "jsonl"):
        with pytest.raises(pigpen.TimedOut, match="start_timeout"):
            pigpen.Client(binary=slow, start_timeout=0.2, format=format)
    with pytest.raises(pigpen.TimedOut, match="start_timeout") as caught:
        gymnasium.make("pigpen/Pig-v0", binary=slow, start_timeout=0.2)
    assert isinstance(caught.value, TimeoutError)
    for wrong in (0, -1, float("nan")):
        with pytest.raises(pigpen.BadArgument, match="seconds"):
            pigpen.Client(start_timeout=wrong)


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
@pytest.mark.parametrize("what", ["b'y'", "b'y\\n'", "b'\\x00'", "b'\\xc6'", "b'\\x81\\xa1a\\xc6\\x7f\\xff\\xff\\xff'", "b'[1]\\n'"])
def test_floods(tmp_path, what, format):
    flood = python(tmp_path, f"import os\nwhile True: os.write(1, {what} * 10000)")
    with pytest.raises(pigpen.ServerEnded):
        pigpen.Client(binary=flood, format=format, start_timeout=3)


def test_a_trickle_does_not_extend_the_start(tmp_path):
    trickle = python(tmp_path, "import os, time\nwhile True: os.write(1, b'{'); time.sleep(0.05)")
    with pytest.raises(pigpen.TimedOut):
        pigpen.Client(binary=trickle, format="jsonl", start_timeout=0.3)


def test_closing_what_floods(tmp_path, monkeypatch):
    monkeypatch.setattr(pigpen.process, "GRACE", 0.2)
    hello = '{"ok":true,"protocol":"1.3"}'
    # What comes right behind the reply would be taken for a part of it.
    flood = python(tmp_path, f"import os, sys\nsys.stdin.readline()\nprint('{hello}', flush=True)\nsys.stdin.readline()\nwhile True: os.write(1, b'y' * 65536)")
    client = pigpen.Client(binary=flood, format="jsonl")
    client.close()
    assert gone(client.pid)


@pytest.mark.parametrize(("told", "says"), [("0.9", "too old"), ("1.2", "too old"), ("2.0", "too new"), ("x", "too old")])
def test_programs_of_another_protocol(tmp_path, told, says):
    fake = python(tmp_path, f"""import sys\nsys.stdin.readline()\nprint('{{"ok":true,"protocol":"{told}"}}')""")
    with pytest.raises(pigpen.WrongProtocol, match=f"{says}.*version {told}"):
        pigpen.Client(binary=fake, format="jsonl")


def test_commands_that_fail(tmp_path):
    cases = [
        ("print('no json')", pigpen.CommandFailed, "not the JSON"),
        ("print('[1]')", pigpen.CommandFailed, "not the JSON"),
        ("import os; os.kill(os.getpid(), 9)", pigpen.CommandFailed, "signal 9"),
        ("import sys; sys.exit('pigpen: eval: no')", pigpen.CommandFailed, "pigpen: eval: no"),
        ("import time; time.sleep(600)", pigpen.TimedOut, "0.3 s"),
        # At most 65 MB a second, so that the time ends before what a result may have.
        ("import os, time\nwhile True: os.write(1, b'y' * 65536); time.sleep(0.001)", pigpen.TimedOut, "0.3 s"),
    ]
    states, actions = np.array([[0, 5, 0]]), [0]
    for text, kind, says in cases:
        fake = python(tmp_path, text)
        timeout = 0.3 if kind is pigpen.TimedOut else 60
        with pytest.raises(kind, match=says):
            pigpen.evaluate("hold-20", binary=fake, timeout=timeout)
        with pytest.raises(kind, match=says):
            pigpen.save_policy(tmp_path / "x", states, actions, binary=fake, timeout=timeout)


def test_commands_that_print_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr("pigpen.policy._MAX_RESULT", 1 << 20)
    fake = python(tmp_path, "import os\nwhile True: os.write(1, b'y' * 65536)")
    with pytest.raises(pigpen.CommandFailed, match="no result"):
        pigpen.evaluate("hold-20", binary=fake)


def test_timeouts_without_poll(tmp_path, monkeypatch):
    """As on Windows, where pipes cannot be polled."""
    monkeypatch.delattr("select.poll")
    client = pigpen.Client("hold-20", timeout=3)
    assert client.request("act", observation=[0, 5, 0])["action"] == 1
    time_before = time.monotonic()
    halt(client.pid)
    with pytest.raises(pigpen.TimedOut, match="3 s"):
        client.request("act", observation=[0, 5, 0])
    assert time.monotonic() - time_before > 0.2 and gone(client.pid)
    with pytest.raises(pigpen.TimedOut, match="start_timeout"):
        pigpen.Client(binary=python(tmp_path, "import time; time.sleep(600)"), start_timeout=0.2)
    with pigpen.PigEnv(timeout=20) as env:
        env.reset(seed=1)
        env.step(1)
    for thread in threading.enumerate():
        if thread.name == "pigpen timeout":
            thread.join(20)
            assert not thread.is_alive()


def test_environments_open_again():
    env = gymnasium.make("pigpen/Pig-v0", disable_env_checker=True, render_mode="ansi")
    first, _ = env.reset(seed=1)
    rolled = env.step(1)[0]
    env.close()
    env.close()
    with pytest.raises(pigpen.PigpenError, match="reset"):
        env.step(1)
    env.reset(seed=1)
    assert (env.step(1)[0] == rolled).all()
    os.kill(env.unwrapped.client.pid, 9)
    with pytest.raises(pigpen.ServerEnded, match="signal 9"):
        env.step(1)
    env.reset(seed=1)
    assert (env.step(1)[0] == rolled).all()
    env.close()
    many = pigpen.PigVectorEnv(3)
    many.reset(seed=1)
    many.close_extras()
    many.reset(seed=1)
    assert many.step([1, 1, 1])[0].shape == (3, 3)
    many.close()
    with pigpen.Client() as client:
        mine = pigpen.PigEnv(client=client)
        mine.reset(seed=1)
    with pytest.raises(pigpen.ServerEnded, match="closed"):
        mine.reset(seed=1)
    aec = pigpen.aec_env()
    aec.reset(seed=1)
    aec.close()
    aec.reset(seed=1)
    aec.step(1)
    aec.close()


def test_many_environments_share_processes():
    before = len(children())
    envs = [pigpen.PigEnv() for _ in range(130)]
    processes = {env.client.pid for env in envs}
    assert len(processes) == 3 and len(children()) - before == 3
    for k, env in enumerate(envs):
        env.reset(seed=k)
    with pigpen.PigEnv() as alone:
        alone.reset(seed=77)
        expected = [alone.step(1)[0].tolist() for _ in range(3)]
    assert [envs[77].step(1)[0].tolist() for _ in range(3)] == expected
    for env in envs[:64]:
        env.close()
    assert len(children()) - before == 2
    for env in envs[64:]:
        env.close()
    assert len(children()) == before
    with pigpen.PigEnv() as one, pigpen.PigEnv(timeout=60) as two, pigpen.PigEnv(format="jsonl") as three:
        assert len({env.client.pid for env in (one, two, three)}) == 3


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [("pettingzoo", "pettingzoo", "pettingzoo"), ("sb3", "torch", "sb3"), ("rllib", "ray", "ray"), ("sweep", "ray", "ray"), ("openenv", "openenv", "openenv")],
)
def test_missing_packages_are_named(monkeypatch, module, package, extra):
    monkeypatch.delitem(sys.modules, f"pigpen.{module}", raising=False)
    for loaded in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(pigpen.MissingPackage, match=rf"{package}.* is missing; .* pigpen\[{extra}\]$"):
        importlib.import_module(f"pigpen.{module}")
