"""A session with one process of ``pigpen serve`` that plays games.

Everything else in the package stands on :class:`Client`.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

from . import notebook
from .game import Game, find_binary
from .games import Games
from .session import START_TIMEOUT, Format, Session

_MAX_SHARERS = 64  # environments in a shared process


class Client(Session):
    """A process of ``pigpen serve`` and the session with it.

    The process ends with :meth:`close`, at the end of a ``with`` block, when the
    client is collected as garbage, and when the interpreter exits, in whatever
    way. It is in a session of its own, so Ctrl-C reaches only Python. An exception in
    the middle of an exchange, as Ctrl-C raises one, leaves the session usable: the
    next request skips what is still to be read. A client may be used from several
    threads, and not in a forked child, where it raises :class:`ServerEnded`.

    Args:
        policy: a file or a name such as ``"optimal"`` to serve, or None: then only
            games can be made.
        game: the policy's game, where its file does not name one.
        binary: path of the program; see :func:`~pigpen.game.find_binary`.
        format: the framing, ``"msgpack"`` or, slower and readable, ``"jsonl"``.
        timeout: seconds to wait for a reply, or for more of it, or until the process has
            read more of a request; None is as long as the process lives. After that the
            process is ended and :class:`TimedOut` raised.
        start_timeout: the same for the first reply, all of it; perfect play of a large
            game may take longer to compute.
        flags: more flags of ``pigpen serve``.

    Raises :class:`CommandFailed` where there is no such policy, game or flag,
    :class:`CannotStart` where the program does not run here, and
    :class:`WrongProtocol` where it is too old or too new.
    """

    def make(self, game: Game | None = None, num_envs: int = 1, **fields: Any) -> Games:
        """Makes games; ``fields`` are those of the protocol's ``make``."""
        while self._dropped:
            self.request("close", env=self._dropped.pop())
        fields = {name: value for name, value in fields.items() if value is not None}
        made = self.request("make", num_envs=num_envs, **(game or Game()).fields(), **fields)
        return Games(self, made, extras=bool(fields.get("views") or fields.get("events")))

    def _repr_html_(self) -> str:
        """The program, its process and the policy that it serves, as notebooks show them."""
        return notebook.session(self)


_leases: weakref.WeakValueDictionary[tuple[Any, ...], Client] = weakref.WeakValueDictionary()
_leasing = threading.Lock()


def lease(
    *,
    binary: str | os.PathLike[str] | None = None,
    format: Format = "msgpack",
    timeout: float | None = None,
    start_timeout: float | None = START_TIMEOUT,
) -> Client:
    """Returns a client that up to 64 environments with these settings share.

    Each of them gives it up with :func:`release`, and the last ends the process.
    """
    key = (find_binary(binary), format, timeout, os.getpid())
    with _leasing:
        client = _leases.get(key)
        if client is None or client.closed or client.sharers >= _MAX_SHARERS:
            client = Client(binary=binary, format=format, timeout=timeout, start_timeout=start_timeout)
            _leases[key] = client
        client.sharers += 1
        return client


def release(client: Client) -> None:
    """Gives up a client that :func:`lease` has returned."""
    with _leasing:
        client.sharers -= 1
        last = client.sharers <= 0
    if last:
        client.close()
