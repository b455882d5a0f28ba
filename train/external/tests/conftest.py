"""What the tests share: the program that they test, and a guard against leaks."""

from __future__ import annotations

import contextlib
import os

import pytest

import pigpen


def pytest_sessionstart() -> None:
    try:
        print("pigpen:", pigpen.find_binary())
    except pigpen.BinaryNotFound as error:
        pytest.exit(str(error), returncode=2)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def children() -> list[str]:
    """The processes that this one has started and that are left, zombies included."""
    found = []
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(FileNotFoundError):  # a thread that has just ended
            with open(f"/proc/self/task/{task}/children") as file:
                found += file.read().split()
    return found


@pytest.fixture(autouse=True)
def no_leaks():
    """Every test leaves as many processes and open files as it has found."""
    before = len(children()), open_files()
    yield
    assert (len(children()), open_files()) == before
