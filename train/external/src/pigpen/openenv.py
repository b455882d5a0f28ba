"""The games as an OpenEnv server, for LLM trainers; needs the extra ``openenv``.

``python -m pigpen.openenv --port 8000`` serves, :func:`create_app` returns the app, and
:class:`PigClient` talks to it. An agent acts with the words "hold" and "roll"; it sees the
table in words and in numbers. Each session, of which there can be many at once, has a game
of its own; up to 64 of them share a process of the program.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Literal
from uuid import uuid4

import numpy as np

from . import __version__
from .errors import packages_of
from .game import HOLD, ROLL
from .gym import PigEnv
from .opponents import Opposed

with packages_of("openenv"):
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server.http_server import create_app as _create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
    from pydantic import Field

WORDS: dict[str, int] = {"hold": HOLD, "roll": ROLL}
"""The actions by their words."""


class PigAction(Action):
    """Hold or roll; a hold where it is not legal, as at the beginning of a turn, rolls."""

    action: Literal["hold", "roll"] = Field(description='"hold" banks the turn total and ends the turn; "roll" rolls on')


class PigObservation(Observation):
    """What the learner's seat sees; ``reward`` is 0 until the game ends."""

    text: str = Field(default="", description="the table, what has just happened, and what is legal, in words")
    numbers: list[int] = Field(default_factory=list, description="the observation, one integer for each column")
    columns: list[str] = Field(default_factory=list, description="the names of the numbers")
    legal_actions: list[str] = Field(default_factory=list, description="the legal actions; empty when the game is over")
    illegal: bool = Field(default=False, description="whether the last action was an illegal hold, and rolled")


class PigState(State):
    """The game that a session plays, and how it stands."""

    variant: str = ""
    players: int = 0
    target: int = 0
    opponents: list[str] = Field(default_factory=list)
    numbers: list[int] = Field(default_factory=list)
    done: bool = True


class PigEnvironment(Environment[PigAction, PigObservation, PigState]):
    """One game, against policies by name or file.

    Args:
        variant, players, **options: as of :class:`~pigpen.gym.PigEnv`.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, variant: str = "pig", players: int = 2, **options: Any) -> None:
        super().__init__()
        settings: dict[str, Any] = {"render_mode": "ansi", **options, "dtype": "int16"}
        self._env = PigEnv(variant, players, **settings)
        games = self._env._games
        self._columns = [str(column["name"]) for column in games.columns]
        self._state = PigState(
            episode_id=None, step_count=0, variant=games.variant, players=games.players, target=games.target,
            opponents=Opposed.labels(self._env._settings.opponents, games.players),
        )  # fmt: skip

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> PigObservation:
        """Begins an episode; a seed in [0, 2**64) fixes its dice."""
        numbers, info = self._env.reset(seed=seed)
        self._state.episode_id = episode_id or str(uuid4())
        self._state.step_count = 0
        return self._shown(numbers, info, None, False)

    def step(self, action: PigAction, timeout_s: float | None = None, **kwargs: Any) -> PigObservation:
        """Takes an action, and lets the others play until it is the learner's turn again."""
        numbers, reward, terminated, truncated, info = self._env.step(WORDS[action.action])
        self._state.step_count += 1
        return self._shown(numbers, info, reward, terminated or truncated)

    def _shown(self, numbers: Any, info: dict[str, Any], reward: float | None, done: bool) -> PigObservation:
        listed = [int(x) for x in np.asarray(numbers)]
        legal = [word for word, action in WORDS.items() if info["action_mask"][action]]
        self._state.numbers, self._state.done = listed, done
        text = str(self._env.render())
        if legal:
            text += f"You may {' or '.join(legal)}.\n"
        return PigObservation(
            text=text, numbers=listed, columns=self._columns, legal_actions=legal,
            illegal=bool(info["illegal_action"]), done=done, reward=reward if reward is not None else 0.0,
        )  # fmt: skip

    @property
    def state(self) -> PigState:
        """The game and how it stands."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """What the server tells of itself."""
        return EnvironmentMetadata(
            name="pigpen", description="Pig dice games: roll on, or hold and bank what the turn is worth",
            version=__version__,
        )  # fmt: skip

    def close(self) -> None:
        """Ends the session's game."""
        self._env.close()


class PigClient(EnvClient[PigAction, PigObservation, PigState]):
    """A client of the server; ``PigClient(base_url=…).sync()`` is one without ``await``."""

    def _step_payload(self, action: PigAction) -> dict[str, Any]:
        return {"action": action.action}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[PigObservation]:
        reward, done = payload.get("reward"), bool(payload.get("done", False))
        seen = PigObservation(**{**payload.get("observation", {}), "reward": reward, "done": done})
        return StepResult(observation=seen, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> PigState:
        return PigState(**payload)


def create_app(variant: str = "pig", players: int = 2, *, max_sessions: int = 256, **options: Any) -> Any:
    """Returns the FastAPI app; its sessions, at most ``max_sessions`` at once, play this game."""

    def make() -> PigEnvironment:
        return PigEnvironment(variant, players, **options)

    return _create_app(make, PigAction, PigObservation, env_name="pigpen", max_concurrent_envs=max_sessions)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serves until it is ended."""
    import uvicorn

    parser = argparse.ArgumentParser(prog="python -m pigpen.openenv", description="An OpenEnv server of Pig dice games.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on (default %(default)s)")
    parser.add_argument("--variant", default="pig", help="game to play (default %(default)s)")
    parser.add_argument("--players", type=int, default=2, help="number of seats (default %(default)s)")
    parser.add_argument("--target", type=int, help="score that ends the game (default: the variant's own)")
    parser.add_argument("--opponents", default="hold-20", help="policy in the other seats (default %(default)s)")
    parser.add_argument("--max-sessions", type=int, default=256, help="sessions at once (default %(default)s)")
    given = parser.parse_args(arguments)
    PigEnvironment(given.variant, given.players, target=given.target, opponents=given.opponents).close()  # or say why not
    app = create_app(
        given.variant, given.players, max_sessions=given.max_sessions, target=given.target, opponents=given.opponents
    )
    uvicorn.run(app, host=given.host, port=given.port)


if __name__ == "__main__":
    main()
