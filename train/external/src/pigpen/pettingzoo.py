"""The games as PettingZoo AEC environments: every seat is an agent.

``pigpen.aec_env()`` is the environment in PettingZoo's usual wrappers; it needs the
package ``pettingzoo``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv  # type: ignore[import-untyped]
from pettingzoo.utils import wrappers  # type: ignore[import-untyped]

from .client import Client, Format, Rows
from .game import Game
from .gym import _FRESH, _check_render_mode
from .render import ONE_DIE, Table, ansi, rgb_array

Observation = dict[str, npt.NDArray[Any]]


class PigAEC(AECEnv[str, Observation, int]):  # type: ignore[misc]
    """One game; agent ``player_s`` has seat s.

    An observation is a dict: ``observation``, int16 of shape (columns,), is laid out
    as in :class:`~pigpen.gym.PigEnv`, from the agent's own seat; a turn total is seen
    only by its owner. ``action_mask``, int8 of shape (2,), is 0 for all agents but the
    one to move. The action is 0 hold or 1 roll; one that is not legal raises
    :class:`~pigpen.errors.IllegalAction` and changes nothing. At the end the winner's
    reward is +1, the others' -1/(players - 1), and tied winners share; a game of one
    has -1 for each turn begun.

    Args:
        variant, players, target, options, first, render_mode, client, binary, format,
            timeout: as in :class:`~pigpen.gym.PigEnv`.
        step_limit: truncates an episode after so many steps of all agents; 0 never.
    """

    metadata: dict[str, Any] = {
        "name": "pigpen_v0",
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        variant: str = "pig",
        players: int = 2,
        target: int | None = None,
        options: Mapping[str, bool] | None = None,
        first: Literal["seat0", "random"] = "seat0",
        step_limit: int = 0,
        render_mode: str | None = None,
        *,
        client: Client | None = None,
        binary: str | os.PathLike[str] | None = None,
        format: Format = "msgpack",
        timeout: float | None = None,
    ) -> None:
        super().__init__()
        _check_render_mode(render_mode, self.metadata)
        self.render_mode = render_mode
        self._owned = client is None
        self._client = client or Client(binary=binary, format=format, timeout=timeout)
        try:
            self._games = self._client.make(
                Game(variant, players, target, options or {}), first=first, step_limit=step_limit, autoreset="disabled"
            )
        except BaseException:
            self.close()
            raise
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        columns = self._games.columns
        low = np.array([c["min"] for c in columns], np.int16)
        high = np.array([c["max"] for c in columns], np.int16)
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {
                    "observation": gymnasium.spaces.Box(low, high, dtype=np.int16),
                    "action_mask": gymnasium.spaces.Box(0, 1, (2,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(2) for agent in self.possible_agents}
        self._last_round = columns[-1]["name"] == "seats_after"
        self._seeded = False
        self._rows: Rows | None = None
        self._event = ""
        self._roll: int | None = None

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins an episode. A seed, in [0, 2**64), fixes its dice and those of the
        episodes after it; without one the dice go on, from a random seed at first."""
        if seed is None and not self._seeded:
            seed = int(np.random.default_rng().integers(_FRESH))
        self._rows = self._games.reset(seed)
        self._seeded = True
        self._roll, self._event = None, ""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[int(self._rows.seats[0])]

    def observe(self, agent: str) -> Observation:
        """Returns fresh arrays: what the agent sees now, on its turn or not."""
        assert self._rows is not None, "observe before reset"
        rows, n = self._rows, self._games.players
        seat, mover = self.possible_agents.index(agent), int(rows.seats[0])
        row = rows.observations[0]
        if seat == mover:
            return {"observation": row.copy(), "action_mask": rows.action_mask[0].copy()}
        seen = row.copy()
        scores = self._scores()
        seen[0], seen[1] = scores[seat], 0
        seen[2 : n + 1] = [scores[(seat + k) % n] for k in range(1, n)]
        if self._last_round:
            seen[-1] = (int(row[-1]) - (seat - mover)) % n
        return {"observation": seen, "action_mask": np.zeros(2, np.int8)}

    def step(self, action: int | None) -> None:
        """Takes the action of ``agent_selection``; None from an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert self._rows is not None and action is not None
        before, mover = self._rows, self.possible_agents.index(agent)
        rows = self._rows = self._games.step((action,))
        self._tell(before, rows, mover, int(action))
        self._cumulative_rewards[agent] = 0.0
        rewards = rows.rewards.reshape(-1)
        for seat, name in enumerate(self.possible_agents):
            self.rewards[name] = float(rewards[seat])
            self.terminations[name] = bool(rows.terminated[0])
            self.truncations[name] = bool(rows.truncated[0])
        self._accumulate_rewards()
        self.agent_selection = self.possible_agents[int(rows.seats[0])]
        if rows.terminated[0] or rows.truncated[0]:
            self._deads_step_first()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Returns the table as text or as a picture, an array of shape (height, width, 3)."""
        if self.render_mode is None or self._rows is None:
            return None
        rows = self._rows
        labels = [f"player {seat}" for seat in range(self._games.players)]
        turn_total = int(rows.observations[0, 1])
        over = not rows.action_mask[0].any()
        table = Table(
            self._games.variant, self._games.target, self._scores(), labels, turn_total, int(rows.seats[0]), over,
            self._roll, self._event,
        )  # fmt: skip
        return ansi(table) if self.render_mode == "ansi" else rgb_array(table)

    def close(self) -> None:
        """Ends the process, or gives the game up in a shared session."""
        if self._owned:
            self._client.close()
        elif not self._client.closed and hasattr(self, "_games"):
            self._games.close()

    def _scores(self) -> list[int]:
        assert self._rows is not None
        row, mover, n = self._rows.observations[0], int(self._rows.seats[0]), self._games.players
        scores = [0] * n
        for k in range(n):
            scores[(mover + k) % n] = int(row[0] if k == 0 else row[k + 1])
        return scores

    def _tell(self, before: Rows, after: Rows, mover: int, action: int) -> None:
        own, total = (int(x) for x in before.observations[0, :2])
        self._roll = None
        if action == 0:
            self._event = f"player {mover} held {total}"
            return
        turn, now = int(after.observations[0, 1]), self._scores()[mover]
        gained = turn - total if after.seats[0] == mover and turn > total else now - own - total
        if gained > 0:
            self._roll, self._event = gained, f"player {mover} rolled {gained}"
        else:
            self._roll = 1 if self._games.variant in ONE_DIE else None
            self._event = f"player {mover} bust" + (f", {total} lost" if total else "")


def raw_env(*args: Any, **kwargs: Any) -> PigAEC:
    """Returns the environment without wrappers."""
    return PigAEC(*args, **kwargs)


def env(*args: Any, **kwargs: Any) -> AECEnv[str, Observation, int]:
    """Returns the environment in wrappers that check the order of calls and the actions."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw_env(*args, **kwargs)))
