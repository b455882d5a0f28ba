"""A session with one process of ``pigpen serve``: requests, replies, and how they end.

There is one request on its way at a time, and the server writes no reply before it
has read the request whole; so the two pipes cannot block each other, whatever their
size. stderr goes to a file without a name, which never fills a pipe.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import struct
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from time import perf_counter
from types import TracebackType
from typing import Any, Literal, NoReturn, cast

import msgpack  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from .errors import BadArgument, CommandFailed, ServerEnded, ServerError, TimedOut, WrongProtocol
from .game import Game, find_binary
from .process import GRACE, Watch, end_process, start_process

try:
    from typing import Self
except ImportError:  # before Python 3.11
    from typing_extensions import Self

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

Format = Literal["msgpack", "jsonl"]

PROTOCOL = (1, 3)
"""The protocol that this package speaks: its major version, and the least minor one."""

START_TIMEOUT = 10.0
"""Seconds that a process has by default until it answers for the first time."""

_TAIL = 4096  # bytes of stderr that an exception shows
_SMALL = 1 << 13  # replies up to here are read whole and unpacked in C
_MOMENT = 300e-6  # seconds to look for a reply before waiting for it: as long as thousands of games take
_MAX_SKIPS = 63  # waits in a row without looking
_PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_yield_processor = getattr(os, "sched_yield", lambda: None)
_PIPE = 1 << 16  # bytes that an empty pipe takes at once
_F_SETPIPE_SZ = 1031  # of Linux' fcntl; its name came to Python in 3.10
_MAX_PIPE = 1 << 20  # Linux' limit for those who are not root
_MAX_HELLO = 1 << 20  # bytes of the first reply
_MAX_REPLY = 1 << 30  # bytes of any other
_NO_ENV = 1 << 62  # no environment's number


def _check_seconds(name: str, seconds: float | None) -> None:
    if seconds is not None and not seconds > 0:
        raise BadArgument(f"{name} {seconds}; it is a number of seconds above 0, or None for no limit")


class Session:
    """A process of ``pigpen serve`` and the session with it: requests and their replies.

    Its arguments are those of :class:`~pigpen.client.Client`.
    """

    hello: Mapping[str, Any]
    """What the server says of itself; see the protocol's ``hello``."""

    def __init__(
        self,
        policy: str | os.PathLike[str] | None = None,
        game: Game | None = None,
        *,
        binary: str | os.PathLike[str] | None = None,
        format: Format = "msgpack",
        timeout: float | None = None,
        start_timeout: float | None = START_TIMEOUT,
        flags: Sequence[str] = (),
    ) -> None:
        if format not in ("msgpack", "jsonl"):
            raise BadArgument(f"format {format!r}; it is 'msgpack' or 'jsonl'")
        _check_seconds("timeout", timeout)
        _check_seconds("start_timeout", start_timeout)
        command = [find_binary(binary), "serve", f"--format={format}", *flags]
        if game is not None:
            command += game.flags()
        if policy is not None:
            command += ["--", os.fspath(policy)]
        self.format: Format = format
        self.sharers = 0  # environments that share the process; see lease
        self.settings: dict[str, Any] = {
            "binary": binary, "format": format, "timeout": timeout, "start_timeout": start_timeout,
        }  # fmt: skip
        self._lock = threading.RLock()
        self._buffer = bytearray(1 << 16)
        self._dropped: list[int] = []  # games that have become garbage unclosed
        self._ended: ServerEnded | None = None
        self._said = ""  # the end of stderr, kept when the process has ended
        self._lost = False  # an exception has left an unknown part of a reply unread
        self._torn = False  # and an unknown part of a request unwritten
        stderr = tempfile.TemporaryFile()
        self._process = start_process(command, stdin=subprocess.PIPE, stderr=stderr)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stderr = stderr
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._stdout = self._process.stdout
        self._poll: Any = None
        self._watch: Watch | None = None
        if hasattr(select, "poll"):
            self._poll = select.poll()
            self._poll.register(self._out, select.POLLIN)
        else:
            self._watch = Watch(self._process)
        self._skips = self._skipped = 0  # waits to do without looking, and those since it looked
        self._finalizer = weakref.finalize(self, end_process, self._process, stderr, self._watch, os.getpid())
        _sessions.add(self)
        try:
            self._most, self._limit = _MAX_HELLO, start_timeout
            self._until = None if start_timeout is None else perf_counter() + start_timeout
            self.hello = self.request("hello")
            self._most, self._limit, self._until = _MAX_REPLY, timeout, None
            self._check_protocol(command[0])
        except TimedOut:
            self.close()
            raise TimedOut(
                f"{command[0]} has not begun to serve within {start_timeout} s, and was ended; start_timeout sets the limit",
                self._said,
            ) from None
        except ServerEnded as ended:
            self.close()
            if ended.returncode in (1, 2) and ended.stderr.startswith("pigpen: "):
                raise CommandFailed(ended.stderr.strip(), ended.returncode) from None
            raise
        except BaseException:
            self.close()
            raise

    def _check_protocol(self, program: str) -> None:
        told = str(self.hello.get("protocol"))
        major, minor = PROTOCOL
        try:
            spoken = tuple(int(part) for part in told.split("."))[:2]
        except ValueError:
            spoken = ()
        if len(spoken) == 2 and spoken[0] == major and spoken[1] >= minor:
            return
        what = "old" if spoken < PROTOCOL else "new"
        raise WrongProtocol(
            f"{program} is too {what}: it speaks version {told} of the protocol, and this package "
            f"version {major}.{minor} and later ones of {major}"
        )

    @property
    def pid(self) -> int:
        """The process' id."""
        return self._process.pid

    @property
    def timeout(self) -> float | None:
        """The seconds to wait for a reply, None for no limit; it can be changed between
        requests."""
        timeout: float | None = self.settings["timeout"]
        return timeout

    @timeout.setter
    def timeout(self, seconds: float | None) -> None:
        _check_seconds("timeout", seconds)
        self.settings["timeout"] = self._limit = seconds

    @property
    def closed(self) -> bool:
        """Whether the session has ended."""
        return self._ended is not None or not self._finalizer.alive

    def request(self, op: str, **fields: Any) -> dict[str, Any]:
        """Sends a request and returns the reply.

        Arrays are sent as the framing wants them. Raises the class of
        :mod:`pigpen.errors` that stands for the reply's error code.
        """
        return self.exchange((self.frame({"op": op, **fields}),))

    def frame(self, request: Mapping[str, Any]) -> bytes:
        """Returns a request as bytes, as the framing has it."""
        if self.format == "msgpack":
            return cast(bytes, msgpack.packb(request, default=_pack))
        return json.dumps(request, default=_listed, separators=(",", ":")).encode() + b"\n"

    def exchange(self, frames: Sequence[Any], expect: int = 0) -> dict[str, Any]:
        """Writes the buffers of one request and returns the reply.

        ``expect`` is about the length of the reply in bytes. Above some thousand,
        ``bin`` values of a msgpack reply come as fresh uint8 arrays, else as bytes.
        """
        with self._lock:
            if self._ended is None and not self._finalizer.alive:  # its pipes are closed
                self._ended = ServerEnded("the session with pigpen has ended with Python")
            if self._ended is not None:
                raise self._ended.with_traceback(None)
            watch = self._watch
            if watch is not None and self._limit is not None:
                watch.begin(self._limit)
            try:
                if self._lost:
                    self._skip_lost()
                self._lost = True
                self._write(frames)
                if self.format == "jsonl":
                    reply = self._read_line()
                elif expect > _SMALL:
                    reply = self._read_columns(expect)
                else:
                    reply = self._read_value()
                if not isinstance(reply, dict):
                    raise ValueError("a reply is not a map")
                self._lost = False
            except (BrokenPipeError, EOFError):
                if watch is not None and watch.expired:
                    self._late()
                self._died()
            except TimedOut:
                self._late()
            except ValueError as error:
                self._stop("was ended, since what it answers is not the protocol's", kill=True)
                raise ServerEnded(f"what pigpen answers is not the protocol's: {error}", self._said) from error
            except BaseException:
                if self._torn:
                    self._stop("was ended in the middle of a request", kill=True)
                raise
            finally:
                if watch is not None:
                    watch.end()
        if reply.get("ok") is not True:
            what = reply.get("error") or {}
            raise ServerError.of(str(what.get("code")), str(what.get("message")), self.stderr_tail())
        return reply

    def variant(self, name: str) -> Mapping[str, Any]:
        """Returns what ``hello`` says of a variant, by its id."""
        return next(v for v in self.hello["variants"] if v["variant"] == name)

    def stderr_tail(self) -> str:
        """Returns the end of what the process has written to its stderr."""
        try:
            size = os.fstat(self._stderr.fileno()).st_size
            self._stderr.seek(max(0, size - _TAIL))
            return self._stderr.read().decode(errors="replace")
        except (OSError, ValueError):
            return ""

    def close(self) -> None:
        """Ends the process. Closing twice is as good as once. A thread that waits for a
        reply gets :class:`ServerEnded`."""
        mine = self._lock.acquire(blocking=False)
        if not mine:
            with contextlib.suppress(OSError):
                self._process.kill()
            mine = self._lock.acquire(timeout=GRACE)
        try:
            self._stop("is closed")
        finally:
            if mine:
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> NoReturn:
        raise TypeError("a Client is a process, and cannot be copied; environments and policies can, with one of their own")

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"pid {self.pid}"
        return f"{type(self).__name__}({state}, {self.format})"

    # Ends.

    def _late(self) -> NoReturn:
        self._stop(f"was ended, since it took longer than {self._limit} s", kill=True)
        raise TimedOut(f"pigpen has not answered for {self._limit} s, and was ended", self._said)

    def _stop(self, how: str, kill: bool = False) -> None:
        if self._ended is None:
            self._said = self.stderr_tail()
            self._ended = ServerEnded(f"the session with pigpen {how}", self._said if kill else "")
            if kill and self._process.returncode is None:
                self._process.kill()
        self._finalizer()

    def _died(self) -> NoReturn:
        process = self._process
        try:
            code = process.wait(GRACE)
        except subprocess.TimeoutExpired:  # it has closed its end and lives on
            process.kill()
            code = process.wait()
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        self._ended = ServerEnded(f"pigpen has ended with {how}", self.stderr_tail(), code)
        self._finalizer()
        raise self._ended

    def _forked(self) -> None:
        """Lets go of the pipes in a forked child, so that only the parent holds them."""
        self._lock = threading.RLock()
        self._ended = ServerEnded("the session with pigpen belongs to the process that was forked")
        self._finalizer.detach()
        self._process.returncode = 0  # it is no child of this process
        for file in (self._process.stdin, self._process.stdout, self._stderr):
            if file is not None:
                file.close()

    # Bytes.

    def widen(self, size: int) -> None:
        """Makes the pipes hold ``size`` bytes where the system allows it."""
        if fcntl is None or size <= 1 << 16:
            return
        size = min(_MAX_PIPE, 1 << (size - 1).bit_length())
        for pipe in (self._in, self._out):
            try:
                fcntl.fcntl(pipe, _F_SETPIPE_SZ, size)
            except OSError:  # another system, or the user's pages are used up
                return

    def _write(self, frames: Sequence[Any]) -> None:
        data = frames[0] if len(frames) == 1 else b"".join(frames)
        if len(data) <= _PIPE:  # which an empty pipe takes whole, or not at all
            os.write(self._in, data)
            return
        self._torn = True
        if self._limit is not None and self._poll is not None:
            self._write_in_time(data, self._limit)
        else:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._in, rest) :]
        self._torn = False

    def _write_in_time(self, data: bytes, timeout: float) -> None:
        room = select.poll()
        room.register(self._in, select.POLLOUT)
        rest = memoryview(data)
        os.set_blocking(self._in, False)
        try:
            while rest:
                if not room.poll(timeout * 1000):
                    raise TimedOut("")
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(self._in, rest) :]
        finally:
            os.set_blocking(self._in, True)

    def _skip_lost(self) -> None:
        """Reads on to the reply of a request of its own, which a random id marks.

        How much of the last reply has been read is not known, since an exception may
        have come between the reading and the counting.
        """
        marker = os.urandom(8).hex()
        self._write((self.frame({"op": "close", "env": _NO_ENV, "id": marker}),))
        sign = marker.encode()
        data = b""
        while sign not in data:
            data = data[-len(sign) :] + self._read(1 << 20)
        data = data[data.index(sign) + len(sign) :]
        if self.format == "jsonl":
            while not data.endswith(b"\n"):
                data += self._read(1 << 16)
            return
        # What is left of a map of three: "ok": false, "error": {…}.
        unpacker = msgpack.Unpacker()
        values = 0
        unpacker.feed(data)
        while True:
            try:
                while values < 4:
                    unpacker.unpack()
                    values += 1
                return
            except msgpack.OutOfData:
                unpacker.feed(self._read(1 << 16))

    def _wait(self) -> None:
        """Waits for a reply, or for more of it, as long as the timeout allows.

        It looks for a moment first: the server answers for one game within
        microseconds, and a processor that idles until then may take longer to wake
        up than all the rest. Where looking is in vain, more and more waits do without.
        """
        if self._poll is None:
            return
        poll = self._poll.poll
        if self._skipped < self._skips:
            self._skipped += 1
        elif _PROCESSORS > 1:
            end = perf_counter() + _MOMENT
            self._skipped = 0
            while not poll(0):
                _yield_processor()  # to the server, if it waits for this one
                if perf_counter() > end:
                    self._skips = min(2 * self._skips + 1, _MAX_SKIPS)
                    break
            else:
                self._skips = 0
                return
        limit = self._limit
        if limit is None:
            return
        if self._until is not None:
            limit = max(0.0, self._until - perf_counter())
        if not poll(limit * 1000):
            raise TimedOut("")

    def _read(self, size: int) -> bytes:
        self._wait()
        data = os.read(self._out, size)
        if not data:
            raise EOFError
        return data

    def _read_line(self) -> Any:
        data = self._read(1 << 16)
        if data[-1] != 10:
            parts, size = [data], len(data)
            while parts[-1][-1] != 10:
                parts.append(self._read(1 << 20))
                size += len(parts[-1])
                self._check_size(size)
            data = b"".join(parts)
        return json.loads(data)

    def _read_value(self, data: bytes = b"") -> Any:
        data = data or self._read(1 << 16)
        try:
            return msgpack.unpackb(data)
        except ValueError:  # not all of it has come
            pass
        unpacker = msgpack.Unpacker(max_buffer_size=0)
        size = 0
        while True:
            size += len(data)
            self._check_size(size)
            unpacker.feed(data)
            for reply in unpacker:
                return reply
            data = self._read(1 << 20)

    def _check_size(self, size: int) -> None:
        if size > self._most:
            raise ValueError(f"a reply is longer than {self._most} bytes")

    def _read_columns(self, expect: int) -> Any:
        """Reads a map of strings to plain values, most of its bytes in ``bin`` values.

        This goes through the map by hand, since the bytes of a column are then
        copied once. Values that it does not know leave the reply to msgpack.
        """
        buffer = self._buffer
        if len(buffer) < expect:
            buffer = self._buffer = bytearray(expect + expect // 4)
        end = self._fill(0, 1)
        head = buffer[0]
        if not 0x80 <= head <= 0x8F:
            return self._read_value(bytes(buffer[:end]))
        reply: dict[str, Any] = {}
        at = 1
        for _ in range(head & 0x0F):
            if end < at + 1:
                end = self._fill(end, at + 1)
            head = buffer[at]
            if not 0xA0 <= head <= 0xBF:
                return self._read_value(bytes(buffer[:end]))
            start, at = at + 1, at + 1 + (head & 0x1F)
            if end < at + 1:
                end = self._fill(end, at + 1)
            name = buffer[start:at].decode()
            head = buffer[at]
            at += 1
            if 0xC4 <= head <= 0xC6:  # bin 8, 16, 32
                start = at + (1 << (head - 0xC4))
                if end < start:
                    end = self._fill(end, start)
                size = int.from_bytes(buffer[at:start], "big")
                at = start + size
                if end < at:
                    end = self._fill(end, at)
                    buffer = self._buffer
                reply[name] = np.frombuffer(buffer, np.uint8, size, start).copy()
            elif head <= 0x7F:
                reply[name] = head
            elif head == 0xC0:
                reply[name] = None
            elif head == 0xC3 or head == 0xC2:
                reply[name] = head == 0xC3
            else:
                return self._read_value(bytes(buffer[:end]))
        if at != end:
            raise ValueError("pigpen has answered more than was asked")
        return reply

    def _fill(self, end: int, need: int) -> int:
        """Reads until ``need`` bytes of the reply are in the buffer; returns how many are."""
        if len(self._buffer) < need:
            self._check_size(need)
            self._buffer += bytes(need)
        with memoryview(self._buffer) as view:
            while end < need:
                self._wait()
                read = self._stdout.readinto(view[end:])  # type: ignore[attr-defined]
                if not read:
                    raise EOFError
                end += read
        return end


_sessions: weakref.WeakSet[Session] = weakref.WeakSet()


def _after_fork() -> None:
    for session in list(_sessions):
        session._forked()
    _sessions.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _pack(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return _plain(value)


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} has no place in a request")


def column(reply: Mapping[str, Any], name: str, dtype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Returns a column of a reply as a fresh array of little-endian ``dtype``.

    It works for either framing: raw bytes, or lists in which None is NaN.
    """
    value = reply[name]
    if isinstance(value, np.ndarray):
        return value.view(dtype).reshape(shape)
    if isinstance(value, bytes):
        return np.frombuffer(value, dtype).reshape(shape).copy()
    return np.array(value, dtype).reshape(shape)


def integers(values: npt.ArrayLike, dtype: type[np.integer[Any]], what: str) -> npt.NDArray[Any]:
    """Returns ``values`` as a contiguous array of ``dtype``; ValueError where one does not fit."""
    given = np.asarray(values)
    if given.dtype == np.bool_:
        given = np.ascontiguousarray(given).view(np.uint8).astype(dtype, copy=False)
    elif given.dtype != dtype:
        if given.size and given.dtype.kind not in "iu":
            raise BadArgument(f"{what} are of dtype {given.dtype}, not integers")
        cast = given.astype(dtype)
        if (cast != given).any():
            raise BadArgument(f"{what} do not fit {np.dtype(dtype)}")
        given = cast
    return np.ascontiguousarray(given)
