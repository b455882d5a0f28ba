"""Policies: answers against an independent solution, files against exact scores."""

from __future__ import annotations

import numpy as np
import pytest

import pigpen
from pigpen.policy import run

TARGET = 10


def solve_piglet(target):
    """Win chances in piglet of two, by value iteration: v[own, other, turn total].

    Heads adds 1, tails ends the turn; own + turn total below the target.
    """
    v = np.full((target, target, target), 0.5)
    while True:
        old = v.copy()
        for i in range(target):
            for j in range(target):
                for k in range(target - i):
                    v[i, j, k] = max(values(v, target, i, j, k))
        if np.abs(v - old).max() < 1e-15:
            return v


def values(v, target, i, j, k):
    """What hold and roll are worth."""
    heads = 1.0 if i + k + 1 >= target else v[i, j, k + 1]
    hold = 1 - v[j, i + k, 0] if k else -1.0
    return hold, (heads + 1 - v[j, i, 0]) / 2


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
def test_perfect_play_in_every_state_of_piglet(format):
    v = solve_piglet(TARGET)
    states = np.array([(i, k, j) for i in range(TARGET) for j in range(TARGET) for k in range(TARGET - i)])
    with pigpen.Policy("optimal", variant="piglet", target=TARGET, format=format) as policy:
        actions, chances, hold, roll = policy.decide(states, values=True)
        assert policy.act(states[0]) == pigpen.ROLL and policy.act(states[0]).shape == ()
        assert policy.roll_chance(states[:2]).tolist() == [1, 1]
        alone = [policy.decide(state, values=True) for state in states[:50]]
    for n, (i, k, j) in enumerate(states):
        expected = values(v, TARGET, i, j, k)
        assert roll[n] == pytest.approx(expected[1], abs=1e-12)
        if k:
            assert hold[n] == pytest.approx(expected[0], abs=1e-12)
            if abs(expected[0] - expected[1]) > 1e-9:
                assert actions[n] == (expected[1] > expected[0])
        else:
            assert np.isnan(hold[n]) and actions[n] == pigpen.ROLL
    assert (actions == (chances >= 0.5)).all()
    for n, one in enumerate(alone):
        assert (one.actions, one.roll_chance, one.win_roll) == (actions[n], chances[n], roll[n])
    solved = run("solve", "--variant=piglet", f"--target={TARGET}")
    assert roll[0] == pytest.approx(solved["win_by_seat"][0], abs=1e-12)


@pytest.mark.parametrize("name", ["hold-4", "random", "race", "base-race", "optimal"])
def test_framings_give_the_same_answers(name):
    states = pigpen.decision_points(20)
    assert states.shape == (20 * 19 * 20 // 2, 3)
    with pigpen.Policy(name, target=20) as one, pigpen.Policy(name, target=20, format="jsonl") as two:
        a, b = one.decide(states), two.decide(states)
        assert a.actions.dtype == np.uint8 and a.roll_chance.dtype == np.float64
        assert (a.actions == b.actions).all() and (a.roll_chance == b.roll_chance).all()
        if name == "hold-4":
            assert (a.actions == ((states[:, 1] < 4) | (states[:, :2].sum(1) >= 20))).all()
        assert one.act(np.empty((0, 3), np.int16)).shape == (0,)


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
def test_batches_larger_than_any_pipe(format):
    points = pigpen.decision_points(50)
    states = points[np.random.default_rng(1).integers(0, len(points), 1_200_000 if format == "msgpack" else 100_000)]
    with pigpen.Policy("hold-9", target=50, format=format) as policy:
        assert (policy.act(states) == (states[:, 1] < 9)).all()
    with pigpen.Client(format=format) as client:
        games = client.make(pigpen.Game("pig", 2), 200_000 if format == "msgpack" else 20_000, opponents=["hold-20"])
        rows = games.reset(1)
        for _ in range(3):
            rows = games.step(rows.observations[:, 1] < 20)
        assert rows.observations.shape == (games.num_envs, 3) and rows.observations.any()


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
@pytest.mark.parametrize("players", [1, 2])
def test_estimates_of_a_trained_policy(tmp_path, format, players):
    """An agent with expected updates estimates what perfect play earns, in either unit."""
    flags = ["--variant=pig", f"--players={players}", f"--target={TARGET}", "--update=expected", "--steps=200k", "--quiet"]
    file, plain = str(tmp_path / "v.msgpack"), str(tmp_path / "p.msgpack")
    trained = run("train", *flags, f"--out={file}", "--values")
    assert 0 < trained["value_error_mean"] <= trained["value_error_max"] < 1e-4
    assert "value_error_mean" not in run("train", *flags, f"--out={plain}")
    states = pigpen.decision_points(TARGET, players=players)
    starts = np.unique(np.delete(states, 1, 1), axis=0)
    states = np.concatenate([states, np.insert(starts, 1, 0, axis=1)])
    with pigpen.Policy(file, format=format) as learned, pigpen.Policy("optimal", players=players, target=TARGET) as best:
        assert (learned.values, best.values) == ("estimated", "exact")
        mine, exact = learned.action_values(states), best.action_values(states)
        assert mine.shape == (len(states), 2) and mine.dtype == np.float64
        assert learned.action_values(states[0]).shape == (2,)
        decisions = learned.decide(states, values=True)
        assert np.array_equal(np.stack(decisions[2:], axis=1), mine, equal_nan=True)
        assert learned.decide(states).win_hold is None
    choice = states[:, 1] > 0
    known = ~np.isnan(mine)
    assert not known[~choice, 0].any() and known[~choice, 1].all() and known[choice].mean() > 0.8
    assert np.abs(mine - exact)[known].max() < 1e-4 < 0.1 < np.abs(mine - exact[:, ::-1])[choice & known.all(1)].mean()
    both = choice & known.all(1) & (np.abs(exact[:, 1] - exact[:, 0]) > 1e-3)
    assert (decisions.actions[both] == (mine[both, 1] > mine[both, 0])).all()
    with pigpen.Policy(plain, format=format) as policy:
        assert policy.values is None
        with pytest.raises(pigpen.BadRequest, match="the values of .*p.msgpack are not known"):
            policy.action_values(states)
        assert policy.act(states).shape == (len(states),)


def test_sampled_actions_follow_the_seed():
    states = np.tile(np.array([10, 5, 10], np.int16), (4000, 1))
    with pigpen.Policy("random", sample=True, seed=1) as one, pigpen.Policy("random", sample=True, seed=1) as two:
        first = one.act(states)
        assert (first == two.act(states)).all()
        assert 0.45 < first.mean() < 0.55
        assert (first != one.act(states)).any()


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
def test_a_table_keeps_its_chances(tmp_path, format):
    states = np.array([[10, 5, 10], [0, 2, 0], [0, 3, 0]], np.int16)
    saved = pigpen.save_policy(
        tmp_path / "p.msgpack", states, [0, 1, 0], roll_chance=[0.25, 1, 0], target=20, agent="mixed"
    )
    many = np.tile(states[0], (4000, 1))
    with pigpen.Policy(saved.file, format=format, seed=3) as policy:
        assert policy.roll_chance(states).tolist() == [0.25, 1, 0]
        assert policy.act(states).tolist() == [0, 1, 0]
        drawn = policy.act(many, sample=True)
        assert 0.22 < drawn.mean() < 0.28
        assert not policy.act(many).any() and not policy.act(many, sample=False).any()
        assert policy.decide(states[1:], sample=True).actions.tolist() == [1, 0]
    with pigpen.Policy(saved.file, format=format, seed=3, sample=True) as policy:
        assert (policy.act(many) == drawn).all() and not policy.act(many, sample=False).any()
    with pytest.raises(pigpen.CommandFailed, match="roll_chance 1.5; a chance of rolling is in"):
        pigpen.save_policy(tmp_path / "no.msgpack", states, [0, 1, 0], roll_chance=[1.5, 0, 0], target=20)
    with pytest.raises(ValueError, match="roll_chance"):
        pigpen.save_policy(tmp_path / "no.msgpack", states, [0, 1, 0], roll_chance=[0.5], target=20)


def test_states_that_cannot_be():
    with pigpen.Policy("hold-20") as policy:
        with pytest.raises(pigpen.BadState):
            policy.act([[0, 5, 0], [100, 0, 0]])
        with pytest.raises(ValueError):
            policy.act([0, 0])
        with pytest.raises(ValueError):
            policy.act([0, 0, 70000])
        with pytest.raises(ValueError):
            policy.act([0.5, 0, 0])


def test_a_table_becomes_a_file_with_an_exact_score(tmp_path):
    states = pigpen.decision_points(20)
    with pigpen.Policy("optimal", target=20) as policy:
        best = policy.act(states)
    saved = pigpen.save_policy(tmp_path / "best.msgpack", states, best, target=20, agent="copy")
    assert saved.score["win_mean"] == pytest.approx(0.5, abs=1e-12)
    assert saved.score["exploitability"] == pytest.approx(0, abs=1e-12)
    with pigpen.Policy(saved.file) as copy:
        assert (copy.act(states) == best).all() and copy.target == 20
    timid = pigpen.save_policy(tmp_path / "timid.msgpack", states, np.zeros(len(states), int), target=20)
    score = pigpen.evaluate(timid.file, against=saved.file)
    assert score["method"] == "exact" and score["win_mean"] < 0.4
    assert score["win_by_seat"] == pytest.approx(timid.score["win_by_seat"], abs=1e-12)
    assert pigpen.evaluate("hold-20", games=1000)["simulated"]["games"] == 1000


def test_tables_that_cannot_be(tmp_path):
    for observations, actions, message in [
        ([[0, 5, 0], [0, 5, 0]], [0, 1], "come before with the other action"),
        ([[200, 5, 0]], [0], "the game is over"),
        ([[0, 0, 0]], [0], "a turn begins with a roll"),
        ([[0, 5, 0]], [2], "2"),
    ]:
        with pytest.raises(pigpen.CommandFailed, match="import: .*" + message):
            pigpen.save_policy(tmp_path / "no.msgpack", observations, actions)
    assert not (tmp_path / "no.msgpack").exists()
    with pytest.raises(ValueError):
        pigpen.save_policy(tmp_path / "no.msgpack", [[0, 5, 0]], [0, 1])
    with pytest.raises(pigpen.CommandFailed, match="did you mean"):
        pigpen.evaluate("hold20")
