"""The games as PettingZoo environments: every seat is an agent.

``pigpen.aec_env()`` is the AEC environment in PettingZoo's usual wrappers, and
``pigpen.parallel_env()`` the parallel one, in which the seats that wait take a no-op.
Both need the package ``pettingzoo``.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from .agents import Agents, MultiAgentOptions
from .errors import BadArgument, EpisodeOver, packages_of
from .game import ROLL
from .games import Rows
from .options import RENDER_MODES

with packages_of("pettingzoo"):
    from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]
    from pettingzoo.utils import wrappers  # type: ignore[import-untyped]
    from pettingzoo.utils.conversions import parallel_to_aec  # type: ignore[import-untyped]

try:
    from typing import Unpack
except ImportError:  # before Python 3.11
    from typing_extensions import Unpack

WAIT = 2
"""The action, in the parallel environment, of a seat whose turn it is not."""


class PigAEC(Agents, AECEnv[str, Any, int | None]):  # type: ignore[misc]
    """One game; agent ``player_s`` has seat s, and the agent to move acts.

    An observation is a dict: ``observation``, float32 of shape (columns,), is laid out
    as in :class:`~pigpen.gym.PigEnv`, from the agent's own seat; a turn total is seen
    only by its owner. ``action_mask``, int8 of shape (2,), is 0 for all agents but the
    one to move; the infos have it, too, and ``illegal_action``. The action is 0 hold or
    1 roll. At the end the winner's reward is +1, the others' -1/(players - 1), and tied
    winners share; a game of one has -1 for each turn begun. Copies by pickle or
    deepcopy have a session of their own and go on from the same state.

    Args:
        variant, players: as in :class:`~pigpen.gym.PigEnv`.
        **options: see :class:`MultiAgentOptions` and
            :class:`~pigpen.options.GameOptions`. The step limit counts the steps of all
            agents.
    """

    metadata: dict[str, Any] = {
        "name": "pigpen_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 4,
        "is_parallelizable": False,
    }
    _key = "observation"

    def __init__(self, variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> None:
        super().__init__()
        self._build(variant, players, options, 2)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins an episode. A seed, in [0, 2**64), fixes its dice and those of the
        episodes after it; without one the dice go on, from a random seed at first."""
        self._renew(self._start(seed))

    def restore(self, states: bytes) -> None:
        """Puts the game back to where :meth:`state` was asked, without rewards and ends."""
        if self._client is None:
            self._open()
        rows = self._rows = self._games.restore(states)
        self._seeded = True
        self._renew(rows)

    def _renew(self, rows: Rows) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._infos()
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[int(rows.seats[0])]
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Takes the action of ``agent_selection``; None from an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise BadArgument("an agent whose game goes on takes an action, 0 or 1, not None")
        mover = self.possible_agents.index(agent)
        rows, illegal = self._take(action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards.update(self._rewards(rows, mover, illegal))
        for name in self.possible_agents:
            self.terminations[name] = bool(rows.terminated[0])
            self.truncations[name] = bool(rows.truncated[0])
        self.infos = self._infos(mover, illegal)
        self._accumulate_rewards()
        self.agent_selection = self.possible_agents[int(rows.seats[0])]
        if rows.terminated[0] or rows.truncated[0]:
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()


class PigParallel(Agents, ParallelEnv[str, Any, int]):  # type: ignore[misc]
    """One game in which all agents act in every step; agent ``player_s`` has seat s.

    It is :class:`PigAEC` but for the actions, of which there are three: 0 hold, 1 roll
    and 2 wait. To wait is all that is legal for the seats whose turn it is not; whatever
    else they do is as good as waiting. It is not legal for the seat to move, for which
    it is treated as an illegal hold. The masks, int8 of shape (3,), say so.

    Args:
        variant, players, **options: as in :class:`PigAEC`.
    """

    metadata: dict[str, Any] = {"name": "pigpen_parallel_v0", "render_modes": RENDER_MODES, "render_fps": 4}
    _key = "observation"

    def __init__(self, variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> None:
        self._build(variant, players, options, 3)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begins an episode, with seeds as in :meth:`PigAEC.reset`."""
        return self._renew(self._start(seed))

    def restore(self, states: bytes) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Puts the game back to where :meth:`state` was asked; returns what reset does."""
        if self._client is None:
            self._open()
        rows = self._rows = self._games.restore(states)
        self._seeded = True
        return self._renew(rows)

    def _renew(self, rows: Rows) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        self.agents = self.possible_agents[:]
        if self.render_mode == "human":
            self.render()
        return {agent: self.observe(agent) for agent in self.agents}, self._infos()

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Takes the action of the agent to move; the others wait."""
        if not self.agents:
            raise EpisodeOver("the episode is over; reset begins the next")
        mover = int(self._current().seats[0])
        agent = self.possible_agents[mover]
        if agent not in actions:
            raise BadArgument(f"it is {agent}'s turn, and there is no action of it")
        action = int(actions[agent])
        told = action == WAIT
        if told:
            hold = bool(self._current().action_mask[0, 0])
            if self._settings.illegal in ("noop", "error") and hold:
                raise BadArgument(f"it is {agent}'s turn, which cannot wait")
            action = ROLL if self._rolls else 0
        rows, illegal = self._take(action)
        illegal |= int(told)
        rewards = self._rewards(rows, mover, illegal)
        over, cut = bool(rows.terminated[0]), bool(rows.truncated[0])
        agents = self.agents
        if over or cut:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return (
            {name: self.observe(name) for name in agents},
            rewards,
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, cut),
            self._infos(mover, illegal),
        )

    def _mask(self, seat: int) -> npt.NDArray[np.int8]:
        mask = super()._mask(seat)
        mask[WAIT] = not mask[:2].any()
        return mask


class _Checked(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's wrapper that checks the order of calls; notebooks show the game in it."""

    def _repr_html_(self) -> str:
        return str(cast(Any, self.unwrapped)._repr_html_())


def raw_env(variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> PigAEC:
    """Returns the AEC environment without wrappers."""
    return PigAEC(variant, players, **options)


def env(variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> AECEnv[str, Any, int | None]:
    """Returns the AEC environment in wrappers that check the order of calls and the actions."""
    return _Checked(wrappers.AssertOutOfBoundsWrapper(PigAEC(variant, players, **options)))


def parallel_env(variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> PigParallel:
    """Returns the parallel environment."""
    return PigParallel(variant, players, **options)


def cycled_env(variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> AECEnv[str, Any, int | None]:
    """Returns the parallel environment as an AEC environment, in which every agent acts in
    every cycle, those that wait, too."""
    return parallel_to_aec(cast(Any, PigParallel(variant, players, **options)))
