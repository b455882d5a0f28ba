"""Opponents in Python: functions that play the other seats, and pools of past selves.

Opponents by name or file are played by the server, in the learner's own message.
Functions are asked here: after the learner's step each plays, one batch at a time, all
the games in which it is its turn, until the learner is to move everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgpack  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from .errors import BadArgument, BadState
from .games import Events, Games, Row, Rows, Views, one_row
from .options import Actor, Opponent, Settings
from .session import integers

_NAME = (str, os.PathLike)


class Pool:
    """Opponents of which every game draws one anew at the start of each episode.

    ``weights``, positive or 0, say how often each is drawn; None is equally often. A
    pool may grow while games are played: :meth:`add` past selves as they come.
    """

    def __init__(self, members: Sequence[Opponent], weights: Sequence[float] | None = None) -> None:
        self.members: list[Opponent] = list(members)
        self.weights = [1.0] * len(self.members) if weights is None else [float(w) for w in weights]
        self._check()

    def _check(self) -> None:
        if not self.members:
            raise BadArgument("a pool has one member at least")
        if len(self.weights) != len(self.members):
            raise BadArgument(f"a pool of {len(self.members)} members has {len(self.weights)} weights")
        if not np.isfinite(self.weights).all() or min(self.weights) < 0 or not sum(self.weights):
            raise BadArgument(f"weights {self.weights}; they are 0 or more, and not all 0")

    def add(self, member: Opponent, weight: float = 1.0) -> None:
        """Adds a member, for the episodes that are yet to begin."""
        self.members.append(member)
        self.weights.append(float(weight))
        self._check()

    def set_weights(self, weights: Sequence[float]) -> None:
        """Weighs the members anew, for the episodes that are yet to begin."""
        old, self.weights = self.weights, [float(w) for w in weights]
        try:
            self._check()
        except BadArgument:
            self.weights = old
            raise

    def draw(self, rng: np.random.Generator, n: int) -> npt.NDArray[np.int64]:
        """Returns n indices of members."""
        chances = np.array(self.weights) / sum(self.weights)
        return rng.choice(len(self.members), n, p=chances)


def members(place: Pool | Opponent) -> list[Opponent]:
    """Returns who may have a seat."""
    return place.members if isinstance(place, Pool) else [place]


class Opposed:
    """N games in which the other seats are played in Python; its rows are the learner's.

    It takes and returns what :class:`~pigpen.games.Games` of one seat does. Of it the
    other seats' dice are the learner's own game's, as when the server plays them.
    """

    def __init__(self, games: Games, settings: Settings, autoreset: str) -> None:
        self.games = games
        self.client = games.client
        self.num_envs = n = games.num_envs
        self.variant, self.players, self.target = games.variant, games.players, games.target
        self.columns, self.about = games.columns, games.about
        self._illegal = settings.illegal
        self._limit = settings.step_limit
        self._autoreset = autoreset
        if settings.seat == "rotate":
            self._seats = (np.arange(n) % self.players).astype(np.int8)
        else:
            assert isinstance(settings.seat, int)
            if not 0 <= settings.seat < self.players:
                games.close()
                raise BadArgument(f"seat {settings.seat} is not in [0, {self.players})")
            self._seats = np.full(n, settings.seat, np.int8)
        self._policies: dict[str, Any] = {}
        self._steps = np.zeros(n, np.int64)
        self._over = np.ones(n, np.bool_)  # no episode is under way
        self._pending = np.zeros(n, np.bool_)  # the others have ended the game before the first step
        self._earned = np.zeros(n, np.float32)  # the reward that then waits for it
        self._drawn = np.zeros((n, max(1, self.players - 1)), np.int64)  # members by game and distance of the seat
        self._rng = np.random.default_rng()
        self._mask = np.zeros((n, 2), np.int8)
        self._shown: Rows | None = None
        self._midway = False  # an exception has come while the others were playing
        try:
            self.set_opponents(settings.opponents)
        except BaseException:
            games.close()
            raise

    # Who plays.

    @staticmethod
    def listed(opponents: Any) -> list[Any]:
        """Returns the opponents as a list."""
        if isinstance(opponents, (*_NAME, Pool)) or callable(opponents):
            return [opponents]
        return list(opponents)

    @staticmethod
    def plays(opponents: Any) -> bool:
        """Reports whether any of the opponents is played in Python."""
        return any(not isinstance(one, _NAME) for one in Opposed.listed(opponents))

    @staticmethod
    def labels(opponents: Any, players: int) -> list[str]:
        """Returns the opponents' names in turn order."""
        names = [
            os.fspath(one) if isinstance(one, _NAME) else getattr(one, "__name__", type(one).__name__.lower())
            for one in Opposed.listed(opponents)
        ]
        return [names[min(k, len(names) - 1)] for k in range(players - 1)] if names else []

    def set_opponents(self, opponents: Any) -> None:
        """Lets others play from now on; pools draw for the games under way, too."""
        places = Opposed.listed(opponents)
        others = self.players - 1
        if others and len(places) not in (1, others):
            raise BadArgument(f"{len(places)} opponents for {others} seats; it is one for all, or one for each")
        for place in places:
            for member in members(place):
                self._actor(member)
        self._places = [places[0 if len(places) == 1 else k] for k in range(others)]
        self._draw(np.ones(self.num_envs, np.bool_))
        named = {os.fspath(member) for place in places for member in members(place) if isinstance(member, _NAME)}
        for name in self._policies.keys() - named:
            self._policies.pop(name).close()

    def take_over(self, games: Games, seed: int) -> Rows:
        """Goes on with games that the server has played against opponents by name, dice and
        counted steps included; ``seed`` fixes what pools draw."""
        states, self._steps, live = games.state_for_every_seat()
        self._rng = np.random.default_rng(seed)
        self._draw(np.ones(self.num_envs, np.bool_))
        rows = self.games.restore(states)
        self._midway = games.stale
        finished = ~rows.action_mask.any(1)
        self._over, self._pending = ~live, live & finished
        if self.players > 1:
            share = self.games.views().win_share[np.arange(self.num_envs), self._seats]
            self._earned = ((self.players * share - 1) / (self.players - 1)).astype(np.float32)
        zeros = np.zeros(self.num_envs, np.bool_)
        return self._show(rows, np.zeros(self.num_envs, np.float32), zeros, zeros.copy())

    def _actor(self, member: Opponent) -> Actor:
        """Returns a member as a function; one by name has a process of its own."""
        if not isinstance(member, _NAME):
            if not callable(member):
                raise BadArgument(f"opponent {member!r}; it is a name, a file, a function or a Pool")
            return member
        name = os.fspath(member)
        if name not in self._policies:
            from .policy import Policy

            game = self._game
            self._policies[name] = Policy(name, sample=True, **game, **_session_of(self.client))
        policy = self._policies[name]
        return lambda observations, mask: policy.act(observations)

    @property
    def _game(self) -> dict[str, Any]:
        return {"variant": self.variant, "players": self.players, "target": self.target, "options": self.games.options}

    def _draw(self, which: npt.NDArray[np.bool_]) -> None:
        for k, place in enumerate(self._places):
            if isinstance(place, Pool):
                self._drawn[which, k] = place.draw(self._rng, int(which.sum()))
            else:
                self._drawn[which, k] = 0

    # Play.

    def reset(self, seed: int | None = None, *, seeds: Any = None, mask: Any = None) -> Rows:
        """As :meth:`Games.reset`. Seeds also fix what pools draw."""
        which = np.ones(self.num_envs, np.bool_) if mask is None else np.asarray(mask, np.bool_)
        given = seed if seed is not None else None if seeds is None else [int(s) for s in seeds]
        if given is not None:
            self._rng = np.random.default_rng(given)
        rows = self.games.reset(seed, seeds=seeds, mask=mask)
        self._begin(which)
        rewards = np.zeros(self.num_envs, np.float32)
        rows, _ = self._others(rows, which.copy(), rewards)
        return self._show(rows, np.zeros_like(rewards), np.zeros_like(which), np.zeros_like(which))

    def _begin(self, which: npt.NDArray[np.bool_]) -> None:
        self._draw(which)
        self._steps[which] = 0
        self._over[which] = self._pending[which] = False

    def _others(
        self, rows: Rows, active: npt.NDArray[np.bool_], rewards: npt.NDArray[np.float32]
    ) -> tuple[Rows, npt.NDArray[np.bool_]]:
        """Plays the other seats in the games that are active, until the learner is to move.

        It adds to the learner's rewards, and returns the rows and which games have ended;
        those that end before the learner's first step are kept pending.
        """
        n, players = self.num_envs, self.players
        index = np.arange(n)
        ended = np.zeros(n, np.bool_)
        self._midway = True
        while True:
            distance = (rows.seats - self._seats) % players
            turn = active & ~ended & (distance != 0)
            if not turn.any():
                break
            actions = np.ones(n, np.uint8)
            for k, place in enumerate(self._places):
                here = turn & (distance == k + 1)
                if not here.any():
                    continue
                listed = members(place)
                drawn = self._drawn[:, k]
                for m in np.unique(drawn[here]):
                    where = np.flatnonzero(here & (drawn == m))
                    masks = rows.action_mask[where]
                    chosen = np.asarray(self._actor(listed[m])(rows.observations[where], masks))
                    if chosen.shape != (len(where),):
                        raise BadArgument(f"an opponent returned actions of shape {chosen.shape}, not ({len(where)},)")
                    # An opponent that holds where it may not rolls, too.
                    actions[where] = integers(chosen, np.uint8, "an opponent's actions") | (masks[:, 0] == 0)
            rows = self.games.step(actions, turn)
            rewards += np.where(turn, rows.rewards[index, self._seats], 0)
            ended |= rows.terminated
        self._midway = False
        first = ended & (self._steps == 0)
        self._pending |= first
        self._earned[first] = rewards[first]
        return rows, ended

    def step(self, actions: npt.ArrayLike) -> Rows:
        """As :meth:`Games.step`, the other seats' actions included."""
        n = self.num_envs
        given = integers(actions, np.uint8, "actions")
        if given.shape != (n,):
            raise BadArgument(f"actions have shape {given.shape}, not ({n},)")
        assert self._shown is not None
        done = self._over.copy()
        live = ~done
        noops = None
        acts = live & ~self._pending
        if self._illegal == "noop":
            noops = live & (given == 0) & (self._mask[:, 0] == 0)
            acts = acts & ~noops
        self._steps[live] += 1
        rewards = np.zeros(n, np.float32)
        pays = self._pending & live
        if noops is not None:
            pays = pays & ~noops
        terminated = pays.copy()
        rewards[pays] = self._earned[pays]
        self._pending &= ~pays
        rows = self.games.step(given, acts)
        events = rows.events
        rewards += np.where(acts, rows.rewards[np.arange(n), self._seats], 0)
        terminated |= rows.terminated
        rows, ended = self._others(rows, acts & ~rows.terminated, rewards)
        terminated |= ended
        truncated = np.zeros(n, np.bool_)
        if self._limit:
            truncated = live & ~terminated & (self._steps >= self._limit)
        over = terminated | truncated
        self._over |= over
        final = None
        again = np.zeros(n, np.bool_)
        if self._autoreset == "same_step" and over.any():
            final = np.where(over[:, None], self._learners(rows), 0).astype(np.int16)
            again = over
        elif self._autoreset == "next_step":
            again = done
        if again.any():
            rows = self.games.reset(mask=again)
            self._begin(again)
            rows, _ = self._others(rows, again.copy(), np.zeros(n, np.float32))
        return self._show(rows, rewards, terminated, truncated, final, noops, events)

    def take(self, actions: npt.NDArray[np.uint8]) -> Rows:
        """As :meth:`Games.take`."""
        return self.step(actions)

    def step_one(self, action: int) -> Row:
        """As :meth:`Games.step_one`."""
        rows = self.step([action])
        return one_row(rows, rows.noops is not None and bool(rows.noops[0]))

    @property
    def stale(self) -> bool:
        """Whether an exception has come in the middle of a step, from an opponent, too."""
        return self.games.stale or self._midway

    def _learners(self, rows: Rows) -> npt.NDArray[np.int16]:
        """Returns what the learner sees; ``rows`` are how the games stand now."""
        if (rows.seats == self._seats).all():
            return rows.observations
        learners: npt.NDArray[np.int16] = self.games.views().observations[np.arange(self.num_envs), self._seats]
        return learners

    def views(self) -> Views:
        """As :meth:`Games.views`."""
        return self.games.views()

    def _show(
        self, rows: Rows, rewards: Any, terminated: Any, truncated: Any,
        final: Any = None, noops: Any = None, events: Events | None = None,
    ) -> Rows:  # fmt: skip
        mask = rows.action_mask
        mask[self._over] = 0
        mask[self._pending & ~self._over] = 0, 1
        self._mask = mask.copy()
        if noops is not None and not noops.any():
            noops = None
        self._shown = Rows(
            self._learners(rows), mask, rewards, terminated, truncated, self._seats.copy(), final, noops,
            None, events,
        )  # fmt: skip
        return self._shown

    # Copies.

    _ARRAYS = ("_steps", "_over", "_pending", "_earned", "_drawn")

    def state(self) -> bytes:
        """As :meth:`Games.state`; what the opponents keep to themselves is not in it."""
        kept: dict[str, Any] = {name: getattr(self, name).tobytes() for name in self._ARRAYS}
        kept["rng"] = repr(self._rng.bit_generator.state)
        kept["games"] = self.games.state()
        return cast(bytes, msgpack.packb(kept))

    def restore(self, states: bytes) -> Rows:
        """As :meth:`Games.restore`. Where an exception has come in the middle of a step, in which
        the learner has acted, the others act before it is the learner's turn again."""
        import ast

        try:
            kept: Mapping[str, Any] = msgpack.unpackb(states)
            arrays = {}
            for name in self._ARRAYS:
                like = getattr(self, name)
                arrays[name] = np.frombuffer(kept[name], like.dtype).reshape(like.shape).copy()
            generator = ast.literal_eval(kept["rng"])
            games = kept["games"]
        except (ValueError, KeyError, TypeError, SyntaxError) as error:
            raise BadState(f"states are not of such an environment: {error}") from error
        rows = self.games.restore(games)
        for name, array in arrays.items():
            setattr(self, name, array)
        self._rng.bit_generator.state = generator
        n = self.num_envs
        self._over |= ~rows.action_mask.any(1) & ~self._pending
        rows, ended = self._others(rows, ~self._over & ~self._pending, np.zeros(n, np.float32))
        self._over |= ended & ~self._pending
        zeros = np.zeros(n, np.bool_)
        return self._show(rows, np.zeros(n, np.float32), zeros, zeros.copy())

    def close(self) -> None:
        """Lets the server forget the games, and ends the processes of opponents by name."""
        for policy in self._policies.values():
            policy.close()
        self.games.close()


def _session_of(client: Any) -> dict[str, Any]:
    settings: dict[str, Any] = client.settings
    return settings
