"""``pigpen train`` over seeds and settings, on all nodes of a Ray cluster; needs the extra ``ray``.

Each trial is a process of its own. It reports the exact scores of its log on the way,
and trials that fall behind are stopped early (ASHA).
"""

from __future__ import annotations

import contextlib
import csv
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


from .errors import BadArgument, CommandFailed, packages_of
from .game import find_binary

with packages_of("ray"):
    from ray import tune
    from ray.tune.schedulers import ASHAScheduler

_LOOK = 0.05  # seconds between looks at a log that has not grown


class TrainTrial(tune.Trainable):
    """One ``pigpen train``; each of its steps is one row of the log.

    The process ends with the trial, and, on Linux, with the worker however it ends. A
    process that fails fails the trial; tried again, it begins anew and, since training is
    deterministic, learns the same.
    """

    def setup(self, config: dict[str, Any]) -> None:
        flags = dict(config)
        self._folder = tempfile.mkdtemp(prefix="pigpen-trial-")
        self._policy = os.path.join(self._folder, "policy.msgpack")
        log = os.path.join(self._folder, "log.csv")
        command = [find_binary(), "train", "--json", f"--log={log}", f"--out={self._policy}"]
        command += [f"--{name}={value}" for name, value in flags.items()]
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._said, preexec_fn=_end_with_parent()
        )
        self._log = _Tail(log)

    def step(self) -> dict[str, Any]:
        while True:
            ended = self._process.poll() is not None
            row = self._log.row()
            if row is not None:
                return {**row, "pid": self._process.pid, "done": False}
            if ended:
                return self._last()
            time.sleep(_LOOK)

    def _last(self) -> dict[str, Any]:
        process = self._process
        assert process.stdout is not None
        out = process.stdout.read()
        if process.returncode:
            self._said.seek(0)
            words = self._said.read().decode(errors="replace").strip().splitlines()
            how = f"pigpen train ended with {process.returncode}"
            raise CommandFailed(words[-1] if process.returncode > 0 and words else how, process.returncode)
        result = json.loads(out)
        score = result.get("score") or {}
        told = {name: score[name] for name in ("win_mean", "exploitability") if score.get(name) is not None}
        kept = {name: result[name] for name in ("steps", "episodes", "seconds")}
        return {**kept, **told, "pid": process.pid, "policy_file": self._policy, "node": os.uname().nodename, "done": True}

    def cleanup(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._said.close()

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """There is none: a trial that is tried again begins anew."""

    def load_checkpoint(self, checkpoint: Any) -> None:
        """There is none."""


class _Tail:
    """Reads the rows of a CSV file as they are written."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._at = 0
        self._names: list[str] = []

    def row(self) -> dict[str, float] | None:
        """Returns the next whole row, or None where there is none yet."""
        try:
            with open(self._file, newline="") as file:
                file.seek(self._at)
                line = file.readline()
                if not line.endswith("\n"):
                    return None
                self._at = file.tell()
        except FileNotFoundError:
            return None
        values = next(csv.reader([line]))
        if not self._names:
            self._names = values
            return self.row()
        numbers = {}
        for name, value in zip(self._names, values):
            with contextlib.suppress(ValueError):  # columns of words, and empty ones
                numbers[name] = float(value)
        return numbers


def _end_with_parent() -> Callable[[], None] | None:
    """Returns what makes Linux end a child when the thread that has started it ends."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


@dataclass(frozen=True)
class Sweep:
    """The results of :func:`sweep`, the best first."""

    rows: list[dict[str, Any]]
    """For each trial its settings, ``seed``, ``steps``, ``win_mean``, ``exploitability``,
    ``stopped_early`` and, of trials that came to their end, ``policy_file`` and ``node``."""
    errors: list[str]
    """Of trials that have failed, each time that they were tried."""

    def table(self) -> str:
        """Returns all rows as one table, in plain text."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        lines = [names] + [[_cell(row.get(name)) for name in names] for row in self.rows]
        widths = [max(len(line[k]) for line in lines) for k in range(len(names))]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)

    def write_csv(self, file: str | os.PathLike[str]) -> None:
        """Writes all rows to a file."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        with open(file, "w", newline="") as out:
            writer = csv.DictWriter(out, names)
            writer.writeheader()
            writer.writerows(self.rows)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6f}" if isinstance(value, float) and value != int(value) else str(value)


def sweep(
    settings: Mapping[str, Sequence[Any]],
    *,
    seeds: int | Sequence[int] = 3,
    steps: int,
    eval_every: int,
    fixed: Mapping[str, Any] | None = None,
    cpus: int = 1,
    early: bool = True,
    grace: int = 2,
    max_failures: int = 2,
    storage: str | os.PathLike[str] | None = None,
) -> Sweep:
    """Trains with every combination of settings and seeds, and returns one table.

    Args:
        settings: flags of ``pigpen train`` without their dashes, each with the values to
            try, as in ``{"agent": ["qlearning", "montecarlo"], "recipe": ["textbook"]}``.
        seeds: their number, from 1 on, or the seeds themselves.
        steps: decisions to learn from.
        eval_every: decisions between two rows of the log, each an exact score.
        fixed: flags that are the same in all trials, as in ``{"target": 30}``.
        cpus: processors of each trial; they do not change what is learned.
        early: stop trials that fall behind the others after ``grace`` rows of the log.
        max_failures: how often a trial that fails is tried again.
        storage: the folder of Ray Tune's own files; None is its default.
    """
    for name in (*settings, *(fixed or {})):
        if name in ("seed", "steps", "eval-every", "log", "out", "workers", "json", "checkpoint", "resume"):
            raise BadArgument(f"{name} is no setting of a sweep's trials; the sweep sets it itself")
    if steps < 1 or eval_every < 1:
        raise BadArgument(f"steps {steps} and eval_every {eval_every}; both are 1 or more")
    drawn = list(range(1, seeds + 1)) if isinstance(seeds, int) else list(seeds)
    space: dict[str, Any] = {name: tune.grid_search(list(values)) for name, values in settings.items()}
    space.update(fixed or {})
    space.update({"seed": tune.grid_search(drawn), "steps": steps, "eval-every": eval_every, "workers": cpus})
    rows_expected = -(-steps // eval_every) + 1
    scheduler = ASHAScheduler(max_t=rows_expected + 1, grace_period=grace) if early else None
    tuner = tune.Tuner(
        tune.with_resources(TrainTrial, {"cpu": cpus}),
        param_space=space,
        tune_config=tune.TuneConfig(metric="win_mean", mode="max", scheduler=scheduler),
        run_config=tune.RunConfig(
            storage_path=None if storage is None else str(Path(storage).resolve()),
            failure_config=tune.FailureConfig(max_failures=max_failures),
            verbose=0,
        ),
    )
    rows, errors = [], []
    results = tuner.fit()
    for result in (results[k] for k in range(len(results))):
        told, config = result.metrics or {}, result.config or {}
        if result.error is not None:
            errors.append(f"{config.get('seed')}: {result.error}")
        row = {name: config[name] for name in (*settings, "seed")}
        row.update({name: told.get(name) for name in ("steps", "win_mean", "exploitability")})
        row["stopped_early"] = result.error is None and "policy_file" not in told
        row.update({name: told.get(name) for name in ("policy_file", "node")})
        rows.append(row)
    rows.sort(key=lambda row: -(row["win_mean"] if row["win_mean"] is not None else -1.0))
    return Sweep(rows, errors)
