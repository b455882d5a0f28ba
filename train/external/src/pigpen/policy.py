"""Policies: what a player does in each state, asked in batches or scored exactly."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, NamedTuple, cast

import msgpack  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from . import notebook
from .client import Client, lease, release
from .errors import BadArgument, CommandFailed, TimedOut
from .game import Game, find_binary
from .process import start_process
from .session import START_TIMEOUT, Format, column, integers

_CHUNK = 1 << 20  # states in one request
_MAX_RESULT = 1 << 28  # bytes of a command's result
_MAX_SAID = 1 << 16  # bytes of its stderr


class Decisions(NamedTuple):
    """What a policy does in N states; every array is fresh and the caller's."""

    actions: npt.NDArray[np.uint8]
    """N: 0 hold, 1 roll."""
    roll_chance: npt.NDArray[np.float64]
    """N: the chance of rolling, in [0, 1]; 1 where only rolling is legal."""
    win_hold: npt.NDArray[np.float64] | None
    """N: the chance to win the game after holding now or, with one player, minus the number of
    turns yet to begin; NaN where holding is illegal, and where the learner of a policy file
    has no estimate. None unless values were asked for."""
    win_roll: npt.NDArray[np.float64] | None
    """N: the same for rolling."""


ValueKind = Literal["exact", "estimated"]
"""Whether the values of a policy are those of perfect play, or estimates of a learner."""


class Policy:
    """A policy in a process of its own, which answers for whole batches of states.

    ``Policy("optimal", variant="pig", target=50)`` plays perfectly; the other names
    are ``random``, ``always-roll``, ``hold-N``, ``race``, ``base-race`` and ``two-player``,
    perfect play for two that looks at the leader alone; a file is
    one that ``pigpen train`` or :func:`save_policy` has written, and names its game
    itself. It is closed like a :class:`~pigpen.client.Client`. A copy by pickle or deepcopy
    has a process of its own; where actions are drawn, it draws from the seed anew.

    Args:
        policy: the name or the file.
        variant, players, target, options: the game, where the file does not say.
        sample: draw actions with the policy's chance instead of taking the likelier.
        seed: of those draws, in [0, 2**64).
        binary, format, timeout, start_timeout: see :class:`~pigpen.client.Client`.
    """

    def __init__(
        self,
        policy: str | os.PathLike[str],
        *,
        variant: str | None = None,
        players: int | None = None,
        target: int | None = None,
        options: Mapping[str, bool] | None = None,
        sample: bool = False,
        seed: int | None = None,
        binary: str | os.PathLike[str] | None = None,
        format: Format = "msgpack",
        timeout: float | None = None,
        start_timeout: float | None = START_TIMEOUT,
    ) -> None:
        self._made: dict[str, Any] = {
            "policy": policy, "variant": variant, "players": players, "target": target, "options": options,
            "sample": sample, "seed": seed, "binary": binary, "format": format, "timeout": timeout,
            "start_timeout": start_timeout,
        }  # fmt: skip
        flags = ["--sample"] if sample else []
        if seed is not None:
            flags.append(f"--seed={int(seed)}")
        game = Game(variant, players, target, options or {})
        self.client = Client(
            policy, game, binary=binary, format=format, timeout=timeout, start_timeout=start_timeout, flags=flags
        )
        hello = self.client.hello
        self.name = str(hello["policy"])
        self.variant = str(hello["variant"])
        self.players = int(hello["players"])
        self.target = int(hello["target"])
        self.columns: list[dict[str, Any]] = list(hello["observation"])
        """Each column of an observation, with ``name``, ``min``, ``max`` and ``doc``."""
        self.values: ValueKind | None = hello["values"]
        """What the policy knows of what actions are worth: ``optimal`` has exact values, a
        file of ``pigpen train --values`` the estimates of its learner, others None."""
        self._heads: dict[tuple[int, bool, bool | None], bytes] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self._made, "closed": self.client.closed}

    def __setstate__(self, made: dict[str, Any]) -> None:
        closed = made.pop("closed")
        self.__init__(**made)  # type: ignore[misc]
        if closed:
            self.close()

    def act(self, observations: npt.ArrayLike, *, sample: bool | None = None) -> npt.NDArray[np.uint8]:
        """Returns the actions, of shape (N,), for observations of shape (N, columns).

        For one observation, of shape (columns,), it returns one action, of shape ().
        ``sample`` says whether to draw each with the policy's chance, or to take the
        likelier; None is what the policy was made with. Raises
        :class:`~pigpen.errors.BadState` where one cannot be a state to decide in.
        """
        return self.decide(observations, sample=sample).actions

    def roll_chance(self, observations: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Returns the chances of rolling, shaped as :meth:`act` shapes actions."""
        return self.decide(observations).roll_chance

    def decide(self, observations: npt.ArrayLike, *, values: bool = False, sample: bool | None = None) -> Decisions:
        """Returns actions, chances and, if asked for, the values of both actions.

        ``observations`` are integers of shape (N, columns), or (columns,) for one;
        the arrays returned have shape (N,), or (). ``sample`` is as in :meth:`act`.
        Raises :class:`~pigpen.errors.BadRequest` for values of a policy that has none;
        see :attr:`values`.
        """
        states = integers(observations, np.int16, "observations")
        width = len(self.columns)
        if states.ndim not in (1, 2) or states.shape[-1] != width:
            raise BadArgument(f"observations have shape {states.shape}, not (N, {width}) or ({width},)")
        rows = states.reshape(-1, width)
        parts = [self._ask(rows[i : i + _CHUNK], values, sample) for i in range(0, max(1, len(rows)), _CHUNK)]
        joined = parts[0] if len(parts) == 1 else [np.concatenate(column) for column in zip(*parts)]
        shaped = [array.reshape(states.shape[:-1]) for array in joined]
        return Decisions(*shaped) if values else Decisions(shaped[0], shaped[1], None, None)

    def action_values(self, observations: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Returns what both actions are worth, of shape (N, 2), or (2,) for one observation.

        Column 0 is what holding is worth and column 1 rolling, as in :class:`Decisions`.
        Raises :class:`~pigpen.errors.BadRequest` if :attr:`values` is None.
        """
        decisions = self.decide(observations, values=True)
        assert decisions.win_hold is not None and decisions.win_roll is not None  # they were asked for
        return np.stack([decisions.win_hold, decisions.win_roll], axis=-1)

    def _ask(self, rows: npt.NDArray[np.int16], values: bool, sample: bool | None) -> list[npt.NDArray[Any]]:
        n, client = len(rows), self.client
        if not n:
            return [np.empty(0, np.uint8)] + [np.empty(0)] * (3 if values else 1)
        fields: dict[str, Any] = {"values": True} if values else {}
        if sample is not None:
            fields["sample"] = bool(sample)
        if client.format == "msgpack":
            # The observations stand last, so what is before them can be kept.
            key = (n, values, sample)
            head = self._heads.get(key)
            if head is None:
                head = client.frame({"op": "act", **fields, "observations": rows})[: -rows.nbytes]
                self._heads = {key: head}
            client.widen(rows.nbytes + 256)
            reply = client.exchange((head, rows.data.cast("B")), 256 + n * (25 if values else 9))
        else:
            reply = client.request("act", observations=rows, **fields)
        columns = [column(reply, "actions", "u1", (n,)), column(reply, "roll_chance", "<f8", (n,))]
        if values:
            columns += [column(reply, "win_hold", "<f8", (n,)), column(reply, "win_roll", "<f8", (n,))]
        return columns

    def close(self) -> None:
        """Ends the process. Closing twice is as good as once."""
        self.client.close()

    def __enter__(self) -> Policy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Policy({self.name!r}, {self.variant}, {self.players} players, target {self.target})"

    def _repr_html_(self) -> str:
        """The game and, in games of two, a map of when it holds, as notebooks show them."""
        return notebook.policy(self)


def decision_points(
    target: int | None = None,
    variant: str | None = None,
    players: int | None = None,
    *,
    options: Mapping[str, bool] | None = None,
    client: Client | None = None,
    binary: str | os.PathLike[str] | None = None,
) -> npt.NDArray[np.int16]:
    """Returns every state to choose in of a game, int16 of shape (N, columns).

    These are the observations of the seat to move with a turn total above 0; where it is 0
    there is nothing to choose. They are in order of the first column, then the second, and
    so on; some no sequence of rolls may lead to. Games with a last round do not bound
    scores: theirs are up to the target plus 49, and in order of the last column first.

    Args:
        target, variant, players, options: the game, pig for two by default. With three
            players N is a hundred times that of two.
        client: a session to ask, else a shared one of the program ``binary``.
    """
    if client is None:
        leased = lease(binary=binary)
        try:
            return decision_points(target, variant, players, options=options, client=leased)
        finally:
            release(leased)
    game, pages, n, total = Game(variant, players, target, options or {}).fields(), [], 0, 1
    while n < total:
        reply = client.request("states", **game, start=n)
        total = int(reply["total"])
        pages.append(column(reply, "observations", "<i2", (-1, int(reply["num_columns"]))))
        n += len(pages[-1])
    return np.concatenate(pages) if len(pages) > 1 else pages[0]


@dataclass(frozen=True)
class Saved:
    """A policy file that :func:`save_policy` has written."""

    file: str
    """Its path."""
    result: Mapping[str, Any]
    """What ``pigpen import --json`` has said."""

    @property
    def score(self) -> Mapping[str, Any] | None:
        """The exact score against perfect play, as :func:`evaluate` returns it;
        None with more than two players."""
        return self.result.get("score")


def save_policy(
    file: str | os.PathLike[str],
    observations: npt.ArrayLike,
    actions: npt.ArrayLike,
    *,
    roll_chance: npt.ArrayLike | None = None,
    variant: str | None = None,
    players: int | None = None,
    target: int | None = None,
    options: Mapping[str, bool] | None = None,
    agent: str | None = None,
    binary: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
) -> Saved:
    """Writes a table of decisions as a policy file and returns it with its exact score.

    ``observations`` are integers of shape (N, columns), ``actions`` 0 or 1 of shape
    (N,). States that are not listed hold. ``roll_chance``, floats in [0, 1] of shape (N,),
    makes the policy roll with these chances where they are neither 0 nor 1, where the
    actions count. ``agent`` is the name of what has learned
    the table. Raises :class:`~pigpen.errors.CommandFailed` where an observation is
    impossible or stands there twice with different actions or chances, and
    :class:`~pigpen.errors.TimedOut` after ``timeout`` seconds; None is no limit.
    """
    states = integers(observations, np.int16, "observations")
    choices = integers(actions, np.uint8, "actions")
    if states.ndim != 2 or choices.shape != states.shape[:1]:
        raise BadArgument(
            f"observations have shape {states.shape} and actions {choices.shape}, not (N, columns) and (N,)"
        )
    flags = Game(variant, players, target, options or {}).flags()
    if agent is not None:
        flags.append(f"--agent={agent}")
    columns = {"observations": states.tobytes(), "actions": choices.tobytes()}
    if roll_chance is not None:
        chances = np.asarray(roll_chance, "<f8")
        if chances.shape != choices.shape:
            raise BadArgument(f"roll_chance has shape {chances.shape}, not (N,)")
        columns["roll_chance"] = chances.tobytes()
    table = cast(bytes, msgpack.packb(columns))
    result = run("import", "--format=msgpack", f"--out={os.fspath(file)}", *flags, binary=binary, stdin=table, timeout=timeout)
    return Saved(os.fspath(file), result)


def evaluate(
    policy: str | os.PathLike[str],
    *,
    against: str | os.PathLike[str] = "optimal",
    variant: str | None = None,
    players: int | None = None,
    target: int | None = None,
    options: Mapping[str, bool] | None = None,
    games: int | None = None,
    binary: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
) -> dict[str, Any]:
    """Returns what ``pigpen eval --json`` says of a policy, a file or a name.

    With one or two players ``win_by_seat``, ``win_mean`` and ``exploitability`` are
    exact. ``games`` adds a simulation, with more players all there is. After ``timeout``
    seconds it raises :class:`~pigpen.errors.TimedOut`; None is no limit.
    """
    flags = Game(variant, players, target, options or {}).flags()
    if games is not None:
        flags.append(f"--games={int(games)}")
    return run("eval", f"--against={os.fspath(against)}", *flags, "--", os.fspath(policy), binary=binary, timeout=timeout)


def run(
    command: str,
    *arguments: str,
    binary: str | os.PathLike[str] | None = None,
    stdin: bytes = b"",
    timeout: float | None = None,
) -> dict[str, Any]:
    """Runs ``pigpen COMMAND --json`` and returns its result.

    Raises :class:`~pigpen.errors.CommandFailed` where it fails or what it prints is not
    JSON, and :class:`~pigpen.errors.TimedOut` after ``timeout`` seconds; None is no limit.
    """
    program = find_binary(binary)
    said = tempfile.TemporaryFile()
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        process = start_process([program, command, "--json", *arguments], stdin=given, stderr=said)
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = None if timeout is None else threading.Timer(timeout, end)
    if timer is not None:
        timer.daemon = True
        timer.start()
    assert process.stdout is not None
    try:
        out = bytearray()
        while part := process.stdout.read(1 << 16):
            out += part
            if len(out) > _MAX_RESULT:
                break
        else:
            process.wait()
    finally:
        if process.poll() is None:  # it floods, or an exception such as Ctrl-C's has come
            process.kill()
        process.wait()
        if timer is not None:
            timer.cancel()
            timer.join()
        process.stdout.close()
        with said:
            said.seek(0)
            words = said.read(_MAX_SAID).decode(errors="replace").strip()
    if late.is_set():
        raise TimedOut(f"pigpen {command} took longer than {timeout} s, and was ended", words)
    if len(out) > _MAX_RESULT:
        raise CommandFailed(f"{program} {command} prints more than {_MAX_RESULT} bytes, which is no result", 0)
    if process.returncode:
        how = f"signal {-process.returncode}" if process.returncode < 0 else f"exit status {process.returncode}"
        raise CommandFailed(words or f"pigpen {command} ended with {how}", process.returncode)
    try:
        result = json.loads(out)
        if not isinstance(result, dict):
            raise ValueError("it is no object")
    except ValueError as error:
        raise CommandFailed(f"what {program} {command} prints is not the JSON of a result: {error}", 0) from error
    return result
