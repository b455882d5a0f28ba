"""The examples run and reach what they say, and so does the page that shows them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

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


def test_sb3(tmp_path):
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO

    from pigpen.sb3 import SB3VecEnv

    with pytest.raises(ValueError, match="SAME_STEP"):
        SB3VecEnv(pigpen.PigVectorEnv(2))
    many = gymnasium.make_vec(
        "pigpen/Piglet-v0", num_envs=32, autoreset_mode=AutoresetMode.SAME_STEP, seat="rotate", illegal="error"
    )
    env = SB3VecEnv(many)
    agent = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=256, n_epochs=1, seed=1, device="cpu")
    agent.learn(2048)
    env.seed(3)
    observations = env.reset()
    assert observations.dtype == np.float32 and 0 <= observations.min() <= observations.max() <= 1
    ends = 0
    for _ in range(100):
        actions = np.where(many.action_masks().all(1), 0, 1)
        observations, rewards, done, infos = env.step(actions)
        assert [("terminal_observation" in info) for info in infos] == done.tolist()
        assert (np.abs(rewards) == done).all()
        ends += done.sum()
    assert ends > 0
    states = pigpen.decision_points(10)
    actions, _ = agent.predict(env.scale(states), deterministic=True)
    saved = pigpen.save_policy(tmp_path / "ppo.msgpack", states, actions, variant="piglet")
    assert saved.score is not None and 0 < saved.score["win_mean"] <= 0.5
    env.close()
