"""The wheel and the sdist: built, and installed where there is neither Go nor this tree.

Run with ``-m install``. It needs Go, and the packages' own dependencies from an index.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.install

HERE = Path(__file__).parent.parent


def without_go():
    """Returns an environment in which PATH has no Go and no Pigpen, and nothing points to this tree."""
    folders = [
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not (Path(folder) / "go").exists() and not (Path(folder) / "pigpen").exists()
    ]
    kept = {name: value for name, value in os.environ.items() if name not in ("PIGPEN_BIN", "PYTHONPATH", "GOROOT")}
    return {**kept, "PATH": os.pathsep.join(folders)}


def run(*command, cwd, env=None):
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def tree():
    return sorted(str(file.relative_to(HERE)) for file in HERE.rglob("*") if "__pycache__" not in file.parts)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """An sdist, and a wheel that was built from it outside of this tree."""
    folder = tmp_path_factory.mktemp("built")
    before = tree()
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder), cwd=HERE)
    (sdist,) = folder.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    run(*pip, str(sdist), cwd=folder)
    run(*pip, str(HERE), cwd=folder)
    assert tree() == before, "the builds have left something beside the source"
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def test_the_sdist_is_complete(built):
    with tarfile.open(built[0]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"go/go.mod", "go/go.sum", "go/env/pig.go", "src/pigpen/py.typed", "bench.py", "README.md"} <= names
    assert {f"tests/{file.name}" for file in (HERE / "tests").glob("*.py")} <= names
    assert {f"examples/{file.name}" for file in (HERE / "examples").glob("*.py")} <= names
    assert not any("_test.go" in name or "testdata" in name for name in names)


def test_the_wheel_has_the_program_and_its_version(built):
    with zipfile.ZipFile(built[1]) as archive:
        names = archive.namelist()
        program = archive.getinfo("pigpen/bin/pigpen")
    assert program.external_attr >> 16 & 0o111
    assert not any(name.startswith(("tests", "examples", "go/")) for name in names)
    assert "-py3-none-" in built[1].name and not built[1].name.endswith("-any.whl")


def test_a_clean_venv_without_go(built, tmp_path):
    env = without_go()
    assert shutil.which("go", path=env["PATH"]) is None
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    run(python, "-m", "pip", "install", "-q", f"{built[1]}[pettingzoo]", "pytest", cwd=tmp_path, env=env)
    told = json.loads(run(python, "-m", "pigpen", "eval", "hold-20", "--json", cwd=tmp_path, env=env))
    assert told["win_mean"] == pytest.approx(0.46007975, abs=1e-8)
    version = "import pigpen; c = pigpen.Client(); print(pigpen.__version__, c.hello['program']); c.close()"
    number, program = run(python, "-c", version, cwd=tmp_path, env=env).strip().split(" ", 1)
    assert program == f"pigpen {number}" and number in built[1].name
    train = ["train", "--variant", "piglet", "--steps", "1M", "--out", "q.msgpack"]
    run(python, "-m", "pigpen", *train, cwd=tmp_path, env=env)
    assert (tmp_path / "q.msgpack").exists()
    bad = subprocess.run([python, "-m", "pigpen", "dance"], cwd=tmp_path, env=env, capture_output=True)
    assert bad.returncode == 2
    # The README's Python section runs as written.
    for name in ("conftest.py", "test_examples.py"):
        (tmp_path / "tests").mkdir(exist_ok=True)
        shutil.copy(HERE / "tests" / name, tmp_path / "tests" / name)
    shutil.copy(HERE / "README.md", tmp_path / "README.md")
    run(python, "-m", "pytest", "-q", "tests", "-k", "readmes_python", cwd=tmp_path, env=env)


def test_the_sdist_without_go_says_what_to_do(built, tmp_path):
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    done = subprocess.run([*pip, str(built[0])], cwd=tmp_path, env=without_go(), capture_output=True, text=True)
    assert done.returncode != 0 and "needs Go" in done.stderr and "https://go.dev/dl" in done.stderr
