"""Every way in which the package can fail, as an exception class below :class:`PigpenError`.

Each error code of the protocol has a class of its own below :class:`ServerError`;
the session goes on after those. A process that has ended raises
:class:`ServerEnded`, and so does everything that is asked of it later.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import ClassVar

from gymnasium.error import ResetNeeded


class PigpenError(Exception):
    """The root of the package's exceptions.

    ``stderr`` is the end of what the process wrote to its stderr, or "".
    """

    def __init__(self, message: str, stderr: str = "") -> None:
        super().__init__(message, stderr)
        self.message = message
        self.stderr = stderr

    def __str__(self) -> str:
        if self.stderr.strip():
            return f"{self.message}\nits stderr ends with:\n{self.stderr.rstrip()}"
        return self.message


class BinaryNotFound(PigpenError, FileNotFoundError):
    """There is no ``pigpen`` to start."""


class MissingPackage(PigpenError, ModuleNotFoundError):
    """A package that comes with an extra is not installed."""


@contextlib.contextmanager
def packages_of(extra: str) -> Iterator[None]:
    """Around imports of packages that come with an extra: raises :class:`MissingPackage`
    for one that is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise MissingPackage(f"the package {missing.name} is missing; install it, or pigpen with its extra, as pigpen[{extra}]") from missing


class CannotStart(PigpenError, OSError):
    """The system cannot start the program: it is not for this machine, may not be
    executed, or there are too many open files or processes."""


class BadArgument(PigpenError, ValueError):
    """An argument is out of range, or of the wrong shape or type."""


class EpisodeOver(PigpenError, ResetNeeded):
    """A step in a game that has ended; reset it first."""


class ServerEnded(PigpenError):
    """The process has ended, was closed, or does not speak the protocol.

    ``returncode`` is its exit status, negative for a signal, None where it is
    not known.
    """

    def __init__(self, message: str, stderr: str = "", returncode: int | None = None) -> None:
        super().__init__(message, stderr)
        self.returncode = returncode


class WrongProtocol(ServerEnded):
    """The program speaks a version of the protocol that is too old or too new."""


class TimedOut(ServerEnded, TimeoutError):
    """The process took longer than a timeout allows, and was ended."""


class CommandFailed(PigpenError):
    """A command such as ``pigpen eval`` has failed, or ``pigpen serve`` to begin; the
    message is its own. ``returncode`` is 2 where what was asked for cannot be."""

    def __init__(self, message: str, returncode: int) -> None:
        super().__init__(message)
        self.returncode = returncode


class ServerError(PigpenError):
    """The server has refused a request, which has changed nothing.

    ``code`` is the protocol's; each has a subclass, and this class itself is
    raised for codes that this version of the package does not know.
    """

    code: str = ""
    _classes: ClassVar[dict[str, type[ServerError]]] = {}

    def __init_subclass__(cls) -> None:
        ServerError._classes[cls.code] = cls

    @classmethod
    def of(cls, code: str, message: str, stderr: str = "") -> ServerError:
        """Returns the exception for an error code."""
        error = cls._classes.get(code, ServerError)(message, stderr)
        error.code = code
        return error


class BadFrame(ServerError):
    """The server could not read a frame."""

    code = "bad_frame"


class FrameTooLarge(ServerError):
    """A request is longer than the server's ``--max-frame``."""

    code = "frame_too_large"


class BadRequest(ServerError, ValueError):
    """A field is missing, unknown, or of the wrong type or length."""

    code = "bad_request"


class UnknownOp(ServerError):
    """The server does not know the operation."""

    code = "unknown_op"


class BadState(ServerError, ValueError):
    """An observation or a snapshot that cannot be one of the game."""

    code = "bad_state"


class IllegalAction(ServerError, ValueError):
    """An action that the rules do not allow; the message names the game."""

    code = "illegal_action"


class BadGame(ServerError, ValueError):
    """There is no such game."""

    code = "bad_game"


class BadPolicy(ServerError, ValueError):
    """There is no such policy, or it is not one for this game."""

    code = "bad_policy"


class UnknownEnv(ServerError):
    """The environment was never made, or is closed."""

    code = "unknown_env"


class LimitReached(ServerError):
    """More environments or games than the server holds."""

    code = "limit"


class NoPolicy(ServerError):
    """The session serves no policy."""

    code = "no_policy"


class NoEpisode(ServerError):
    """A step before the first reset."""

    code = "no_episode"
