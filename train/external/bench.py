"""Measures the client and the server together, and others beside them.

    python bench.py [--quick]

It prints a line for each measurement: the median of several runs and, in brackets,
the fastest. A decision is one action of the learner; the opponent, hold-20, plays in
between, and the learner holds at 20 too. The comparisons at the end make such decisions, too,
and print how many times as fast the vector environment is: a Pig in pure Python under
Gymnasium's SyncVectorEnv, in both of its autoreset modes, and OpenSpiel's pig through its
Python package, where it is installed. Its loop begins a game in the step that ends the last,
and so it stands beside SAME_STEP. They take turns, so that other work slows all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

import pigpen

GAMES = 4096


def rate(name: str, count: int, run: Callable[[], Any], runs: int, unit: str) -> float:
    """Prints and returns how many a second ``run`` makes of ``count``."""
    run()
    rates = []
    for _ in range(runs):
        began = time.perf_counter()
        run()
        rates.append(count / (time.perf_counter() - began))
    middle = statistics.median(rates)
    print(f"{name:<58} {middle:>14,.0f} {unit}  ({max(rates):,.0f})", flush=True)
    return middle


def vector(mode: AutoresetMode, format: str, steps: int, runs: int) -> None:
    with playing(mode, format) as play:
        rate(f"vector env, {GAMES} games, {format}, {mode.value}", GAMES * steps, lambda: play(steps), runs, "decisions/s")


@contextlib.contextmanager
def playing(mode: AutoresetMode, format: str) -> Iterator[Callable[[int], None]]:
    """Gives a function that plays so many steps of the vector environment."""
    env = gymnasium.make_vec("pigpen/Pig-v0", num_envs=GAMES, autoreset_mode=mode, format=format)
    state = {"observations": env.reset(seed=1)[0]}

    def play(steps: int) -> None:
        observations = state["observations"]
        for _ in range(steps):
            observations, _, _, _, infos = env.step(observations[:, 1] < 20)
            assert infos["action_mask"].shape == (GAMES, 2)
        state["observations"] = observations

    yield play
    env.close()


def every_seat(steps: int, runs: int) -> None:
    with pigpen.Client() as client:
        games = client.make(pigpen.Game("pig"), GAMES)
        state = {"observations": games.reset(1).observations}

        def run() -> None:
            observations = state["observations"]
            for _ in range(steps):
                observations = games.step(observations[:, 1] < 20).observations
            state["observations"] = observations

        rate(f"every seat, {GAMES} games, msgpack", GAMES * steps, run, runs, "decisions/s")


def round_trip(format: str, wrapped: bool, steps: int) -> None:
    env = gymnasium.make("pigpen/Pig-v0", format=format)
    if not wrapped:
        env = env.unwrapped
    observation, _ = env.reset(seed=1)
    times = []
    for _ in range(steps):
        action = int(observation[1] < 20)
        began = time.perf_counter()
        observation, _, terminated, _, _ = env.step(action)
        times.append(time.perf_counter() - began)
        if terminated:
            observation, _ = env.reset()
    env.close()
    name = f"single env, {format}, {'in gymnasium.make' + chr(39) + 's wrappers' if wrapped else 'bare'}"
    middle, low = statistics.median(times) * 1e6, min(times) * 1e6
    print(f"{name:<58} {middle:>14,.1f} µs a step, median  ({low:,.1f})", flush=True)


def act(name: str, values: bool, batches: int, runs: int) -> None:
    with pigpen.Policy(name) as policy:
        points = pigpen.decision_points(policy.target)
        states = points[np.random.default_rng(1).integers(0, len(points), GAMES)]

        def run() -> None:
            for _ in range(batches):
                policy.decide(states, values=values)

        title = f"act, batches of {GAMES}, {name}{', values too' if values else ''}"
        rate(title, GAMES * batches, run, runs, "states/s")


class PurePig(gymnasium.Env[npt.NDArray[np.int16], int]):
    """Pig against hold-20 in plain Python, as one writes it for Gymnasium."""

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(0, 105, (3,), np.int16)
        self.action_space = gymnasium.spaces.Discrete(2)

    def _seen(self) -> tuple[npt.NDArray[np.int16], dict[str, Any]]:
        mask = np.array([self.total > 0, True], np.int8)
        return np.array([self.own, self.total, self.other], np.int16), {"action_mask": mask}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        if seed is not None:
            self.dice = random.Random(seed)
        self.own = self.total = self.other = 0
        return self._seen()

    def step(self, action: int) -> Any:
        if action == 1:
            pips = self.dice.randint(1, 6)
            if pips > 1:
                self.total += pips
                if self.own + self.total >= 100:
                    return self._shown(1.0, True)
                return self._shown(0.0, False)
        else:
            self.own += self.total
        self.total = 0
        turn = 0
        while turn < 20 and self.other + turn < 100:
            pips = self.dice.randint(1, 6)
            if pips == 1:
                turn = 0
                break
            turn += pips
        self.other += turn
        return self._shown(-1.0, True) if self.other >= 100 else self._shown(0.0, False)

    def _shown(self, reward: float, over: bool) -> Any:
        observation, info = self._seen()
        return observation, reward, over, False, info


def pure_python(mode: AutoresetMode) -> Callable[[int], None]:
    """Returns a function that plays so many steps."""
    env = gymnasium.vector.SyncVectorEnv([PurePig] * GAMES, autoreset_mode=mode)
    state = {"observations": env.reset(seed=1)[0]}

    def play(steps: int) -> None:
        observations = state["observations"]
        for _ in range(steps):
            observations, *_ = env.step((observations[:, 1] < 20).astype(np.int64))
        state["observations"] = observations

    return play


def open_spiel() -> Callable[[int], None] | None:
    """Returns a function that plays so many steps, or None where the package is missing."""
    try:
        import pyspiel
    except ImportError:
        print("OpenSpiel's pig: skipped, since open_spiel is not installed (pip install open_spiel)")
        return None
    game = pyspiel.load_game("pig(players=2,winscore=100,horizon=100000)")
    roll, stop = 0, 1
    dice = random.Random(1)

    def act(state: Any, total: int) -> int:
        """Acts at a turn total as hold-20 does, and rolls; returns the turn total after."""
        if total >= 20:
            state.apply_action(stop)
            return 0
        state.apply_action(roll)
        face = int(dice.random() * 6)
        state.apply_action(face)
        return total + face + 1 if face else 0

    states = [game.new_initial_state() for _ in range(GAMES)]
    totals = [0] * GAMES

    def play(steps: int) -> None:
        for _ in range(steps):
            rows, masks, rewards = [], [], []
            for i, state in enumerate(states):
                totals[i] = act(state, totals[i])
                other = 0
                while not state.is_terminal() and state.current_player() == 1:
                    other = act(state, other)
                rewards.append(state.rewards()[0])
                if state.is_terminal():
                    state, totals[i] = game.new_initial_state(), 0
                    states[i] = state
                rows.append(state.observation_tensor(0))
                masks.append(state.legal_actions_mask(0))
            np.array(rows, np.float32), np.array(masks, np.int8), np.array(rewards)

    return play


def compare(mode: AutoresetMode, others: dict[str, Callable[[int], None]], steps: int, runs: int) -> None:
    """Measures the vector environment, ``steps`` a run, and others, a twentieth of that, in turn."""
    with playing(mode, "msgpack") as play:
        contenders = {f"vector env, {mode.value}": (play, steps)}
        contenders |= {name: (other, max(2, steps // 20)) for name, other in others.items()}
        rates: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(runs):
            for name, (run, count) in contenders.items():
                began = time.perf_counter()
                run(count)
                rates[name].append(GAMES * count / (time.perf_counter() - began))
    mine, *_ = middles = [statistics.median(each) for each in rates.values()]
    for name, each, middle in zip(rates, rates.values(), middles):
        slower = f", {mine / middle:,.0f} times slower" if middle is not mine else ""
        print(f"{name:<58} {middle:>14,.0f} decisions/s  ({max(each):,.0f}){slower}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    quick = parser.parse_args().quick
    steps, runs = (50, 3) if quick else (500, 5)
    for mode in AutoresetMode:
        if mode is not AutoresetMode.DISABLED:
            vector(mode, "msgpack", steps, runs)
    vector(AutoresetMode.NEXT_STEP, "jsonl", max(2, steps // 25), runs)
    every_seat(steps, runs)
    for format in ("msgpack", "jsonl"):
        for wrapped in (False, True):
            round_trip(format, wrapped, 20 * steps)
    for name, values in (("hold-20", False), ("optimal", False), ("optimal", True)):
        act(name, values, 2 * steps, runs)
    print("in turn:")
    compare(AutoresetMode.NEXT_STEP, {"a Pig in pure Python, SyncVectorEnv": pure_python(AutoresetMode.NEXT_STEP)}, steps, runs)
    others = {"a Pig in pure Python, SyncVectorEnv": pure_python(AutoresetMode.SAME_STEP)}
    spiel = open_spiel()
    if spiel is not None:
        others["OpenSpiel pig, pyspiel states in a loop"] = spiel
    compare(AutoresetMode.SAME_STEP, others, steps, runs)


if __name__ == "__main__":
    main()
