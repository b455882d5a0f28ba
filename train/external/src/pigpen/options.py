"""The arguments that the environments share, their defaults, and how observations are shown.

Each environment takes ``variant`` and ``players`` by position and the rest by name.
:class:`GameOptions` are the arguments of all, :class:`SeatOptions` those of the
environments in which the learner has one seat, :class:`SelfPlayOptions` and
:class:`VectorOptions` those of the vector environments.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypedDict

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from .client import START_TIMEOUT, Client, Format
from .errors import BadArgument
from .game import Game

Actor = Callable[[npt.NDArray[np.int16], npt.NDArray[np.int8]], npt.ArrayLike]
"""A player in Python: takes observations, int16 of shape (M, columns), as the seat to
move sees them, and action masks, int8 of shape (M, 2); returns M actions."""

Opponent = str | os.PathLike[str] | Actor
Illegal = Literal["roll", "noop", "error"] | float
Seat = int | Literal["random", "rotate"]
Array = npt.NDArray[Any]


class GameOptions(TypedDict, total=False):
    """The arguments of all environments.

    * ``target``: the score to reach; None is the variant's own, mostly 100.
    * ``options``: of the variant, by name.
    * ``first``: who begins: "seat0", the default, or "random".
    * ``illegal``: what becomes of a hold at the beginning of a turn, where rolling is
      the only legal action. "roll", the default, rolls, so that the game always goes
      on. A number, such as -0.1, rolls and is added to the reward. "noop" leaves the
      game as it is, so that a learner may stall for ever; "error" raises
      :class:`~pigpen.errors.IllegalAction` and changes nothing.
    * ``step_limit``: truncates an episode after so many steps; 0 never.
    * ``dtype``: of observations, "float32" by default. Networks take it as it is, it
      holds every value exactly, and Gymnasium's RescaleObservation works on it; "int16"
      is the protocol's own, and stops RLlib's and torchrl's networks.
    * ``normalize``: observations are float32 in [0, 1]: each column less its least
      value, over its range.
    * ``mask``: "info" has the action mask in the info alone; "observation" makes the
      observation a dict of "observations" and "action_mask" besides.
    * ``render_mode``: "ansi", "rgb_array", "human", which prints each step, or None.
    * ``client``: a session to make the games in; else up to 64 environments that are
      not vector environments share a process, and each of the others has its own.
    * ``binary``, ``format``, ``timeout``, ``start_timeout``: see
      :class:`~pigpen.client.Client`.
    """

    target: int | None
    options: Mapping[str, bool] | None
    first: Literal["seat0", "random"]
    illegal: Illegal
    step_limit: int
    dtype: Literal["float32", "int16"]
    normalize: bool
    mask: Literal["info", "observation"]
    render_mode: str | None
    client: Client | None
    binary: str | os.PathLike[str] | None
    format: Format
    timeout: float | None
    start_timeout: float | None


class SeatOptions(GameOptions, total=False):
    """The arguments where one seat is the learner's.

    * ``opponents``: who has the other seats, one for all or one for each in turn order
      from the seat after the learner's: names or files of policies, or functions, see
      :data:`Actor`, or :class:`~pigpen.opponents.Pool`. The default is "hold-20".
    * ``seat``: the learner's, in [0, players); seat 0, the default, moves first.
      "random" draws who moves first anew in every episode. "rotate", for vector
      environments, gives game i the seat i mod players.
    """

    opponents: Opponent | Sequence[Opponent]
    seat: Seat


class SelfPlayOptions(GameOptions, total=False):
    """The arguments of vector environments, but for those of :class:`SeatOptions`.

    * ``autoreset_mode``: AutoresetMode or its value, NEXT_STEP by default.
    * ``max_episode_steps``: Gymnasium's name of ``step_limit``; of the two the lesser
      holds, and -1 is no limit.
    """

    autoreset_mode: str | AutoresetMode
    max_episode_steps: int | None


class VectorOptions(SelfPlayOptions, SeatOptions, total=False):
    """All arguments of vector environments in which one seat is the learner's."""


@dataclass
class Settings:
    """An environment's arguments with their defaults; the TypedDicts above describe them.

    Raises :class:`~pigpen.errors.BadArgument` for what no game could allow.
    """

    variant: str = "pig"
    players: int = 2
    target: int | None = None
    options: Mapping[str, bool] | None = None
    opponents: Any = "hold-20"
    seat: Seat = 0
    first: str = "seat0"
    illegal: Illegal = "roll"
    step_limit: int = 0
    dtype: str = "float32"
    normalize: bool = False
    mask: str = "info"
    autoreset_mode: Any = AutoresetMode.NEXT_STEP
    max_episode_steps: int | None = None
    render_mode: str | None = None
    client: Client | None = field(default=None, repr=False)
    binary: str | os.PathLike[str] | None = None
    format: Format = "msgpack"
    timeout: float | None = None
    start_timeout: float | None = START_TIMEOUT

    def __post_init__(self) -> None:
        self.autoreset_mode = AutoresetMode(self.autoreset_mode)
        if self.max_episode_steps is not None and self.max_episode_steps > 0:
            self.step_limit = min(self.step_limit or self.max_episode_steps, self.max_episode_steps)
        self.max_episode_steps = None
        if isinstance(self.illegal, str):
            if self.illegal not in ("roll", "noop", "error"):
                raise BadArgument(f"illegal {self.illegal!r}; it is 'roll', 'noop', 'error' or a penalty such as -0.1")
        elif isinstance(self.illegal, bool) or not (math.isfinite(self.illegal) and self.illegal <= 0):
            raise BadArgument(f"illegal {self.illegal!r}; a penalty is a number that is 0 or less")
        for name, value, choices in (
            ("dtype", self.dtype, ("float32", "int16")),
            ("mask", self.mask, ("info", "observation")),
            ("first", self.first, ("seat0", "random")),
            ("render_mode", self.render_mode, (None, *RENDER_MODES)),
        ):
            if value not in choices:
                raise BadArgument(f"{name} {value!r}; it is one of {', '.join(repr(c) for c in choices)}")
        if self.normalize and self.dtype != "float32":
            raise BadArgument("normalize=True makes observations float32; leave dtype away")
        if self.seat == "random":
            # Who begins is drawn; the seats are alike but for the distance to that one.
            self.seat, self.first = 0, "random"

    @property
    def game(self) -> Game:
        """The game as requests name it."""
        return Game(self.variant, self.players, self.target, self.options or {})

    @property
    def session(self) -> dict[str, Any]:
        """The arguments of a session of its own."""
        return {name: getattr(self, name) for name in ("binary", "format", "timeout", "start_timeout")}

    def apart(self) -> Settings:
        """Returns settings of a copy, which has a session of its own."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.client is not None:
            given.update(self.client.settings)
        return Settings(**{**given, "client": None})


RENDER_MODES = ["ansi", "rgb_array", "human"]


class Encoder:
    """Turns a game's observations, int16, into what an agent sees; see :class:`GameOptions`."""

    def __init__(self, columns: Sequence[Mapping[str, Any]], settings: Settings) -> None:
        low = np.array([c["min"] for c in columns], np.int16)
        high = np.array([c["max"] for c in columns], np.int16)
        self._raw = settings.dtype == "int16"
        self._low: npt.NDArray[np.int16] | None = None
        self._span: npt.NDArray[np.float32] | None = None
        if settings.normalize:
            self._low = low if low.any() else None
            self._span = np.maximum(1, high - low).astype(np.float32)
            low, high = np.zeros_like(low), np.ones_like(high)
        dtype: Any = np.int16 if self._raw else np.float32
        self.space = gymnasium.spaces.Box(low.astype(dtype), high.astype(dtype), dtype=dtype)

    def __call__(self, observations: npt.NDArray[np.int16]) -> Array:
        """Returns a fresh array of the same shape."""
        if self._span is not None:
            if self._low is not None:
                observations = observations - self._low
            return np.divide(observations, self._span, dtype=np.float32)
        return observations.copy() if self._raw else observations.astype(np.float32)


MASK_SPACE = (0, 1, (2,), np.int8)
"""The arguments of the Box of action masks."""


def with_mask(space: gymnasium.spaces.Box, key: str = "observations") -> gymnasium.spaces.Dict:
    """Returns the space of observations that have the action mask beside them."""
    return gymnasium.spaces.Dict({key: space, "action_mask": gymnasium.spaces.Box(*MASK_SPACE)})
