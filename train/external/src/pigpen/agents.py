"""A game in which every seat is an agent, whatever the library that the agents belong to."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from .errors import EpisodeOver, NoEpisode
from .game import ROLL
from .games import Games, Rows
from .options import GameOptions, Settings
from .playing import Playing


class MultiAgentOptions(GameOptions, total=False):
    """The arguments of :class:`~pigpen.options.GameOptions`, and:

    * ``mask``: "observation" is the default here: an observation is a dict that has the
      action mask beside it. The infos have it in either case.
    * ``max_cycles``: PettingZoo's name of ``step_limit``; of the two the lesser holds.
    """

    max_cycles: int | None


class Agents(Playing):
    """What the environments of many agents have in common: a game, its agents and their spaces."""

    _key: str  # of the observation, in its dict
    _views = True
    np_random: np.random.Generator

    def _build(self, variant: str, players: int, options: MultiAgentOptions, actions: int) -> None:
        given: dict[str, Any] = {"mask": "observation", **options}
        settings = Settings(variant, players, max_episode_steps=given.pop("max_cycles", None), **given)
        self.np_random = np.random.default_rng()
        self._play(settings, 1, "disabled", seated=False, shared=True)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._num_actions = actions
        box = self._encoder.space
        self.observation_spaces: dict[str, gymnasium.spaces.Space[Any]] = {}
        for agent in self.possible_agents:
            space: gymnasium.spaces.Space[Any] = box
            if self._dict:
                mask = gymnasium.spaces.Box(0, 1, (actions,), np.int8)
                space = gymnasium.spaces.Dict({self._key: box, "action_mask": mask})
            self.observation_spaces[agent] = space
        self.action_spaces: dict[str, gymnasium.spaces.Space[Any]] = {
            agent: gymnasium.spaces.Discrete(actions) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space object at every call."""
        return self.action_spaces[agent]

    def _start(self, seed: int | None) -> Rows:
        return self._begin(seed)

    def _current(self) -> Rows:
        if self._rows is None:
            raise NoEpisode("no episode is under way; reset the environment first")
        if self._games.stale:
            return self._refresh()
        return self._rows

    def _take(self, action: Any) -> tuple[Rows, int]:
        """Steps the mover; returns the rows and whether its action was illegal."""
        before = self._current()
        chosen = int(action)
        hold, roll = before.action_mask[0]
        if not roll and not self.client.closed:
            raise EpisodeOver("the episode is over; reset begins the next")
        illegal = chosen == 0 and not hold
        if illegal and self._rolls:
            chosen = ROLL
        assert isinstance(self._games, Games)
        rows = self._games.step((chosen,))
        self._rows = rows
        return rows, int(illegal)

    def _rewards(self, rows: Rows, mover: int, illegal: int) -> dict[str, float]:
        earned = {agent: float(r) for agent, r in zip(self.possible_agents, rows.rewards[0])}
        if illegal:
            earned[self.possible_agents[mover]] += self._penalty
        return earned

    def _mask(self, seat: int) -> npt.NDArray[np.int8]:
        """Returns which actions are legal for a seat, a fresh array."""
        assert self._rows is not None
        mask = np.zeros(self._num_actions, np.int8)
        if int(self._rows.seats[0]) == seat:
            mask[:2] = self._rows.action_mask[0]
        return mask

    def observe(self, agent: str) -> Any:
        """Returns what the agent sees now, on its turn or not, in fresh arrays."""
        rows = self._current()
        seat = self.possible_agents.index(agent)
        assert rows.views is not None
        seen = self._encoder(rows.views.observations[0, seat])
        return {self._key: seen, "action_mask": self._mask(seat)} if self._dict else seen

    def _info(self, seat: int, illegal: int = 0) -> dict[str, Any]:
        return {"action_mask": self._mask(seat), "illegal_action": np.int8(illegal)}

    def _infos(self, mover: int = -1, illegal: int = 0) -> dict[str, dict[str, Any]]:
        return {
            agent: self._info(seat, illegal if seat == mover else 0) for seat, agent in enumerate(self.possible_agents)
        }

    def render(self) -> Any:
        """Returns the table as text or as a picture, uint8 of shape (height, width, 3); as
        "human" it prints the text and returns None."""
        return self._picture()

    def close(self) -> None:
        """Ends the process, or gives the game up in a shared session."""
        self._let_go()
