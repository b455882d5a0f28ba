"""Which game is played, as the command line and the protocol name it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import BinaryNotFound

HOLD = 0
"""Bank the turn total and end the turn."""
ROLL = 1
"""Roll the dice; a turn begins with a roll."""


@dataclass(frozen=True)
class Game:
    """A variant with its players, target and options; None is the variant's default.

    ``variant`` is an id such as ``"pig"`` (``pigpen variants`` lists them),
    ``players`` from 1 to 10 and ``target`` from 2 to 1000, as the variant allows.
    """

    variant: str | None = None
    players: int | None = None
    target: int | None = None
    options: Mapping[str, bool] = field(default_factory=dict)

    def flags(self) -> list[str]:
        """Returns the game as flags of a command."""
        flags = [f"--{name}={value}" for name, value in self._given()]
        flags += [f"--option={name}={str(bool(on)).lower()}" for name, on in self.options.items()]
        return flags

    def fields(self) -> dict[str, Any]:
        """Returns the game as fields of a request."""
        fields = dict(self._given())
        if self.options:
            fields["options"] = {name: bool(on) for name, on in self.options.items()}
        return fields

    def _given(self) -> list[tuple[str, Any]]:
        given = (("variant", self.variant), ("players", self.players), ("target", self.target))
        return [(name, value) for name, value in given if value is not None]


def find_binary(binary: str | os.PathLike[str] | None = None) -> str:
    """Returns the path of the program: the argument, ``PIGPEN_BIN``, the one that was
    installed with the package, or ``pigpen`` in PATH, the first that there is."""
    for origin, name in (("binary", binary), ("PIGPEN_BIN", os.environ.get("PIGPEN_BIN"))):
        if name:
            found = shutil.which(os.fspath(name))
            if found is None:
                raise BinaryNotFound(f"{origin} is {os.fspath(name)!r}, and there is no such program")
            return found
    bundled = os.path.join(os.path.dirname(__file__), "bin", "pigpen.exe" if os.name == "nt" else "pigpen")
    if os.path.isfile(bundled):
        return bundled
    found = shutil.which("pigpen")
    if found is None:
        raise BinaryNotFound(
            "the package was installed without its program, and there is no pigpen in PATH: install it with "
            "'pip install train/external', which needs Go, or build it with 'go build ./cmd/pigpen', "
            "and put its path in PIGPEN_BIN or in the argument binary"
        )
    return found
