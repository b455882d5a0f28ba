"""Pictures of the table, as text and as an array of colours, with nothing but numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Table:
    """What there is to see of a game."""

    name: str
    """Of the game."""
    target: int
    scores: list[int]
    """Banked, by seat."""
    labels: list[str]
    """Who sits there, by seat."""
    turn_total: int
    """Of the seat to move."""
    seat: int
    """The seat to move, or that moved last."""
    over: bool
    shares: list[float]
    """Of the win, by seat; 0 until the game is over."""
    dice: tuple[int, ...] = ()
    """The faces that have just been rolled, if they are those of dice with pips."""
    gained: int = 0
    """Points of the last roll."""
    event: str = ""
    """What has just happened, in words."""

    @property
    def title(self) -> str:
        """The game and its target."""
        return f"{self.name} to {self.target}"

    @property
    def status(self) -> str:
        """How the game stands, in words."""
        if not self.over:
            return f"seat {self.seat} to move, turn total {self.turn_total}"
        winners = [str(seat) for seat, share in enumerate(self.shares) if share]
        if not winners:
            return "cut off"
        return f"seat {winners[0]} has won" if len(winners) == 1 else f"seats {' and '.join(winners)} have tied"


def words(effect: str, points: int) -> str:
    """Tells what an action did, by the names and numbers of :class:`~pigpen.games.Events`."""
    lost = f", {points} lost" if points else ""
    return {
        "none": "",
        "hold": f"held {points}",
        "gain": f"rolled {points}",
        "again": f"rolled {points}, to roll again",
        "bust": f"bust{lost}",
        "wipe": f"bust{lost}" + (" with the banked score" if points else ""),
        "stop": "rolled nothing" + (f", {points} banked" if points else ""),
    }[effect]


def ansi(table: Table) -> str:
    """Returns the table as lines of text: a bar for each seat, its turn total hatched."""
    width = 40
    label = max(len(name) for name in table.labels)
    lines = [f"{table.title}: {table.status}"]
    for seat, (score, name) in enumerate(zip(table.scores, table.labels)):
        moves = seat == table.seat and not table.over
        turn = table.turn_total if moves else 0
        banked = min(width, width * score // table.target)
        hoped = min(width, width * (score + turn) // table.target) - banked
        bar = "█" * banked + "▒" * hoped + "·" * (width - banked - hoped)
        plus = f" +{turn}" if turn else ""
        lines.append(f"{'>' if moves else ' '} {seat} {name:<{label}}  {bar} {score:>3}{plus}")
    if table.event:
        faces = f" ({', '.join(map(str, table.dice))})" if len(table.dice) > 1 else ""
        lines.append(f"  {table.event}{faces}")
    return "\n".join(lines) + "\n"


# The picture.

_PAPER = (250, 247, 242)
_INK = (52, 44, 40)
_FAINT = (150, 140, 132)
_TRACK = (232, 225, 216)
_PINK = (232, 121, 140)
_HOPE = (246, 190, 200)
_ACTIVE = (255, 255, 255)
_OTHER = (126, 156, 178)
_OTHER_HOPE = (190, 208, 220)
_WON = (226, 170, 52)

_WIDTH, _ROW, _HEAD, _FOOT, _PAD = 560, 58, 64, 96, 20

# A letter is seven rows of five pixels, a number for each row, the leftmost pixel
# in bit 4.
_FONT = {
    "A": (14, 17, 17, 31, 17, 17, 17), "B": (30, 17, 17, 30, 17, 17, 30), "C": (14, 17, 16, 16, 16, 17, 14),
    "D": (30, 17, 17, 17, 17, 17, 30), "E": (31, 16, 16, 30, 16, 16, 31), "F": (31, 16, 16, 30, 16, 16, 16),
    "G": (14, 17, 16, 23, 17, 17, 14), "H": (17, 17, 17, 31, 17, 17, 17), "I": (14, 4, 4, 4, 4, 4, 14),
    "J": (7, 2, 2, 2, 2, 18, 12), "K": (17, 18, 20, 24, 20, 18, 17), "L": (16, 16, 16, 16, 16, 16, 31),
    "M": (17, 27, 21, 21, 17, 17, 17), "N": (17, 25, 21, 19, 17, 17, 17), "O": (14, 17, 17, 17, 17, 17, 14),
    "P": (30, 17, 17, 30, 16, 16, 16), "Q": (14, 17, 17, 17, 21, 18, 13), "R": (30, 17, 17, 30, 20, 18, 17),
    "S": (15, 16, 16, 14, 1, 1, 30), "T": (31, 4, 4, 4, 4, 4, 4), "U": (17, 17, 17, 17, 17, 17, 14),
    "V": (17, 17, 17, 17, 17, 10, 4), "W": (17, 17, 17, 21, 21, 27, 17), "X": (17, 17, 10, 4, 10, 17, 17),
    "Y": (17, 17, 10, 4, 4, 4, 4), "Z": (31, 1, 2, 4, 8, 16, 31), "0": (14, 17, 19, 21, 25, 17, 14),
    "1": (4, 12, 4, 4, 4, 4, 14), "2": (14, 17, 1, 6, 8, 16, 31), "3": (30, 1, 1, 14, 1, 1, 30),
    "4": (2, 6, 10, 18, 31, 2, 2), "5": (31, 16, 30, 1, 1, 17, 14), "6": (14, 16, 16, 30, 17, 17, 14),
    "7": (31, 1, 2, 4, 8, 8, 8), "8": (14, 17, 17, 14, 17, 17, 14), "9": (14, 17, 17, 15, 1, 1, 14),
    "-": (0, 0, 0, 14, 0, 0, 0), "+": (0, 4, 4, 31, 4, 4, 0), ".": (0, 0, 0, 0, 0, 12, 12),
    ",": (0, 0, 0, 0, 12, 4, 8), ":": (0, 12, 12, 0, 12, 12, 0), "/": (1, 1, 2, 4, 8, 16, 16),
    "_": (0, 0, 0, 0, 0, 0, 31), ">": (8, 4, 2, 1, 2, 4, 8), "?": (14, 17, 1, 2, 4, 0, 4),
}  # fmt: skip

PIPS = {
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (0, 2), (2, 0), (2, 2)),
    5: ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2)),
    6: ((0, 0), (0, 2), (1, 0), (1, 2), (2, 0), (2, 2)),
}

"""Where the pips of a die are, by face: row and column in a grid of three by three."""

Colour = tuple[int, int, int]


def rgb_array(table: Table) -> npt.NDArray[np.uint8]:
    """Returns the table as a picture, uint8 of shape (height, 560, 3).

    A bar for each seat runs to the target, the turn total paler at its end; below
    are the last roll and what has happened.
    """
    n = len(table.scores)
    height = _HEAD + n * _ROW + _FOOT
    picture = np.empty((height, _WIDTH, 3), np.uint8)
    picture[:] = _PAPER
    _text(picture, _PAD, 16, table.title, _INK, 3)
    _text(picture, _PAD, 45, table.status, _FAINT, 2)
    for seat in range(n):
        _bar(picture, _HEAD + 4 + seat * _ROW, table, seat, table.over and table.shares[seat] > 0)
    foot = _HEAD + 12 + n * _ROW
    at = _PAD
    for face in table.dice:
        _die(picture, at, foot, face)
        at += 68
    if table.gained and not table.dice:
        _die(picture, at, foot, f"+{table.gained}")
        at += 68
    if at > _PAD:
        at += 8
    _text(picture, at, foot + 22, table.event, _INK, 2)
    return picture


def _bar(picture: npt.NDArray[np.uint8], y: int, table: Table, seat: int, won: bool) -> None:
    moves = seat == table.seat and not table.over
    score, turn = table.scores[seat], table.turn_total if moves else 0
    if moves:
        _box(picture, 8, y + 2, _WIDTH - 16, _ROW - 4, _ACTIVE, 6)
        _text(picture, 12, y + 33, ">", _PINK, 2)
    left, width = _PAD + 10, _WIDTH - 2 * _PAD - 110
    mine = table.labels[seat] in ("you", f"player {table.seat}")
    full, hope = (_PINK, _HOPE) if mine else (_OTHER, _OTHER_HOPE)
    _text(picture, left, y + 9, f"{seat}  {_short(table.labels[seat])}", _INK if moves or won else _FAINT, 2)
    _box(picture, left, y + 30, width, 18, _TRACK, 4)
    reach = [min(width, width * points // table.target) for points in (score, score + turn)]
    if reach[1]:
        _box(picture, left, y + 30, max(reach[1], 8), 18, hope, 4)
    if reach[0]:
        _box(picture, left, y + 30, max(reach[0], 8), 18, _WON if won else full, 4)
    _text(picture, left + width + 12, y + 28, str(score), _INK, 3)
    if turn:
        digits = 18 * len(str(score))
        _text(picture, left + width + 16 + digits, y + 34, f"+{turn}", _PINK if mine else _OTHER, 2)


def _short(name: str) -> str:
    return name if len(name) <= 28 else "..." + name[-25:]


def _die(picture: npt.NDArray[np.uint8], x: int, y: int, shown: int | str) -> None:
    """Draws a die with the pips of a face, or with a text."""
    size = 58
    _box(picture, x, y, size, size, _FAINT, 8)
    _box(picture, x + 2, y + 2, size - 4, size - 4, _ACTIVE, 7)
    if isinstance(shown, str):
        scale = 3 if len(shown) < 4 else 2
        _text(picture, x + (size - (6 * len(shown) - 1) * scale) // 2, y + (size - 7 * scale) // 2, shown, _INK, scale)
        return
    for row, column in PIPS[shown]:
        _disc(picture, x + 15 + 14 * column, y + 15 + 14 * row, 5, _INK)


def _box(picture: npt.NDArray[np.uint8], x: int, y: int, width: int, height: int, colour: Colour, radius: int) -> None:
    """Fills a rectangle with round corners."""
    radius = min(radius, width // 2, height // 2)
    rows, columns = np.mgrid[:height, :width]
    dx = np.maximum(0, np.maximum(radius - columns, columns - (width - 1 - radius)))
    dy = np.maximum(0, np.maximum(radius - rows, rows - (height - 1 - radius)))
    picture[y : y + height, x : x + width][dx * dx + dy * dy <= radius * radius] = colour


def _disc(picture: npt.NDArray[np.uint8], x: int, y: int, radius: int, colour: Colour) -> None:
    rows, columns = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    part = picture[y - radius : y + radius + 1, x - radius : x + radius + 1]
    part[rows * rows + columns * columns <= radius * radius] = colour


def _text(picture: npt.NDArray[np.uint8], x: int, y: int, text: str, colour: Colour, scale: int) -> None:
    """Writes capitals of 7 times ``scale`` pixels, cut off at the right edge."""
    for letter in text.upper():
        if x + 5 * scale > picture.shape[1]:
            return
        if letter != " ":
            rows = np.array(_FONT.get(letter, _FONT["?"]))[:, None] >> np.arange(4, -1, -1) & 1
            dots = np.repeat(np.repeat(rows, scale, 0), scale, 1).astype(np.bool_)
            picture[y : y + 7 * scale, x : x + 5 * scale][dots] = colour
        x += 6 * scale
