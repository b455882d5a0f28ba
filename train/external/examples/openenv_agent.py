"""A scripted agent plays Pig over OpenEnv, in several sessions at once.

It starts the server on a free port of the loopback interface, holds at 20 by the words
that it reads, and tells how often it has won. An LLM's agent would read the same text and
answer the same words. Usage: openenv_agent.py [games]; needs the extra "openenv":
pip install 'train/external[openenv]'.
"""

from __future__ import annotations

import re
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import uvicorn

from pigpen.openenv import PigAction, PigClient, create_app

GAMES = int(sys.argv[1]) if len(sys.argv) > 1 else 40
SESSIONS = 4


def play(url: str, seeds: range) -> int:
    """Plays a game for each seed in a session of its own; returns how many it has won."""
    wins = 0
    with PigClient(base_url=url).sync() as client:
        for seed in seeds:
            result = client.reset(seed=seed)
            while not result.done:
                total = re.search(r"turn total (\d+)", result.observation.text)
                enough = total is not None and int(total[1]) >= 20
                hold = enough and "hold" in result.observation.legal_actions
                result = client.step(PigAction(action="hold" if hold else "roll"))
            wins += result.reward == 1
            assert client.state().done
    return wins


def main() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(create_app(opponents="hold-20"), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            parts = [range(k, GAMES, SESSIONS) for k in range(SESSIONS)]
            with ThreadPoolExecutor(SESSIONS) as pool:
                wins = sum(pool.map(play, [url] * SESSIONS, parts))
        finally:
            server.should_exit = True
            thread.join()
    print(f"{wins} of {GAMES} games won in {SESSIONS} sessions")


if __name__ == "__main__":
    main()
