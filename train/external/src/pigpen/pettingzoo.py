"""The games as PettingZoo environments: every seat is an agent.

``pigpen.aec_env()`` is the AEC environment in PettingZoo's usual wrappers, and
``pigpen.parallel_env()`` the parallel one, in which the seats that wait take a no-op.
Both need the package ``pettingzoo``.
"""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]
from pettingzoo.utils import wrappers  # type: ignore[import-untyped]
from pettingzoo.utils.conversions import parallel_to_aec  # type: ignore[import-untyped]

from .client import Games, Rows
from .errors import BadArgument, EpisodeOver, NoEpisode
from .game import ROLL
from .opponents import seen_from
from .options import RENDER_MODES, GameOptions, Settings
from .playing import Playing
from .render import ONE_DIE

try:
    from typing import Unpack
except ImportError:  # before Python 3.11
    from typing_extensions import Unpack

WAIT = 2
"""The action, in the parallel environment, of a seat whose turn it is not."""


class MultiAgentOptions(GameOptions, total=False):
    """The arguments of :class:`~pigpen.options.GameOptions`, and:

    * ``mask``: "observation" is the default here: an observation is a dict that has the
      action mask beside it. The infos have it in either case.
    * ``max_cycles``: PettingZoo's name of ``step_limit``; of the two the lesser holds.
    """

    max_cycles: int | None


class _Agents(Playing):
    """What both environments have in common: a game, its agents and their spaces."""

    _key: str  # of the observation, in its dict
    np_random: np.random.Generator

    def _build(self, variant: str, players: int, options: MultiAgentOptions, actions: int) -> None:
        given: dict[str, Any] = {"mask": "observation", **options}
        settings = Settings(variant, players, max_episode_steps=given.pop("max_cycles", None), **given)
        self.render_mode = settings.render_mode
        self.np_random = np.random.default_rng()
        self._play(settings, 1, "disabled", seated=False, shared=True)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._dict = settings.mask == "observation"
        self._penalty = 0.0 if isinstance(settings.illegal, str) else float(settings.illegal)
        self._rolls = settings.illegal not in ("noop", "error")
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
        self._last_round = self._games.columns[-1]["name"] == "seats_after"

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same space object at every call."""
        return self.action_spaces[agent]

    def _start(self, seed: int | None) -> Rows:
        self._roll, self._event = None, ""
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
        self._tell(before, rows, chosen)
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
        seats = np.array([seat], np.int8)
        row = seen_from(rows.observations, rows.seats, seats, self._games.players, self._last_round)[0]
        seen = self._encoder(row)
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
        return self._picture(0, self._labels())

    def close(self) -> None:
        """Ends the process, or gives the game up in a shared session."""
        self._let_go()

    def _labels(self) -> list[str]:
        return [f"player {seat}" for seat in range(self._games.players)]

    def _scores(self, rows: Rows) -> list[int]:
        row, mover, n = rows.observations[0], int(rows.seats[0]), self._games.players
        return [int(row[0] if k == 0 else row[k + 1]) for k in ((seat - mover) % n for seat in range(n))]

    def _tell(self, before: Rows, after: Rows, action: int) -> None:
        if self.render_mode is None:
            return
        mover = int(before.seats[0])
        own, total = (int(x) for x in before.observations[0, :2])
        self._roll = None
        if after.noops is not None:
            self._event = "hold was not legal"
            return
        if action == 0:
            self._event = f"player {mover} held {total}"
            return
        turn, now = int(after.observations[0, 1]), self._scores(after)[mover]
        gained = turn - total if after.seats[0] == mover and turn > total else now - own - total
        if gained > 0:
            self._roll, self._event = gained, f"player {mover} rolled {gained}"
        else:
            self._roll = 1 if self._games.variant in ONE_DIE else None
            self._event = f"player {mover} bust" + (f", {total} lost" if total else "")


class PigAEC(_Agents, AECEnv[str, Any, int]):  # type: ignore[misc]
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


class PigParallel(_Agents, ParallelEnv[str, Any, int]):  # type: ignore[misc]
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


def raw_env(variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> PigAEC:
    """Returns the AEC environment without wrappers."""
    return PigAEC(variant, players, **options)


def env(variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> AECEnv[str, Any, int]:
    """Returns the AEC environment in wrappers that check the order of calls and the actions."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(PigAEC(variant, players, **options)))


def parallel_env(variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> PigParallel:
    """Returns the parallel environment."""
    return PigParallel(variant, players, **options)


def cycled_env(variant: str = "pig", players: int = 2, **options: Unpack[MultiAgentOptions]) -> AECEnv[str, Any, int]:
    """Returns the parallel environment as an AEC environment, in which every agent acts in
    every cycle, those that wait, too."""
    return cast("AECEnv[str, Any, int]", parallel_to_aec(PigParallel(variant, players, **options)))
