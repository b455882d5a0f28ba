"""The games as Gymnasium environments: one seat is the learner's, others play the rest.

:class:`PigEnv` is one game, :class:`PigVectorEnv` many at once; each step is one message
to a process. Importing ``pigpen`` registers them as ``pigpen/Pig-v0``,
``pigpen/PigDoubles-v0``, ``pigpen/PigLastRound-v0``, ``pigpen/Cochon-v0``,
``pigpen/Piglet-v0``, ``pigpen/PigSnakeEyes-v0``, ``pigpen/PassThePigs-v0`` and
``pigpen/DoubleTrouble-v0``, for ``gymnasium.make`` and ``gymnasium.make_vec``.
:class:`PigSelfPlayVectorEnv` has many games in which every seat is the learner's.

Both actions are in the action space at any time, as Gymnasium has it, and hold is
not legal at the beginning of a turn, nor after doubles of Double Trouble.
``info["action_mask"]`` tells. By default a hold there rolls, so that a game goes on
whatever a learner does; ``info["illegal_action"]`` tells, and the argument ``illegal`` has
other choices.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .errors import BadArgument, EpisodeOver, NoEpisode
from .games import Row, Rows, one_row
from .options import RENDER_MODES, SeatOptions, SelfPlayOptions, Settings, VectorOptions, with_mask
from .playing import Playing
from .render import Table
from .session import integers

try:
    from typing import Unpack
except ImportError:  # before Python 3.11
    from typing_extensions import Unpack

_LEGAL = [[np.array([hold, roll], np.int8) for roll in (0, 1)] for hold in (0, 1)]
_FLAG = (np.int8(0), np.int8(1))
_ROLL_ONLY = 0x0100  # a row of the action mask, its two bytes read as a little-endian number


class PigEnv(Playing, gymnasium.Env[Any, int]):
    """One game, in which the learner has one seat.

    An observation is a float32 array of shape (players + 1,), or (players + 2,) in
    pig-last-round: own banked score, turn total, the others' scores in turn order,
    seats still to act this round. The action is 0 hold or 1 roll. The reward is 0
    until the game ends, then +1 for a win, -1/(players - 1) for a loss, a share for a
    tied win; alone, -1 for each turn begun. Every ``info`` has ``action_mask``, int8 of
    shape (2,), and ``illegal_action``, an int8 that is 1 where the action was not legal.

    ``gymnasium.make`` truncates after 10,000 steps; see :data:`pigpen.MAX_EPISODE_STEPS`.
    A step past the end of an episode raises :class:`~pigpen.errors.EpisodeOver`. After
    ``close``, or when the process has ended, ``reset`` opens a new session. Copies by
    pickle or deepcopy have a session of their own and go on from the same state.

    Args:
        variant: which game; the registered ids fill it in.
        players: 1 to 10, as the variant allows.
        **options: see :class:`~pigpen.options.SeatOptions` and
            :class:`~pigpen.options.GameOptions`.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 4}

    def __init__(self, variant: str = "pig", players: int = 2, **options: Unpack[SeatOptions]) -> None:
        settings = Settings(variant, players, **options)
        if settings.seat == "rotate":
            raise BadArgument('seat "rotate" deals the seats of a vector env; one game takes a number or "random"')
        self._play(settings, 1, "disabled", seated=True, shared=True)
        box = self._encoder.space
        self.observation_space = with_mask(box) if self._dict else box
        self.action_space = cast(Any, gymnasium.spaces.Discrete(2))
        self._hold = self._live = False
        self._last = np.zeros(len(self._games.columns), np.int16)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode. A seed, in [0, 2**64), fixes its dice and those of the
        episodes after it; without one the dice go on, from a random seed at first.
        There are no options."""
        super().reset(seed=seed)
        return self._first(self._begin(seed))

    def restore(self, states: bytes) -> tuple[Any, dict[str, Any]]:
        """Puts the game back to where :meth:`state` was asked; returns what reset does."""
        if self._client is None:
            self._open()
        self._rows = self._games.restore(states)
        self._seeded = True
        return self._first(self._rows)

    def _first(self, rows: Rows) -> tuple[Any, dict[str, Any]]:
        shown = self._show(one_row(rows), 0)
        if self.render_mode == "human":
            self.render()
        return shown

    def _show(self, row: Row, illegal: int) -> tuple[Any, dict[str, Any]]:
        self._hold, self._live, self._last = row.hold, row.roll, row.observation
        mask = _LEGAL[row.hold][row.roll]
        seen: Any = self._encoder(row.observation)
        if self._dict:
            seen = {"observations": seen, "action_mask": mask.copy()}
        return seen, {"action_mask": mask.copy(), "illegal_action": _FLAG[illegal]}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes an action, and lets the others play until it is the learner's turn again."""
        try:
            action = operator.index(action)
        except TypeError:
            action = int(integers(action, np.uint8, "an action").item())
        if not self._live or self._client is None or self._games.stale:
            self._check_live()
        illegal = action == 0 and not self._hold
        taken = 1 if illegal and self._rolls else action
        if self.render_mode is None:
            row = self._games.step_one(taken)
        else:
            self._rows = rows = self._games.step([taken])
            row = one_row(rows, rows.noops is not None)
        seen, info = self._show(row, int(illegal))
        reward = row.reward + self._penalty if illegal else row.reward
        if self.render_mode == "human":
            self.render()
        return seen, reward, row.terminated, row.truncated, info

    def _check_live(self) -> None:
        client = self.client
        if client.closed:
            self._games.step_one(1)  # which raises what the session has ended with
        if self._rows is None:
            raise NoEpisode("no episode is under way; reset the environment first")
        if self._games.stale:
            row = one_row(self._refresh())
            self._hold, self._live, self._last = row.hold, row.roll, row.observation
        if not self._live:
            raise EpisodeOver("the episode is over; reset begins the next")

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns which actions are legal, of shape (2,), as sb3-contrib's MaskablePPO asks."""
        if self._rows is None:
            return np.array([False, True])
        return np.array([self._hold, self._live])

    def render(self) -> Any:
        """Returns the table as text or as a picture, uint8 of shape (height, width, 3); as
        "human" it prints the text and returns None."""
        return self._picture()

    def _tables(self, most: int) -> list[Table]:
        assert self._rows is not None
        mask = np.array([[self._hold, self._live]], np.int8)
        self._rows = self._rows._replace(observations=self._last[None], action_mask=mask)
        return super()._tables(most)

    def close(self) -> None:
        """Ends the process, or gives the game up in a shared session."""
        self._let_go()


class _Vector(Playing, VectorEnv[Any, Any, Any]):
    """What the vector environments have in common."""

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 4}

    _MODES: ClassVar[dict[AutoresetMode, str]] = {
        AutoresetMode.NEXT_STEP: "next_step",
        AutoresetMode.SAME_STEP: "same_step",
        AutoresetMode.DISABLED: "disabled",
    }

    def _build(self, settings: Settings, num_envs: int, seated: bool) -> None:
        mode = settings.autoreset_mode
        self.num_envs = num_envs
        self.autoreset_mode = mode
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self._play(settings, num_envs, self._MODES[mode], seated=seated, shared=False)
        box = self._encoder.space
        self.single_observation_space = with_mask(box) if self._dict else box
        self.single_action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = np.ones(num_envs, np.bool_)
        self._must_roll = np.ones(num_envs, np.uint8)  # 1 where rolling is all that is legal
        self._legal = np.tile([False, True], (num_envs, 1))

    def _open(self) -> None:
        super()._open()
        self.closed = False  # which close looks at

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode in every game, or in those of ``options["reset_mask"]``.

        One seed, in [0, 2**64), gives game i dice of its own, the same as in Pigpen's
        Go package. A list of seeds gives game i the dice that a :class:`PigEnv` has
        with seeds[i]. Without a seed the dice go on, from a random seed at first.
        """
        mask = _reset_mask(options, self.num_envs)
        seeds = None
        if seed is None or not isinstance(seed, (int, np.integer)):
            if seed is not None and len(seed) != self.num_envs:
                raise BadArgument(f"there are {len(seed)} seeds for {self.num_envs} games")
            seed, seeds = None, seed
            super().reset()
        else:
            seed = int(seed)
            super().reset(seed=seed)
        return self._first(self._begin(seed, seeds, mask))

    def restore(self, states: bytes) -> tuple[Any, dict[str, Any]]:
        """Puts the games back to where :meth:`state` was asked; returns what reset does."""
        if self._client is None:
            self._open()
        rows = self._games.restore(states)
        self._seeded = True
        return self._first(rows)

    def _first(self, rows: Rows) -> tuple[Any, dict[str, Any]]:
        seen = self._see(rows)
        if self.render_mode == "human":
            self.render()
        return seen, self._infos(rows, np.zeros(self.num_envs, np.int8))

    def _see(self, rows: Rows) -> Any:
        """Takes note of what is legal, and returns the observations."""
        self._rows = rows
        self._legal = rows.action_mask.view(np.bool_)
        self._must_roll = (rows.action_mask.reshape(-1).view("<u2") == _ROLL_ONLY).view(np.uint8)
        seen = self._encoder(rows.observations)
        return {"observations": seen, "action_mask": rows.action_mask.copy()} if self._dict else seen

    def _infos(self, rows: Rows, illegal: npt.NDArray[np.int8]) -> dict[str, Any]:
        present = self._all
        return {
            "action_mask": rows.action_mask.copy(),
            "_action_mask": present.copy(),
            "illegal_action": illegal,
            "_illegal_action": present.copy(),
        }

    def _take(self, actions: npt.ArrayLike) -> tuple[Rows, npt.NDArray[np.uint8]]:
        """Steps, with holds made rolls where the rules and the settings say so; returns
        the rows and where actions were illegal, 0 or 1."""
        if self._client is None or self._games.stale:
            assert self.client  # which raises where it is closed
            self._see(self._refresh())
        given = integers(actions, np.uint8, "actions")
        if given.shape != (self.num_envs,):
            raise BadArgument(f"actions have shape {given.shape}, not {(self.num_envs,)}")
        must = self._must_roll
        rows = self._games.take(given | must if self._rolls else given)
        return rows, (must > given).view(np.uint8)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns which actions are legal, of shape (num_envs, 2)."""
        return self._legal.copy()

    def render(self) -> tuple[Any, ...] | None:
        """Returns every game as text or as a picture; as "human" it prints them."""
        return self._pictures()

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the process, or gives the games up in a shared session."""
        if hasattr(self, "_kind"):
            self._let_go()


class PigVectorEnv(_Vector):
    """Many games at once, one process and one message for a step of all.

    Spaces, rewards, infos and arguments are those of :class:`PigEnv`, by row. What
    follows the end of an episode is Gymnasium's: ``metadata["autoreset_mode"]`` says
    what ``autoreset_mode`` was given. Under SAME_STEP ``infos["final_obs"]`` and
    ``infos["final_info"]`` hold the ends. Under DISABLED games that have ended rest,
    whatever their actions, until ``reset(options={"reset_mask": mask})``.

    Args:
        num_envs: the number of games.
        variant, players: as in :class:`PigEnv`.
        **options: see :class:`~pigpen.options.VectorOptions`,
            :class:`~pigpen.options.SeatOptions` and :class:`~pigpen.options.GameOptions`.
    """

    def __init__(
        self, num_envs: int = 1, variant: str = "pig", players: int = 2, **options: Unpack[VectorOptions]
    ) -> None:
        self._build(Settings(variant, players, **options), num_envs, seated=True)

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Any, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Takes one action in each game; ``actions`` are integers of shape (num_envs,)."""
        rows, illegal = self._take(actions)
        seen = self._see(rows)
        rewards = rows.rewards.astype(np.float64)
        if self._penalty:
            rewards += self._penalty * illegal
        ended = None
        if rows.final_observations is not None:
            ended = rows.terminated | rows.truncated
        told = illegal.view(np.int8)
        infos = self._infos(rows, told if ended is None else told * ~ended)
        if rows.final_observations is not None and ended is not None:
            final = np.empty(self.num_envs, object)  # of None
            where = np.flatnonzero(ended)
            ends = self._encoder(rows.final_observations[where])
            none = np.zeros((self.num_envs, 2), np.int8)
            if self._dict:
                for i, end in zip(where, ends):
                    final[i] = {"observations": end, "action_mask": none[i].copy()}
            else:
                final[where] = np.fromiter(ends, object, len(where))
            infos["final_obs"], infos["_final_obs"] = final, ended
            infos["final_info"] = {
                "action_mask": none, "_action_mask": ended.copy(),
                "illegal_action": told * ended, "_illegal_action": ended.copy(),
            }  # fmt: skip
            infos["_final_info"] = ended.copy()
        if self.render_mode == "human":
            self.render()
        return seen, rewards, rows.terminated, rows.truncated, infos


class PigSelfPlayVectorEnv(_Vector):
    """Many games at once in which every seat is the caller's, one message for a step of all.

    It has the shape of a Gymnasium vector environment: game i shows what its seat to
    move sees, and a step takes one action of that seat in each game. Two things are by
    seat: ``rewards`` have shape (num_envs, players), since a step may end the game for
    all, and every infos has ``seat``, int8 of shape (num_envs,), the seat that is shown
    and is to move. ``action_mask`` and ``illegal_action`` are as in :class:`PigVectorEnv`,
    and so is what follows the end of an episode; under SAME_STEP ``infos["final_obs"]``
    is what the seat that has moved last sees.

    Args:
        num_envs, variant, players: as in :class:`PigVectorEnv`.
        **options: as there, without ``opponents`` and ``seat``. A penalty for illegal
            actions is the mover's.
    """

    def __init__(
        self, num_envs: int = 1, variant: str = "pig", players: int = 2, **options: Unpack[SelfPlayOptions]
    ) -> None:
        self._build(Settings(variant, players, **options), num_envs, seated=False)
        self._index = np.arange(num_envs)

    def _infos(self, rows: Rows, illegal: npt.NDArray[np.int8]) -> dict[str, Any]:
        infos = super()._infos(rows, illegal)
        infos["seat"], infos["_seat"] = rows.seats.copy(), self._all.copy()
        return infos

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Takes one action of the seat to move in each game."""
        movers = self._rows.seats if self._rows is not None else np.zeros(self.num_envs, np.int8)
        rows, illegal = self._take(actions)
        seen = self._see(rows)
        rewards = rows.rewards
        if self._penalty:
            rewards[self._index, movers] += np.float32(self._penalty) * illegal
        infos = self._infos(rows, illegal.view(np.int8))
        if rows.final_observations is not None:
            ended = rows.terminated | rows.truncated
            infos["final_obs"], infos["_final_obs"] = self._encoder(rows.final_observations), ended
        if self.render_mode == "human":
            self.render()
        return seen, rewards, rows.terminated, rows.truncated, infos


def _reset_mask(options: Mapping[str, Any] | None, num_envs: int) -> npt.NDArray[np.bool_] | None:
    """Reads the option that Gymnasium gives the name reset_mask, with its demands."""
    if options is None or "reset_mask" not in options:
        return None
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError("options['reset_mask'] must be a numpy array of bool")
    if mask.shape != (num_envs,) or not mask.any():
        raise BadArgument(f"options['reset_mask'] must have shape ({num_envs},) and a True in it")
    return mask
