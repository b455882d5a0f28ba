"""A session with one process of ``pigpen serve``.

:class:`Client` starts the process, sends requests and gives replies; :class:`Games`
are the games of one ``make``. Everything else in the package stands on these two.

There is one request on its way at a time, and the server writes no reply before it
has read the request whole; so the two pipes cannot block each other, whatever their
size. stderr goes to a file without a name, which never fills a pipe.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import os
import select
import struct
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from time import monotonic, perf_counter
from types import TracebackType
from typing import IO, Any, Literal, NamedTuple, NoReturn, cast

import msgpack  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from .errors import BadArgument, CannotStart, CommandFailed, ServerEnded, ServerError, TimedOut, WrongProtocol
from .game import Game, find_binary

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

Format = Literal["msgpack", "jsonl"]

PROTOCOL = (1, 2)
"""The protocol that this package speaks: its major version, and the least minor one."""

START_TIMEOUT = 10.0
"""Seconds that a process has by default until it answers for the first time."""

_TAIL = 4096  # bytes of stderr that an exception shows
_GRACE = 5.0  # seconds that a process has to end when its input has ended
_SMALL = 1 << 13  # replies up to here are read whole and unpacked in C
_MOMENT = 300e-6  # seconds to look for a reply before waiting for it: as long as thousands of games take
_MAX_SKIPS = 63  # waits in a row without looking
_PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_yield_processor = getattr(os, "sched_yield", lambda: None)
_FLOAT = struct.Struct("<f")
_PIPE = 1 << 16  # bytes that an empty pipe takes at once
_F_SETPIPE_SZ = 1031  # of Linux' fcntl; its name came to Python in 3.10
_MAX_PIPE = 1 << 20  # Linux' limit for those who are not root
_MAX_HELLO = 1 << 20  # bytes of the first reply
_MAX_REPLY = 1 << 30  # bytes of any other
_NO_ENV = 1 << 62  # no environment's number
_MAX_SHARERS = 64  # environments in a shared process


class Client:
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
        for name, seconds in (("timeout", timeout), ("start_timeout", start_timeout)):
            if seconds is not None and not seconds > 0:
                raise BadArgument(f"{name} {seconds}; it is a number of seconds above 0, or None for no limit")
        command = [find_binary(binary), "serve", f"--format={format}", *flags]
        if game is not None:
            command += game.flags()
        if policy is not None:
            command += ["--", os.fspath(policy)]
        self.format: Format = format
        self.timeout = timeout
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
        self._process = start(command, stdin=subprocess.PIPE, stderr=stderr)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stderr = stderr
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._stdout = self._process.stdout
        self._poll: Any = None
        self._watch: _Watch | None = None
        if hasattr(select, "poll"):
            self._poll = select.poll()
            self._poll.register(self._out, select.POLLIN)
        elif timeout is not None or start_timeout is not None:
            self._watch = _Watch(self._process)
        self._skips = self._skipped = 0  # waits to do without looking, and those since it looked
        self._finalizer = weakref.finalize(self, _end, self._process, stderr, self._watch, os.getpid())
        _clients.add(self)
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
    def closed(self) -> bool:
        """Whether the session has ended."""
        return self._ended is not None

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

    def make(self, game: Game | None = None, num_envs: int = 1, **fields: Any) -> Games:
        """Makes games; ``fields`` are those of the protocol's ``make``."""
        while self._dropped:
            self.request("close", env=self._dropped.pop())
        fields = {name: value for name, value in fields.items() if value is not None}
        made = self.request("make", num_envs=num_envs, **(game or Game()).fields(), **fields)
        return Games(self, made, extras=bool(fields.get("views") or fields.get("events")))

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
            mine = self._lock.acquire(timeout=_GRACE)
        try:
            self._stop("is closed")
        finally:
            if mine:
                self._lock.release()

    def __enter__(self) -> Client:
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

    def _repr_html_(self) -> str:
        """The program, its process and the policy that it serves, as notebooks show them."""
        from . import notebook

        return notebook.session(self)

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
            code = process.wait(_GRACE)
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


_clients: weakref.WeakSet[Client] = weakref.WeakSet()


def _after_fork() -> None:
    for client in list(_clients):
        client._forked()
    _clients.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Watch:
    """Kills a process whose exchange takes too long, where pipes cannot be polled."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.expired = False
        self._process = process
        self._changed = threading.Condition()
        self._until: float | None = None
        self._over = False
        threading.Thread(target=self._run, name="pigpen timeout", daemon=True).start()

    def begin(self, seconds: float) -> None:
        with self._changed:
            self._until = monotonic() + seconds
            self._changed.notify()

    def end(self) -> None:
        self._until = None

    def close(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while not self._over:
                until = self._until
                left = None if until is None else until - monotonic()
                if left is not None and left <= 0:
                    self.expired = True
                    self._process.kill()
                    return
                self._changed.wait(left)


def start(command: Sequence[str], *, stdin: int | IO[bytes], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    """Starts a program, its stdout a pipe, out of reach of the terminal's Ctrl-C.

    It closes ``stderr`` and raises CannotStart where the system refuses.
    """
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        stderr.close()
        why = error.strerror or str(error)
        advice = {
            errno.ENOEXEC: "it is not a program for this machine; build it here with 'go build ./cmd/pigpen'",
            errno.EMFILE: "raise the limit with 'ulimit -n', or let environments share a process by client=pigpen.Client()",
            errno.ENFILE: "the system has too many files open",
            errno.EAGAIN: "there are too many processes; let environments share one by client=pigpen.Client()",
            errno.EACCES: "it may not be executed; 'chmod +x' allows it",
        }.get(error.errno or 0)
        raise CannotStart(f"{command[0]} does not start: {why}" + (f"; {advice}" if advice else "")) from error
    except BaseException:
        stderr.close()
        raise


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


def _end(process: subprocess.Popen[bytes], stderr: IO[bytes], watch: _Watch | None, owner: int) -> None:
    """Ends a process and closes its files; it never raises and never waits for long."""
    if os.getpid() != owner:
        return
    if watch is not None:
        watch.close()
    assert process.stdin is not None and process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()  # which ends the session
    if process.returncode is None and not _drained(process.stdout.fileno()):
        process.kill()
    process.stdout.close()
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    stderr.close()


def _drained(pipe: int) -> bool:
    """Reads a pipe to its end, which comes with the process'; False if it does not come."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    until = monotonic() + _GRACE
    try:
        while poll.poll(max(0.0, until - monotonic()) * 1000):
            if not os.read(pipe, 1 << 20):
                return True
            if monotonic() > until:  # it writes without end
                return False
    except OSError:
        pass
    return False


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


def _seed(seed: int) -> int:
    if not 0 <= int(seed) < 1 << 64:
        raise BadArgument(f"seed {seed} is not in [0, 2**64)")
    return int(seed)


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

    def __init__(self, client: Client, made: Mapping[str, Any], extras: bool = False) -> None:
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
