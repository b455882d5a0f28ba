"""The examples run and reach what they say, and so does the page that shows them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pigpen

HERE = Path(__file__).parent.parent


def test_tabular(tmp_path):
    environment = {**os.environ, "PIGPEN_BIN": pigpen.find_binary()}
    command = [sys.executable, "-S", str(HERE / "examples" / "tabular.py"), "1500"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("450000 decisions")
    assert pigpen.evaluate(tmp_path / "tabular.msgpack")["win_mean"] > 0.45


def test_the_readmes_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (HERE / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, {})
