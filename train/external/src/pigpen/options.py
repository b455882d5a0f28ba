"""The arguments that the environments share, their defaults, and how observations are shown.

Each environment takes ``variant`` and ``players`` by position and the rest by name. An
argument, its type and its default are declared once, below; :class:`Settings` reads them.
:class:`GameOptions` are the arguments of all, :class:`SeatOptions` those of the
environments in which the learner has one seat, :class:`SelfPlayOptions` and
:class:`VectorOptions` those of the vector environments.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, get_args, get_origin, get_type_hints

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from .client import Client
from .errors import BadArgument
from .game import Game
from .session import START_TIMEOUT, Format

Actor = Callable[[npt.NDArray[np.int16], npt.NDArray[np.int8]], npt.ArrayLike]
"""A player in Python: takes observations, int16 of shape (M, columns), as the seat to
move sees them, and action masks, int8 of shape (M, 2); returns M actions."""

Opponent = str | os.PathLike[str] | Actor
Illegal = Literal["roll", "noop", "error"] | float
Seat = int | Literal["random", "rotate"]
RenderMode = Literal["ansi", "rgb_array", "human"]
RENDER_MODES = list(get_args(RenderMode))
Array = npt.NDArray[Any]


class Default:
    """What an argument is where it is not given."""

    def __init__(self, value: Any) -> None:
        self.value = value


class GameOptions(TypedDict, total=False):
    """The arguments of all environments.

    * ``target``: the score to reach; None is the variant's own, mostly 100.
    * ``options``: of the variant, by name.
    * ``first``: who begins: "seat0", the default, or "random".
    * ``illegal``: what becomes of a hold where, as at the beginning of a turn, rolling is
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

    target: Annotated[int | None, Default(None)]
    options: Annotated[Mapping[str, bool] | None, Default(None)]
    first: Annotated[Literal["seat0", "random"], Default("seat0")]
    illegal: Annotated[Illegal, Default("roll")]
    step_limit: Annotated[int, Default(0)]
    dtype: Annotated[Literal["float32", "int16"], Default("float32")]
    normalize: Annotated[bool, Default(False)]
    mask: Annotated[Literal["info", "observation"], Default("info")]
    render_mode: Annotated[RenderMode | None, Default(None)]
    client: Annotated[Client | None, Default(None)]
    binary: Annotated[str | os.PathLike[str] | None, Default(None)]
    format: Annotated[Format, Default("msgpack")]
    timeout: Annotated[float | None, Default(None)]
    start_timeout: Annotated[float | None, Default(START_TIMEOUT)]


class SeatOptions(GameOptions, total=False):
    """The arguments where one seat is the learner's.

    * ``opponents``: who has the other seats, one for all or one for each in turn order
      from the seat after the learner's: names or files of policies, or functions, see
      :data:`Actor`, or :class:`~pigpen.opponents.Pool`. The default is "hold-20".
    * ``seat``: the learner's, in [0, players); seat 0, the default, moves first.
      "random" draws who moves first anew in every episode. "rotate", for vector
      environments, gives game i the seat i mod players.
    """

    opponents: Annotated[Opponent | Sequence[Opponent], Default("hold-20")]
    seat: Annotated[Seat, Default(0)]


class SelfPlayOptions(GameOptions, total=False):
    """The arguments of vector environments, but for those of :class:`SeatOptions`.

    * ``autoreset_mode``: AutoresetMode or its value, NEXT_STEP by default.
    * ``max_episode_steps``: Gymnasium's name of ``step_limit``; of the two the lesser
      holds, and -1 is no limit.
    """

    autoreset_mode: Annotated[str | AutoresetMode, Default(AutoresetMode.NEXT_STEP)]
    max_episode_steps: Annotated[int | None, Default(None)]


class VectorOptions(SelfPlayOptions, SeatOptions, total=False):
    """All arguments of vector environments in which one seat is the learner's."""


_HINTS = get_type_hints(VectorOptions, include_extras=True)
_DEFAULTS: dict[str, Any] = {name: hint.__metadata__[0].value for name, hint in _HINTS.items()}


def _choices(hint: Any) -> tuple[Any, ...]:
    """Returns the values that a type of Literals allows, perhaps with None; () for other types."""
    if get_origin(hint) is Annotated:
        return _choices(get_args(hint)[0])
    if get_origin(hint) is Literal:
        return get_args(hint)
    members = get_args(hint)
    if type(None) in members and any(get_origin(one) is Literal for one in members):
        return (None, *(value for one in members for value in _choices(one)))
    return ()


class Settings:
    """An environment's arguments as attributes, those that are not given with their defaults.

    Raises :class:`~pigpen.errors.BadArgument` for what no game could allow, and TypeError
    for an argument that :class:`VectorOptions` does not declare.
    """

    if TYPE_CHECKING:  # the attributes are those of VectorOptions

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def __init__(self, variant: str = "pig", players: int = 2, **options: Any) -> None:
        for name in options:
            if name not in _DEFAULTS:
                raise TypeError(f"unexpected argument {name!r}; there are {', '.join(_DEFAULTS)}")
        given = {**_DEFAULTS, **options}
        for name, hint in _HINTS.items():
            choices = _choices(hint)
            if choices and given[name] not in choices:
                raise BadArgument(f"{name} {given[name]!r}; it is one of {', '.join(map(repr, choices))}")
        illegal, most = given["illegal"], given["max_episode_steps"]
        if isinstance(illegal, str):
            if illegal not in ("roll", "noop", "error"):
                raise BadArgument(f"illegal {illegal!r}; it is 'roll', 'noop', 'error' or a penalty such as -0.1")
        elif isinstance(illegal, bool) or not (math.isfinite(illegal) and illegal <= 0):
            raise BadArgument(f"illegal {illegal!r}; a penalty is a number that is 0 or less")
        if given["normalize"] and given["dtype"] != "float32":
            raise BadArgument("normalize=True makes observations float32; leave dtype away")
        given["autoreset_mode"] = AutoresetMode(given["autoreset_mode"])
        if most is not None and most > 0:
            given["step_limit"] = min(given["step_limit"] or most, most)
        if given["seat"] == "random":
            # Who begins is drawn; the seats are alike but for the distance to that one.
            given["seat"], given["first"] = 0, "random"
        self.__dict__.update(given, variant=variant, players=players)

    @property
    def masked(self) -> bool:
        """Whether an observation is a dict with the action mask in it."""
        return bool(self.mask == "observation")

    @property
    def penalty(self) -> float:
        """What is added to the reward of an illegal action."""
        return 0.0 if isinstance(self.illegal, str) else float(self.illegal)

    @property
    def rolls(self) -> bool:
        """Whether an illegal hold rolls."""
        return self.illegal not in ("noop", "error")

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
        other = copy(self)
        if self.client is not None:
            other.__dict__.update(self.client.settings)
        other.client = None
        return other


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
