"""The games as Gymnasium environments: one seat is the learner's, named policies play the others.

:class:`PigEnv` is one game, :class:`PigVectorEnv` many at once; both are one process
and one message a step. Importing ``pigpen`` registers them as ``pigpen/Pig-v0``,
``pigpen/PigDoubles-v0``, ``pigpen/PigLastRound-v0``, ``pigpen/Cochon-v0``,
``pigpen/Piglet-v0`` and ``pigpen/PigSnakeEyes-v0``, for ``gymnasium.make`` and
``gymnasium.make_vec``.

Both actions are in the action space at any time, as Gymnasium has it, and hold is
not legal at the beginning of a turn. ``info["action_mask"]`` tells. A hold there is
ignored and told by ``info["illegal_action"]``; with ``illegal="error"`` it raises
:class:`~pigpen.errors.IllegalAction` instead.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .client import Client, Format, Rows
from .game import Game
from .render import ONE_DIE, Table, ansi, rgb_array

Opponents = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Seat = int | Literal["random", "rotate"]

_FRESH = 1 << 63


class _Seat:
    """What the two environments have in common: a session, games in it, their spaces."""

    def __init__(
        self,
        num_envs: int,
        variant: str,
        players: int,
        target: int | None,
        options: Mapping[str, bool] | None,
        opponents: Opponents,
        seat: Seat,
        first: str,
        illegal: str,
        step_limit: int,
        autoreset: str,
        client: Client | None,
        binary: str | os.PathLike[str] | None,
        format: Format,
        timeout: float | None,
    ) -> None:
        if isinstance(opponents, (str, os.PathLike)):
            opponents = [opponents]
        names = [os.fspath(opponent) for opponent in opponents]
        if seat == "random":
            # Who begins is drawn; the seats are alike but for the distance to that one.
            seat, first = 0, "random"
        self.owned = client is None
        self.client = client or Client(binary=binary, format=format, timeout=timeout)
        try:
            self.games = self.client.make(
                Game(variant, players, target, options or {}),
                num_envs,
                opponents=names if players > 1 else [],
                seat=seat,
                first=first,
                illegal=illegal,
                step_limit=step_limit,
                autoreset=autoreset,
            )
        except BaseException:
            self.close()
            raise
        self.names = [names[min(k, len(names) - 1)] for k in range(players - 1)] if names else []
        low = np.array([c["min"] for c in self.games.columns], np.int16)
        high = np.array([c["max"] for c in self.games.columns], np.int16)
        self.observation_space = gymnasium.spaces.Box(low, high, dtype=np.int16)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.seeded = False

    def table(self, rows: Rows, i: int, roll: int | None = None, event: str = "") -> Table:
        """What there is to see of game i."""
        games = self.games
        observation = rows.observations[i]
        n, seat = games.players, int(rows.seats[i])
        scores = [0] * n
        labels = [""] * n
        for k in range(n):
            scores[(seat + k) % n] = int(observation[0] if k == 0 else observation[k + 1])
            labels[(seat + k) % n] = "you" if k == 0 else self.names[k - 1]
        over = not rows.action_mask[i].any()
        return Table(games.variant, games.target, scores, labels, int(observation[1]), seat, over, roll, event)

    def close(self) -> None:
        if self.owned:
            self.client.close()
        elif not self.client.closed and hasattr(self, "games"):
            self.games.close()


class PigEnv(gymnasium.Env[npt.NDArray[np.int16], int]):
    """One game, in which the learner has one seat.

    An observation is an int16 array of shape (players + 1,), or (players + 2,) in
    pig-last-round: own banked score, turn total, the others' scores in turn order,
    seats still to act this round. The action is 0 hold or 1 roll. The reward is 0
    until the game ends, then +1 for a win, -1/(players - 1) for a loss, a share for a
    tied win; alone, -1 for each turn begun. ``info`` has ``action_mask``, int8 of
    shape (2,).

    Args:
        variant: which game; the registered ids fill it in.
        players: 1 to 10, as the variant allows.
        target: the score to reach; None is the variant's own, mostly 100.
        options: of the variant, by name.
        opponents: names or files of the policies in the other seats, one for all
            or one for each in turn order from the seat after the learner's.
        seat: the learner's, in [0, players); seat 0 moves first. "random" draws
            who moves first anew in every episode.
        first: who begins: "seat0" or "random".
        illegal: what an illegal action does: "noop" or "error".
        step_limit: truncates an episode after so many of the learner's steps; 0 never.
        render_mode: "ansi" or "rgb_array".
        client: a session to make the game in; else it has its own process.
        binary, format, timeout: see :class:`~pigpen.client.Client`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    def __init__(
        self,
        variant: str = "pig",
        players: int = 2,
        target: int | None = None,
        options: Mapping[str, bool] | None = None,
        opponents: Opponents = "hold-20",
        seat: Seat = 0,
        first: Literal["seat0", "random"] = "seat0",
        illegal: Literal["noop", "error"] = "noop",
        step_limit: int = 0,
        render_mode: str | None = None,
        *,
        client: Client | None = None,
        binary: str | os.PathLike[str] | None = None,
        format: Format = "msgpack",
        timeout: float | None = None,
    ) -> None:
        if seat == "rotate":
            raise ValueError('seat "rotate" deals the seats of a vector env; one game takes a number or "random"')
        _check_render_mode(render_mode, self.metadata)
        self.render_mode = render_mode
        self._seat = _Seat(
            1, variant, players, target, options, opponents, seat, first, illegal, step_limit, "disabled",
            client, binary, format, timeout,
        )  # fmt: skip
        self._games = self._seat.games
        self.observation_space = self._seat.observation_space
        self.action_space = self._seat.action_space  # type: ignore[assignment]
        self._rows: Rows | None = None
        self._roll: int | None = None
        self._event = ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int16], dict[str, Any]]:
        """Begins an episode. A seed, in [0, 2**64), fixes its dice and those of the
        episodes after it; without one the dice go on, from a random seed at first.
        There are no options."""
        super().reset(seed=seed)
        if seed is None and not self._seat.seeded:
            seed = int(self.np_random.integers(_FRESH))
        rows = self._games.reset(seed)
        self._seat.seeded = True
        self._rows, self._roll, self._event = rows, None, ""
        return rows.observations[0].copy(), {"action_mask": rows.action_mask[0].copy()}

    def step(self, action: int) -> tuple[npt.NDArray[np.int16], float, bool, bool, dict[str, Any]]:
        """Takes an action, and lets the others play until it is the learner's turn again."""
        before = self._rows
        rows = self._games.step((action,))
        self._rows = rows
        info: dict[str, Any] = {"action_mask": rows.action_mask[0].copy()}
        if rows.noops is not None and rows.noops[0]:
            info["illegal_action"] = True
        if self.render_mode is not None and before is not None:
            self._roll, self._event = _what_happened(before, rows, int(action), self._games.variant in ONE_DIE)
        return (
            rows.observations[0].copy(),
            float(rows.rewards.item()),
            bool(rows.terminated[0]),
            bool(rows.truncated[0]),
            info,
        )

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns which actions are legal, of shape (2,), as sb3-contrib's MaskablePPO asks."""
        if self._rows is None:
            return np.array([False, True])
        mask: npt.NDArray[np.bool_] = self._rows.action_mask[0].astype(np.bool_)
        return mask

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Returns the table as text or as a picture, an array of shape (height, width, 3)."""
        if self.render_mode is None or self._rows is None:
            return None
        table = self._seat.table(self._rows, 0, self._roll, self._event)
        return ansi(table) if self.render_mode == "ansi" else rgb_array(table)

    def close(self) -> None:
        """Ends the process, or gives the game up in a shared session."""
        self._seat.close()


class PigVectorEnv(VectorEnv[npt.NDArray[np.int16], npt.NDArray[np.integer[Any]], npt.NDArray[Any]]):
    """Many games at once, one process and one message for a step of all.

    Spaces, rewards and arguments are those of :class:`PigEnv`, by row. The infos have
    ``action_mask``, int8 of shape (num_envs, 2). What follows the end of an episode
    is Gymnasium's: ``metadata["autoreset_mode"]`` says what ``autoreset_mode`` was
    given. Under SAME_STEP ``infos["final_obs"]`` and ``infos["final_info"]`` hold the
    ends. Under DISABLED games that have ended rest, whatever their actions, until
    ``reset(options={"reset_mask": mask})``.

    Args:
        num_envs: the number of games.
        seat: also "rotate": game i has seat i mod players.
        autoreset_mode: AutoresetMode or its value.
        max_episode_steps: Gymnasium's name of ``step_limit``.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    _MODES: ClassVar[dict[AutoresetMode, str]] = {
        AutoresetMode.NEXT_STEP: "next_step",
        AutoresetMode.SAME_STEP: "same_step",
        AutoresetMode.DISABLED: "disabled",
    }

    def __init__(
        self,
        num_envs: int = 1,
        variant: str = "pig",
        players: int = 2,
        target: int | None = None,
        options: Mapping[str, bool] | None = None,
        opponents: Opponents = "hold-20",
        seat: Seat = 0,
        first: Literal["seat0", "random"] = "seat0",
        illegal: Literal["noop", "error"] = "noop",
        step_limit: int = 0,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        *,
        client: Client | None = None,
        binary: str | os.PathLike[str] | None = None,
        format: Format = "msgpack",
        timeout: float | None = None,
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        step_limit = step_limit if max_episode_steps is None else max_episode_steps
        _check_render_mode(render_mode, self.metadata)
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self._seat = _Seat(
            num_envs, variant, players, target, options, opponents, seat, first, illegal, step_limit,
            self._MODES[mode], client, binary, format, timeout,
        )  # fmt: skip
        self.single_observation_space = self._seat.observation_space
        self.single_action_space = self._seat.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rows: Rows | None = None

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[npt.NDArray[np.int16], dict[str, Any]]:
        """Begins an episode in every game, or in those of ``options["reset_mask"]``.

        One seed, in [0, 2**64), gives game i dice of its own, the same as in Pigpen's
        Go package. A list of seeds gives game i the dice that a :class:`PigEnv` has
        with seeds[i]. Without a seed the dice go on, from a random seed at first.
        """
        mask = _reset_mask(options, self.num_envs)
        seeds = None
        if seed is None:
            super().reset()
            if not self._seat.seeded:
                seed = int(self.np_random.integers(_FRESH))
        elif not isinstance(seed, (int, np.integer)):
            if len(seed) != self.num_envs:
                raise ValueError(f"there are {len(seed)} seeds for {self.num_envs} games")
            seed, seeds = None, seed
            super().reset()
        else:
            super().reset(seed=int(seed))
        rows = self._seat.games.reset(seed, seeds=seeds, mask=mask)
        self._seat.seeded = True
        self._rows = rows
        return rows.observations, {
            "action_mask": rows.action_mask.copy(),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        npt.NDArray[np.int16], npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
    ]:
        """Takes one action in each game; ``actions`` are integers of shape (num_envs,)."""
        rows = self._seat.games.step(actions)
        self._rows = rows
        infos: dict[str, Any] = {
            "action_mask": rows.action_mask.copy(),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }
        noops = rows.noops
        if rows.final_observations is not None:
            ended = rows.terminated | rows.truncated
            final = np.empty(self.num_envs, object)  # of None
            where = np.flatnonzero(ended)
            final[where] = np.fromiter(rows.final_observations[where], object, len(where))
            last: dict[str, Any] = {"action_mask": np.zeros((self.num_envs, 2), np.int8), "_action_mask": ended.copy()}
            if noops is not None:
                _add_noops(last, noops & ended)
                noops = noops & ~ended
            infos["final_obs"], infos["_final_obs"] = final, ended
            infos["final_info"], infos["_final_info"] = last, ended.copy()
        if noops is not None:
            _add_noops(infos, noops)
        return rows.observations, rows.rewards.astype(np.float64), rows.terminated, rows.truncated, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns which actions are legal, of shape (num_envs, 2)."""
        if self._rows is None:
            return np.tile([False, True], (self.num_envs, 1))
        return self._rows.action_mask.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Returns every game as text or as a picture."""
        if self.render_mode is None or self._rows is None:
            return None
        draw = ansi if self.render_mode == "ansi" else rgb_array
        return tuple(draw(self._seat.table(self._rows, i)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the process, or gives the games up in a shared session."""
        if hasattr(self, "_seat"):
            self._seat.close()


def _add_noops(infos: dict[str, Any], noops: npt.NDArray[np.bool_]) -> None:
    if noops.any():
        infos["illegal_action"], infos["_illegal_action"] = noops, noops.copy()


def _check_render_mode(mode: str | None, metadata: Mapping[str, Any]) -> None:
    if mode is not None and mode not in metadata["render_modes"]:
        raise ValueError(f"render_mode {mode!r}; it is one of {metadata['render_modes']} or None")


def _reset_mask(options: Mapping[str, Any] | None, num_envs: int) -> npt.NDArray[np.bool_] | None:
    """Reads the option that Gymnasium gives the name reset_mask, with its demands."""
    if options is None or "reset_mask" not in options:
        return None
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError("options['reset_mask'] must be a numpy array of bool")
    if mask.shape != (num_envs,) or not mask.any():
        raise ValueError(f"options['reset_mask'] must have shape ({num_envs},) and a True in it")
    return mask


def _what_happened(before: Rows, after: Rows, action: int, one_die: bool) -> tuple[int | None, str]:
    """Tells the learner's last roll in points, where it shows, and its last move in words."""
    own, total = (int(x) for x in before.observations[0, :2])
    now, turn = (int(x) for x in after.observations[0, :2])
    if after.noops is not None and after.noops[0]:
        return None, "hold was not legal"
    if action == 0:
        return None, f"held {total}"
    if turn > total:
        return turn - total, f"rolled {turn - total}"
    if now > own:  # the roll that reached the target
        return now - own - total, f"rolled {now - own - total}"
    if after.terminated[0] and not total:  # perhaps the others had ended the game before
        return None, ""
    return 1 if one_die else None, f"bust, {total} lost" if total else "bust"
