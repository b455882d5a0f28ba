"""Games in a session: what :meth:`pigpen.Client.make` makes."""

from __future__ import annotations

import base64
import contextlib
import struct
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import BadArgument, ServerEnded, ServerError
from .session import Session, column, integers

_FLOAT = struct.Struct("<f")


class Views(NamedTuple):
    """N games with n players and c columns as every seat sees them."""

    observations: npt.NDArray[np.int16]
    """N×n×c; a turn total is seen only by the seat to move."""
    win_share: npt.NDArray[np.float32]
    """N×n: each seat's share of the win, 0 until the game is over."""


class Events(NamedTuple):
    """What the actions of a step did in N games; among opponents, the learner's actions."""

    movers: npt.NDArray[np.int8]
    """N: the seats that acted, -1 where no action was taken."""
    effects: list[str]
    """N: the names of the protocol, such as "gain"; "none" where no action was taken."""
    points: npt.NDArray[np.int16]
    """N: those that were gained, banked by a hold or stop, or lost by a bust or wipe."""
    dice: npt.NDArray[np.uint8]
    """N×d: the faces of d dice, 0 where nothing was rolled."""


class Rows(NamedTuple):
    """What N games with n players and c columns show; every array is fresh and the caller's."""

    observations: npt.NDArray[np.int16]
    """N×c, laid out as :attr:`Games.columns` says: seen from the learner's seat or,
    where every seat is the caller's, from the seat to move."""
    action_mask: npt.NDArray[np.int8]
    """N×2 of 0 and 1: whether hold and roll are legal."""
    rewards: npt.NDArray[np.float32]
    """N: the learner's; N×n by seat where every seat is the caller's."""
    terminated: npt.NDArray[np.bool_]
    """N: the step has ended the game."""
    truncated: npt.NDArray[np.bool_]
    """N: the step limit has cut the game off."""
    seats: npt.NDArray[np.int8]
    """N: the seats whose observations are shown."""
    final_observations: npt.NDArray[np.int16] | None
    """N×c under ``same_step`` when games have ended, else None: what was seen at
    their ends; 0 in other games."""
    noops: npt.NDArray[np.bool_] | None
    """N under ``illegal="noop"`` when illegal actions were ignored, else None: where."""
    views: Views | None = None
    """Of games made with ``views``."""
    events: Events | None = None
    """Of a step of games made with ``events``."""


class Row(NamedTuple):
    """What one game shows; the observation is read-only."""

    observation: npt.NDArray[np.int16]
    hold: bool
    """Whether holding is legal."""
    roll: bool
    """Whether rolling is legal."""
    reward: float
    terminated: bool
    truncated: bool
    noop: bool
    """Whether an illegal action was ignored."""


def one_row(rows: Rows, noop: bool = False) -> Row:
    """Returns the row of the only game of the learner's."""
    hold, roll = rows.action_mask[0]
    return Row(
        rows.observations[0], bool(hold), bool(roll), float(rows.rewards.item()),
        bool(rows.terminated[0]), bool(rows.truncated[0]), noop,
    )  # fmt: skip


class Games:
    """N games of one kind in a session; :meth:`Client.make` makes them.

    ``columns`` describes each column of an observation with ``name``, ``min``,
    ``max`` (both attained values) and ``doc``; ``about`` is what ``hello`` says of the
    variant.
    """

    def __init__(self, client: Session, made: Mapping[str, Any], extras: bool = False) -> None:
        self.client = client
        self.handle = int(made["env"])
        self.num_envs = int(made["num_envs"])
        self.controls_all = made["seats_controlled"] == "all"
        self.variant = str(made["variant"])
        self.players = int(made["players"])
        self.target = int(made["target"])
        self.options: dict[str, bool] = dict(made["options"])
        self.columns: list[dict[str, Any]] = list(made["observation"])
        self.about = client.variant(self.variant)
        n = self.num_envs
        self._shape = (n, len(self.columns))
        self._rewards = (n, self.players) if self.controls_all else (n,)
        head = client.frame({"op": "step", "env": self.handle, "actions": bytes(n)})
        self._head = head[: len(head) - n]  # for msgpack: all but the actions
        self._expect = 256 + n * (4 * len(self.columns) + 6 + 4 * (self._rewards[-1] if self.controls_all else 1))
        if extras:
            self._expect += n * (self.players * (2 * len(self.columns) + 4) + int(self.about["dice"]) + 4)
        client.widen(self._expect)
        self._finalizer = weakref.finalize(self, client._dropped.append, self.handle)
        self._finalizer.atexit = False
        self.stale = False
        """Whether an exception has left it open if the last step was taken."""

    def reset(
        self,
        seed: int | None = None,
        *,
        seeds: Sequence[int] | npt.NDArray[np.uint64] | None = None,
        mask: npt.ArrayLike | None = None,
    ) -> Rows:
        """Begins an episode in every game, or in those of ``mask``, of shape (N,).

        Game i gets the dice that (seed, i) stand for, or those that (seeds[i], 0)
        stand for; with neither its dice go on. Seeds are in [0, 2**64).
        """
        fields: dict[str, Any] = {}
        if seed is not None:
            fields["seed"] = _seed(seed)
        if seeds is not None:
            fields["seeds"] = np.array([_seed(s) for s in seeds], "<u8")
        if mask is not None:
            fields["mask"] = np.asarray(mask, np.bool_)
        request = {"op": "reset", "env": self.handle, **fields}
        rows = self._rows(self._stepped((self.client.frame(request),)))
        if mask is None:
            self.stale = False
        return rows

    def step(self, actions: npt.ArrayLike, mask: npt.ArrayLike | None = None) -> Rows:
        """Takes action ``actions[i]``, 0 hold or 1 roll, in game i, for N games, or for
        those of ``mask``, of shape (N,): the others stand still, whatever their actions."""
        actions = integers(actions, np.uint8, "actions")
        if actions.shape != self._shape[:1]:
            raise BadArgument(f"actions have shape {actions.shape}, not {self._shape[:1]}")
        return self.take(actions, mask)

    def take(self, actions: npt.NDArray[np.uint8], mask: npt.ArrayLike | None = None) -> Rows:
        """As :meth:`step`, for actions that are known to be uint8, contiguous, and N."""
        client = self.client
        if mask is not None:
            request = {"op": "step", "env": self.handle, "actions": actions, "mask": np.asarray(mask, np.bool_)}
            frames: tuple[Any, ...] = (client.frame(request),)
        elif client.format == "msgpack":
            frames = (self._head, actions.data)
        else:
            frames = (client.frame({"op": "step", "env": self.handle, "actions": actions}),)
        return self._rows(self._stepped(frames))

    def step_one(self, action: int) -> Row:
        """Takes an action in the only game, which need not be legal."""
        client = self.client
        if client.format == "msgpack" and 0 <= action <= 255:
            frames: tuple[Any, ...] = (self._head + action.to_bytes(1, "little"),)
        else:
            frames = (client.frame({"op": "step", "env": self.handle, "actions": [action]}),)
        return self._row(self._stepped(frames))

    def _stepped(self, frames: tuple[Any, ...]) -> dict[str, Any]:
        try:
            return self.client.exchange(frames, self._expect)
        except ServerError:
            raise
        except BaseException:
            self.stale = True
            raise

    def state(self) -> bytes:
        """Returns all games as they stand, dice included, for :meth:`restore`."""
        states = self.client.request("state", env=self.handle)["states"]
        return base64.b64decode(states) if isinstance(states, str) else bytes(states)

    def state_for_every_seat(self) -> tuple[bytes, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Returns the games among opponents for :meth:`restore` of games in which every seat
        is the caller's, without step limit; the learner's steps in each episode, of shape
        (N,); and whether the episode is under way, of shape (N,)."""
        reply = self.client.request("state", env=self.handle, every_seat=True)
        states, n = reply["states"], self.num_envs
        plain = base64.b64decode(states) if isinstance(states, str) else bytes(states)
        return plain, column(reply, "steps", "<i8", (n,)), column(reply, "live", "?", (n,))

    def restore(self, states: bytes) -> Rows:
        """Puts the games back to where they were; rewards and ends are none."""
        rows = self._rows(self.client.request("restore", env=self.handle, states=states))
        self.stale = False
        return rows

    def views(self) -> Views:
        """Returns the games as they stand, from every seat."""
        return self._views(self.client.exchange((self.client.frame({"op": "views", "env": self.handle}),), self._expect))

    def _views(self, reply: Mapping[str, Any]) -> Views:
        n = self.num_envs
        return Views(
            column(reply, "views", "<i2", (n, self.players, self._shape[1])),
            column(reply, "win_share", "<f4", (n, self.players)),
        )

    def close(self) -> None:
        """Lets the server forget the games; the session goes on. Games that become
        garbage are forgotten as well, at the next :meth:`Client.make`."""
        if self._finalizer.detach() and not self.client.closed:
            with contextlib.suppress(ServerEnded):
                self.client.request("close", env=self.handle)

    def _row(self, reply: Mapping[str, Any]) -> Row:
        observations = reply["observations"]
        if isinstance(observations, bytes):
            hold, roll = reply["action_mask"]
            return Row(
                np.frombuffer(observations, "<i2"),
                hold == 1,
                roll == 1,
                _FLOAT.unpack_from(reply["rewards"])[0],
                reply["terminated"] == b"\1",
                reply["truncated"] == b"\1",
                "noops" in reply,
            )
        rows = self._rows(reply)
        noop = rows.noops is not None and bool(rows.noops[0])
        return one_row(rows, noop)

    def _rows(self, reply: Mapping[str, Any]) -> Rows:
        n = self.num_envs
        final = noops = events = None
        if "final_observations" in reply:
            final = column(reply, "final_observations", "<i2", self._shape)
        if "noops" in reply:
            noops = column(reply, "noops", "?", (n,))
        views = self._views(reply) if "views" in reply else None
        if "effects" in reply:
            names = self.client.hello["effects"]
            events = Events(
                column(reply, "movers", "i1", (n,)),
                [names[k] for k in column(reply, "effects", "u1", (n,))],
                column(reply, "points", "<i2", (n,)),
                column(reply, "dice", "u1", (n, int(self.about["dice"]))),
            )
        return Rows(
            column(reply, "observations", "<i2", self._shape),
            column(reply, "action_mask", "i1", (n, 2)),
            column(reply, "rewards", "<f4", self._rewards),
            column(reply, "terminated", "?", (n,)),
            column(reply, "truncated", "?", (n,)),
            column(reply, "seats", "i1", (n,)),
            final,
            noops,
            views,
            events,
        )


def _seed(seed: int) -> int:
    if not 0 <= int(seed) < 1 << 64:
        raise BadArgument(f"seed {seed} is not in [0, 2**64)")
    return int(seed)
