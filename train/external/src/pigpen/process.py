"""Processes of the program: how they start, end, and are ended when they take too long."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import subprocess
import threading
from collections.abc import Sequence
from time import monotonic
from typing import IO

from .errors import CannotStart

GRACE = 5.0
"""Seconds that a process has to end when its input has ended."""


def start_process(command: Sequence[str], *, stdin: int | IO[bytes], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
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


def end_process(process: subprocess.Popen[bytes], stderr: IO[bytes], watch: Watch | None, owner: int) -> None:
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
        process.wait(GRACE)
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
    until = monotonic() + GRACE
    try:
        while poll.poll(max(0.0, until - monotonic()) * 1000):
            if not os.read(pipe, 1 << 20):
                return True
            if monotonic() > until:  # it writes without end
                return False
    except OSError:
        pass
    return False


class Watch:
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
