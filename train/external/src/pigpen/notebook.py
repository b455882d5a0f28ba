"""What notebooks show of policies and sessions: HTML without scripts, everything escaped."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .errors import PigpenError
from .session import Session

_CELLS = 50  # scores along each side of a map, at most
_TOTALS = 100  # turn totals that are asked for each cell, at most
_BOX = "display:inline-block;border:1px solid rgba(128,128,128,.35);border-radius:6px;padding:8px 14px;line-height:1.5"
_FAINT = "opacity:.65"
_LEAST, _MOST, _NEVER = (253, 228, 221), (122, 24, 74), (70, 70, 78)


class Rolls(Protocol):
    """What is shown of a policy, such as a :class:`~pigpen.Policy`."""

    name: str
    variant: str
    players: int
    target: int
    columns: list[dict[str, Any]]

    @property
    def client(self) -> Session: ...

    def roll_chance(self, observations: npt.ArrayLike) -> npt.NDArray[np.float64]: ...


def plain(thing: Any) -> str:
    """Returns a thing as its repr."""
    return f"<code>{html.escape(repr(thing))}</code>"


def _card(title: str, rows: list[tuple[str, str]], below: str = "") -> str:
    """Returns a box with a title and rows of names and values, of plain text, and HTML below."""
    cells = "".join(
        f'<div><span style="{_FAINT}">{html.escape(name)}</span>&ensp;{html.escape(value)}</div>' for name, value in rows
    )
    return f'<div style="{_BOX}"><div style="font-weight:600">{html.escape(title)}</div>{cells}{below}</div>'


def game_in_words(client: Session, variant: str, players: int, target: int, options: Any = None) -> str:
    """Returns a game as people call it, as in "Pig to 100, 2 players"."""
    given = "".join(f", {name} {'on' if on else 'off'}" for name, on in (options or {}).items())
    return f"{client.variant(variant)['title']} to {target}, {players} player{'s' if players != 1 else ''}{given}"


def session(client: Session) -> str:
    """Returns a session: the program, its process, and the policy that it serves."""
    hello = client.hello
    rows = [("state", "closed" if client.closed else f"open, process {client.pid}"),
            ("protocol", f"{hello['protocol']}, {client.format}")]  # fmt: skip
    if hello["policy"] is not None:
        drawn = ", actions drawn" if hello["sample"] else ""
        rows.append(("policy", f"{hello['policy']}{drawn}"))
        rows.append(("game", game_in_words(client, *(hello[k] for k in ("variant", "players", "target", "options")))))
    rows.append(("games that it plays", ", ".join(v["title"] for v in hello["variants"])))
    return _card(str(hello["program"]), rows)


def policy(it: Rolls) -> str:
    """Returns a policy: its game and, of a game of two with three columns, a map of when it holds."""
    client = it.client
    rows = [("game", game_in_words(client, it.variant, it.players, it.target, client.hello["options"]))]
    if client.hello["sample"]:
        rows.append(("actions", "drawn with its chance of rolling"))
    if client.closed:
        return _card(f"Policy {it.name}", [*rows, ("state", "closed")])
    try:
        below = _map(it) if it.players == 2 and len(it.columns) == 3 else ""
    except PigpenError:  # the session has ended
        return _card(f"Policy {it.name}", [*rows, ("state", "ended")])
    return _card(f"Policy {it.name}", rows, below)


def thresholds(it: Rolls, cells: int = _CELLS, totals: int = _TOTALS) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns scores, of shape (K,), and the turn totals at which a policy for two rather
    holds, of shape (K, K): in row i, column j with own score i and the other's j.

    These are the least above the first at which it rather rolls, since no rolls may lead to
    those below; and 0 where there is none that does not win. Of each score at most ``totals``
    are asked, evenly spread.
    """
    scores = np.unique(np.linspace(0, it.target - 1, min(cells, it.target)).round().astype(np.int64))
    own, asked = [], []
    for score in scores:
        left = it.target - score - 1  # turn totals that do not win when they are banked
        steps = np.unique(np.linspace(1, left, min(totals, left)).round().astype(np.int64))
        own.append(np.full(len(steps), score))
        asked.append(steps)
    banked, turn = np.concatenate(own), np.concatenate(asked)
    held = np.zeros((len(scores), len(scores)), np.int64)
    if not len(turn):
        return scores, held
    states = np.stack([np.tile(banked, len(scores)), np.tile(turn, len(scores)), scores.repeat(len(turn))], 1)
    rolls = (it.roll_chance(states) >= 0.5).reshape(len(scores), len(turn))
    for i, score in enumerate(scores):
        at = np.flatnonzero(banked == score)
        if len(at):
            here = rolls[:, at]
            holds = np.maximum.accumulate(here, 1) & ~here
            held[i] = np.where(holds.any(1), turn[at][holds.argmax(1)], 0)
            held[i, ~here.any(1)] = turn[at[0]]
    return scores, held


def _map(it: Rolls) -> str:
    """Returns a picture of the turn totals at which a policy holds, by both scores."""
    scores, least = thresholds(it)
    held = least > 0
    if not held.any():
        return '<div style="margin-top:6px">rolls on at every turn total that does not win</div>'
    low, high = int(least[held].min()), int(least[held].max())
    share = ((least - low) / max(1, high - low))[..., None]
    picture = np.array(_LEAST) * (1 - share) + np.array(_MOST) * share
    picture[~held] = _NEVER
    seen = np.ascontiguousarray(picture[::-1].round().astype(np.uint8))  # own score upwards
    side = 200
    image = (
        f'<img alt="when {html.escape(it.name)} holds" src="data:image/png;base64,{_png(seen)}" '
        f'style="width:{side}px;height:{side}px;image-rendering:pixelated;border-radius:3px;display:block">'
    )
    most, own, other, least_score = (
        f'<span style="{_FAINT}">{text}</span>' for text in (int(scores[-1]), "own score", "other score", 0)
    )
    key = [
        f'<span style="display:inline-block;width:70px;height:.7em;border-radius:2px;'
        f"background:linear-gradient(90deg,rgb{_LEAST},rgb{_MOST})\"></span> from {low}"
        + (f" to {high} points" if high > low else " points")
    ]
    if not held.all():
        swatch = f'<span style="display:inline-block;width:.9em;height:.7em;border-radius:2px;background:rgb{_NEVER}"></span>'
        key.append(f"{swatch} rolls on")
    return (
        f'<div style="margin-top:6px">holds with a turn total</div>'
        f'<div style="font-size:90%">{"&emsp;".join(key)}</div>'
        f'<div style="display:inline-grid;grid-template-columns:auto {side}px;gap:3px 6px;font-size:85%;margin-top:6px">'
        f'<div style="display:flex;flex-direction:column;justify-content:space-between;text-align:right">'
        f"{most}{own}{least_score}</div>{image}<div></div>"
        f'<div style="display:flex;justify-content:space-between">{least_score}{other}{most}</div></div>'
    )


def _png(picture: npt.NDArray[np.uint8]) -> str:
    """Returns a picture, uint8 of shape (height, width, 3), as a PNG file in base 64."""
    height, width, _ = picture.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + row.tobytes() for row in picture)  # each with its filter, which is none
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
    return base64.b64encode(file).decode()
