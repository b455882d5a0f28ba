"""``python -m pigpen COMMAND …`` is the program ``pigpen`` itself, the one that the package uses."""

from __future__ import annotations

import os
import subprocess
import sys

from .errors import BinaryNotFound
from .game import find_binary


def main() -> int:
    """Becomes the program, or waits for it on Windows; returns the exit status."""
    try:
        program = find_binary()
    except BinaryNotFound as error:
        print(f"pigpen: {error}", file=sys.stderr)
        return 1
    command = [program, *sys.argv[1:]]
    if os.name == "posix":
        os.execv(program, command)
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # which the program has got as well, and ends by
            continue


if __name__ == "__main__":
    sys.exit(main())
