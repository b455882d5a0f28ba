"""The session: how it ends, what it leaves behind, and what it says when something is wrong."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading

import gymnasium
import numpy as np
import pytest

import pigpen
from conftest import children, open_files

LONG = 20.0  # seconds for what takes milliseconds


def gone(pid: int) -> bool:
    """Whether no process has the id, not even as a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def halt(pid: int) -> None:
    """Stops a child, and returns when it has stopped."""
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)


def killed_while_it_works(client, work):
    """Runs work in a thread against a process that cannot answer, and kills the process."""
    caught = []

    def run():
        try:
            work()
        except BaseException as error:
            caught.append(error)

    halt(client.pid)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    os.kill(client.pid, signal.SIGKILL)
    thread.join(LONG)
    assert not thread.is_alive(), "the client hangs"
    return caught[0]


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
@pytest.mark.parametrize("games", [1, 50_000])
def test_killed_in_the_middle_of_a_step(format, games):
    client = pigpen.Client(format=format)
    made = client.make(pigpen.Game("pig"), games, opponents=["hold-20"])
    made.reset(1)
    error = killed_while_it_works(client, lambda: made.step(np.ones(games, np.uint8)))
    assert isinstance(error, pigpen.ServerEnded) and error.returncode == -signal.SIGKILL
    assert "signal 9" in str(error)
    with pytest.raises(pigpen.ServerEnded, match="signal 9"):
        made.step(np.ones(games, np.uint8))
    assert client.closed and gone(client.pid)
    client.close()


def test_killed_environments():
    env = gymnasium.make("pigpen/Pig-v0").unwrapped
    env.reset(seed=1)
    assert isinstance(killed_while_it_works(env.client, lambda: env.step(1)), pigpen.ServerEnded)
    env.close()
    policy = pigpen.Policy("optimal", target=20)
    states = np.zeros((100_000, 3), np.int16)
    assert isinstance(killed_while_it_works(policy.client, lambda: policy.act(states)), pigpen.ServerEnded)
    policy.close()


def test_a_thousand_makes_and_closes_leave_nothing():
    before = children(), open_files()
    pids = set()
    for k in range(1000):
        env = pigpen.PigEnv()
        if k % 50 == 0:
            env.reset(seed=k)
            env.step(pigpen.ROLL)
        pids.add(env.client.pid)
        env.close()
    assert (children(), open_files()) == before
    assert all(gone(pid) for pid in pids)


def test_many_games_in_one_session():
    with pigpen.Client() as client:
        for _ in range(1000):
            with gymnasium.make("pigpen/Pig-v0", client=client) as env:
                env.reset(seed=1)
        for _ in range(3000):  # more than a session holds, left to the garbage
            client.make(pigpen.Game("piglet"), 2)
        assert not client.closed
        games = client.make(pigpen.Game("piglet"), 3)
        games.reset(1)
        games.close()
        with pytest.raises(pigpen.UnknownEnv):
            games.step([1, 1, 1])


def test_garbage_closes():
    def leave():
        env = gymnasium.make("pigpen/Pig-v0")
        env.reset(seed=1)
        many = gymnasium.make_vec("pigpen/Pig-v0", num_envs=3)
        policy = pigpen.Policy("hold-20")
        return [env.unwrapped.client.pid, many.client.pid, policy.client.pid]

    pids = leave()
    gc.collect()
    assert all(gone(pid) for pid in pids)


SCRIPT = """
import atexit
kept = []
atexit.register(lambda: [each.close() for each in kept])  # after all that pigpen does at exit
import gymnasium, os, sys, pigpen
env = gymnasium.make("pigpen/Pig-v0")
env.reset(seed=1)
envs = gymnasium.make_vec("pigpen/Pig-v0", num_envs=3)
envs.reset(seed=1)
policy = pigpen.Policy("hold-20")
print(env.unwrapped.client.pid, envs.client.pid, policy.client.pid, flush=True)
kept += [env, envs, policy]
{end}
"""


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("pass", 0),
        ("raise RuntimeError", 1),
        ("sys.exit(3)", 3),
        ("os._exit(4)", 4),
        ("os.kill(os.getpid(), 9)", -9),
        ("os.kill(os.getpid(), 15)", -15),
    ],
)
def test_the_end_of_the_interpreter(end, status):
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(end=end)], capture_output=True, timeout=LONG)
    assert done.returncode == status, done.stderr
    # Destructors, such as that of vector environments, close what has ended as well.
    assert b"ignored" not in done.stderr, done.stderr
    for pid in map(int, done.stdout.split()):
        wait_for_the_end(pid)


def wait_for_the_end(pid):
    """Waits for the end of a process that is no child, without asking again and again."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        import select

        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        assert poll.poll(LONG * 1000), f"process {pid} goes on"
    finally:
        os.close(descriptor)


def test_an_exception_in_a_block_closes():
    with pytest.raises(KeyError):
        with pigpen.Client() as client:
            raise KeyError
    assert client.closed and gone(client.pid)
    with pytest.raises(pigpen.ServerEnded, match="closed"):
        client.request("hello")


def test_a_forked_child_leaves_the_session_alone():
    with pigpen.Client() as client:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                client.request("hello")
            except pigpen.ServerEnded:
                client.close()
                status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert client.request("hello")["ok"]
        pid = client.pid
    assert gone(pid)


class Stop(BaseException):
    """What a signal's handler raises, as Ctrl-C's raises KeyboardInterrupt."""


@contextlib.contextmanager
def stopped_after(seconds):
    def handler(*_):
        raise Stop

    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
@pytest.mark.parametrize("games", [1, 3000])
def test_an_interrupted_exchange_leaves_the_session_usable(format, games):
    with pigpen.Client(format=format) as client:
        made = client.make(pigpen.Game("pig"), games)
        other = client.make(pigpen.Game("piglet"), 2)
        rows, again = made.reset(1), other.reset(1)
        for k in range(30):
            halt(client.pid)
            with pytest.raises(Stop), stopped_after(0.05):
                made.step(np.ones(games, np.uint8))
            os.kill(client.pid, signal.SIGCONT)
            assert made.stale
            if k % 3:
                assert client.request("hello")["ok"]
            if k % 2:
                shown = made.restore(made.state())
                assert not made.stale and shown.observations.shape == rows.observations.shape
            assert other.step([1, 1]).observations.shape == again.observations.shape
        shown = made.restore(made.state())
        after = made.step(np.ones(games, np.uint8))
    with pigpen.Client() as fresh:  # the steps, all of them, have been taken
        made = fresh.make(pigpen.Game("pig"), games)
        made.reset(1)
        for _ in range(30):
            seen = made.step(np.ones(games, np.uint8))
        assert (seen.observations == shown.observations).all()
        assert (made.step(np.ones(games, np.uint8)).observations == after.observations).all()


@pytest.mark.parametrize("games", [1, 4096])
def test_interrupts_at_any_moment(games):
    """A signal comes while the client writes, waits, or reads, or between two of those."""
    env = pigpen.PigVectorEnv(games, step_limit=9)
    env.reset(seed=1)
    ones, stops = np.ones(games, np.int64), 0
    for k in range(300):
        try:
            with stopped_after(1e-6 * (5 + k)):
                while True:
                    observations, *_ = env.step(ones)
                    assert env.observation_space.contains(observations)
        except Stop:
            stops += 1
    assert stops == 300 and not env.client.closed
    observations, _ = env.reset(seed=2)
    assert observations.any() is not None and env.step(ones)[0].shape == observations.shape
    env.close()


def test_a_request_torn_in_the_middle_ends_the_session(monkeypatch):
    client = pigpen.Client("hold-20")
    halt(client.pid)
    write = os.write

    def torn(file, data):
        write(file, data[:1000])
        raise Stop

    monkeypatch.setattr("pigpen.session.os.write", torn)
    with pytest.raises(Stop):
        client.request("act", observations=np.ones((1 << 20, 3), "<i2"))
    monkeypatch.undo()
    assert gone(client.pid)
    with pytest.raises(pigpen.ServerEnded, match="middle of a request"):
        client.request("hello")


def test_an_environment_goes_on_after_ctrl_c():
    env = gymnasium.make("pigpen/Pig-v0", disable_env_checker=True).unwrapped
    twin = gymnasium.make("pigpen/Pig-v0", disable_env_checker=True).unwrapped
    env.reset(seed=3), twin.reset(seed=3)
    for _ in range(3):
        halt(env.client.pid)
        with pytest.raises(Stop), stopped_after(0.1):
            env.step(pigpen.ROLL)
        os.kill(env.client.pid, signal.SIGCONT)
        twin.step(pigpen.ROLL)
        one, other = env.step(pigpen.HOLD), twin.step(pigpen.HOLD)
        assert (one[0] == other[0]).all() and one[1:4] == other[1:4]
        assert one[4]["illegal_action"] == other[4]["illegal_action"]
    env.close(), twin.close()


def test_looking_in_vain_becomes_rare(monkeypatch):
    # In vain at 0, so that 1, 3 and then 7 waits do without; at 14 and 15 there is
    # something; then 1, 3, 7, 15, 31, and again and again 63 do without.
    monkeypatch.setattr("pigpen.session._PROCESSORS", 2)
    monkeypatch.setattr("pigpen.session._MOMENT", -1.0)  # one look each
    looked = []

    class Pipe:
        def poll(self, milliseconds):
            assert milliseconds == 0, "it waits without a timeout"
            looked.append(wait)
            return [1] if wait in (14, 15) else []

    with pigpen.Client() as client:
        client._poll, client._skips, client._skipped = Pipe(), 0, 0
        for wait in range(300):
            client._wait()
    assert looked == [0, 2, 6, 14, 15, 16, 18, 22, 30, 46, 78, 142, 206, 270]


@pytest.mark.parametrize("size", [1, 1 << 22])  # the second more than a pipe holds
def test_timeout(size):
    client = pigpen.Client("hold-20", timeout=LONG)
    states = np.ones((size, 3), "<i2")
    assert len(client.request("act", observations=states)["actions"]) == size
    client.timeout = 0.05
    halt(client.pid)
    with pytest.raises(TimeoutError, match=r"for 0\.05 s, and was ended"):
        client.request("act", observations=states)
    assert gone(client.pid)
    with pytest.raises(pigpen.BadArgument, match="above 0"):
        client.timeout = 0


def test_closing_frees_a_thread_that_waits():
    client = pigpen.Client()
    halt(client.pid)
    caught, begun = [], threading.Event()
    write = client._write

    def told(frames):
        begun.set()
        write(frames)

    client._write = told

    def ask():
        try:
            client.request("hello")
        except pigpen.ServerEnded as error:
            caught.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    assert begun.wait(LONG)
    client.close()
    thread.join(LONG)
    assert caught and not thread.is_alive() and gone(client.pid)


def test_threads_take_turns():
    with pigpen.Policy("hold-20") as policy:
        states = np.array([[0, k, 0] for k in range(1, 99)], np.int16)
        expected = (states[:, 1] < 20).astype(np.uint8)
        wrong = []

        def ask(n):
            for _ in range(100):
                if (policy.act(states[:n]) != expected[:n]).any():
                    wrong.append(n)

        threads = [threading.Thread(target=ask, args=(10 + 20 * k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
        assert not wrong and not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
def test_errors_have_classes(format):
    with pigpen.Client(format=format) as client:
        games = client.make(pigpen.Game("pig"), 2, opponents=["hold-20"])
        cases = [
            (pigpen.UnknownOp, lambda: client.request("jump")),
            (pigpen.BadRequest, lambda: client.request("hello", more=1)),
            (pigpen.NoPolicy, lambda: client.request("act", observation=[0, 0, 0])),
            (pigpen.BadGame, lambda: client.make(pigpen.Game("pigs"))),
            (pigpen.BadGame, lambda: client.make(pigpen.Game("pig", target=1))),
            (pigpen.BadPolicy, lambda: client.make(pigpen.Game("pig"), opponents=["nobody"])),
            (pigpen.LimitReached, lambda: client.make(pigpen.Game("pig"), 1 << 30)),
            (pigpen.UnknownEnv, lambda: client.request("step", env=99, actions=np.ones(2, np.uint8))),
            (pigpen.NoEpisode, lambda: games.step([1, 1])),
        ]
        for kind, call in cases:
            with pytest.raises(kind) as caught:
                call()
            assert caught.value.code == kind.code and len(caught.value.message) > 5
            assert isinstance(caught.value, pigpen.PigpenError)
        games.reset(1)
        assert games.step([1, 1]).observations.shape == (2, 3)
    with pigpen.Client(format=format, flags=["--max-frame=1000"]) as client:
        with pytest.raises(pigpen.FrameTooLarge):
            client.request("act", observations=np.zeros((5000, 3), np.int16))
        assert client.request("hello")["ok"]


def test_programs_that_are_not_there_or_not_pigpen(monkeypatch):
    with pytest.raises(pigpen.BinaryNotFound, match="no such program"):
        pigpen.Client(binary="/nowhere/pigpen")
    monkeypatch.setenv("PIGPEN_BIN", "/nowhere/pigpen")
    with pytest.raises(pigpen.BinaryNotFound, match="PIGPEN_BIN"):
        gymnasium.make("pigpen/Pig-v0")
    monkeypatch.delenv("PIGPEN_BIN")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("pigpen.game.__file__", "/nowhere/game.py")  # where a wheel has the program
    with pytest.raises(pigpen.BinaryNotFound, match="go build"):
        pigpen.Policy("optimal")
    with pytest.raises(pigpen.ServerEnded, match="exit status"):
        pigpen.Client(binary=sys.executable)  # which takes the flags for its own, and complains
    with pytest.raises(pigpen.ServerEnded, match="not the protocol's|exit status"):
        pigpen.Client(binary="/bin/echo")


def test_the_program_says_why_it_does_not_begin():
    for wrong, says in [
        (lambda: pigpen.Policy("hold20"), 'unknown policy "hold20"'),
        (lambda: pigpen.Policy("hold-20", variant="pigs"), '"pigs"'),
        (lambda: pigpen.Client(flags=["--wrokers=1"]), "unknown flag"),
    ]:
        with pytest.raises(pigpen.CommandFailed, match=says) as caught:
            wrong()
        assert caught.value.message.startswith("pigpen: serve: ") and "\n" not in caught.value.message


def test_stderr_is_in_the_exception():
    noisy = pigpen.Client()
    noisy._stderr.write(b"a last word\n")
    noisy._stderr.flush()
    os.kill(noisy.pid, signal.SIGKILL)
    with pytest.raises(pigpen.ServerEnded, match="a last word") as caught:
        noisy.request("hello")
    assert caught.value.returncode == -signal.SIGKILL and caught.value.stderr == "a last word\n"


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
def test_snapshots(format):
    with pigpen.Client(format=format) as client:
        games = client.make(pigpen.Game("pig", 3), 40)
        rows = games.reset(7)
        assert games.controls_all and rows.rewards.shape == (40, 3)

        def play(rows):
            for _ in range(30):
                rows = games.step(np.where(rows.observations[:, 1] < 9, 1, 0))
            return rows

        rows = play(rows)
        kept = games.state()
        one = play(rows)
        restored = games.restore(kept)
        assert (restored.observations == rows.observations).all() and not restored.rewards.any()
        two = play(restored)
        assert all((a == b).all() for a, b in zip(one[:6], two[:6]))
        with pytest.raises(pigpen.ServerError):
            games.restore(kept[:-1])


def test_framings_say_the_same():
    with pigpen.Client() as packed, pigpen.Client(format="jsonl") as lines:
        hello = [dict(client.hello) for client in (packed, lines)]
        for h in hello:
            h.pop("format")
        assert hello[0] == hello[1]
        games = [
            c.make(pigpen.Game("pig", 2), 600, opponents=["random"], autoreset="same_step") for c in (packed, lines)
        ]
        rows = [g.reset(3) for g in games]
        finals = 0
        for _ in range(60):
            for a, b in zip(*rows):
                assert (a is None) == (b is None) and (a is None or ((a == b).all() and a.dtype == b.dtype))
            finals += rows[0].final_observations is not None
            actions = np.where(rows[0].observations[:, 1] < 15, 1, 0)
            rows = [g.step(actions) for g in games]
        assert finals > 0
