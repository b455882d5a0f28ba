"""The OpenEnv server: sessions over loopback, and what an agent sees; run with ``-m openenv``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pigpen

pytestmark = pytest.mark.openenv

HERE = Path(__file__).parent.parent


def test_words_and_numbers():
    from pigpen.openenv import PigAction, PigEnvironment

    env, twin = PigEnvironment("pig", 3, target=30), pigpen.PigEnv("pig", 3, target=30, dtype="int16")
    try:
        seen, (row, _) = env.reset(seed=5, episode_id="mine"), twin.reset(seed=5)
        assert env.state.episode_id == "mine" and not env.state.done and env.state.opponents == ["hold-20", "hold-20"]
        assert seen.columns == ["own_score", "turn_total", "score_1", "score_2"]
        assert seen.legal_actions == ["roll"] and "You may roll." in seen.text and seen.reward == 0
        steps = 0
        while not seen.done:
            assert seen.numbers == row.tolist() and f"turn total {row[1]}" in seen.text
            hold = row[1] >= 8
            assert seen.legal_actions == (["hold", "roll"] if row[1] else ["roll"])
            seen = env.step(PigAction(action="hold" if hold else "roll"))
            row, reward, *_ = twin.step(0 if hold else 1)
            steps += 1
        assert seen.reward == reward != 0 and seen.legal_actions == [] and "has won" in seen.text
        assert env.state.step_count == steps and env.state.done and env.state.numbers == row.tolist()
        env.reset(seed=5)
        seen = env.step(PigAction(action="hold"))
        assert seen.illegal and env.state.step_count == 1
    finally:
        env.close(), twin.close()
    with pytest.raises(ValueError):
        PigAction(action="pass")


def test_example(tmp_path):
    environment = {**os.environ, "PIGPEN_BIN": pigpen.find_binary()}
    command = [sys.executable, str(HERE / "examples" / "openenv_agent.py"), "24"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    wins = int(done.stdout.split()[0])
    assert done.stdout.endswith("of 24 games won in 4 sessions\n") and 3 <= wins <= 21


def test_http():
    from fastapi.testclient import TestClient

    from pigpen.openenv import create_app

    with TestClient(create_app("piglet", target=2)) as client:
        schema = client.get("/schema").json()
        assert schema["action"]["properties"]["action"]["enum"] == ["hold", "roll"]
        assert client.get("/metadata").json()["name"] == "pigpen"
        with client.websocket_connect("/ws") as one, client.websocket_connect("/ws") as two:
            for socket in (one, two):
                socket.send_json({"type": "reset", "data": {"seed": 1}})
                assert socket.receive_json()["data"]["observation"]["numbers"] == [0, 0, 0]
            one.send_json({"type": "step", "data": {"action": "roll"}})
            rolled = one.receive_json()["data"]
            two.send_json({"type": "state"})
            assert two.receive_json()["data"]["step_count"] == 0
            two.send_json({"type": "step", "data": {"action": "roll"}})
            assert two.receive_json()["data"] == rolled
            two.send_json({"type": "step", "data": {"action": "pass"}})
            assert two.receive_json()["type"] == "error"
            for socket in (one, two):
                socket.send_json({"type": "close"})
                assert socket.receive()["type"] == "websocket.close"
