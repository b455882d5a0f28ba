"""Opponents in Python, in lockstep with the server's, and those that change."""

from __future__ import annotations

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import pigpen
from conftest import children


class Hold:
    """The rule hold-N; it counts the states that it is asked for."""

    def __init__(self, at, target, last_round=False):
        self.at, self.target, self.asked, self.batches = at, target, 0, 0
        self.last_round = last_round

    def __call__(self, observations, action_mask):
        self.asked += len(observations)
        self.batches += 1
        assert observations.dtype == np.int16 and action_mask.dtype == np.int8 and action_mask[:, 1].all()
        assert (action_mask[:, 0] == (observations[:, 1] > 0)).all()
        own, total = observations[:, 0], observations[:, 1]
        if not self.last_round:
            return total < np.minimum(self.at, self.target - own)
        best = observations[:, 2:-1].max(1)  # once somebody has the target, only more than that will do
        return total < np.where(best >= self.target, best + 1 - own, np.minimum(self.at, self.target - own))


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(
    "variant, players", [("pig", 1), *((v, n) for v in ("pig", "pig-last-round", "piglet") for n in (2, 3))]
)
@pytest.mark.parametrize("illegal", ["roll", "noop"])
def test_lockstep_with_the_servers(mode, players, variant, illegal):
    """A function that does what a policy by name does plays the same games, die for die."""
    n, rng, target = 23, np.random.default_rng(1), 6 if variant == "piglet" else 12
    least, last_round = (1 if variant == "piglet" else 4), variant == "pig-last-round"
    names = [f"hold-{least + k}" for k in range(max(1, players - 1))]
    rules = [Hold(least + k, target, last_round) for k in range(max(1, players - 1))]
    settings = {
        "players": players, "target": target, "seat": "rotate", "first": "random", "step_limit": 25, "illegal": illegal,
    }  # fmt: skip
    server = pigpen.PigVectorEnv(n, variant, opponents=names, autoreset_mode=mode, **settings)
    python = pigpen.PigVectorEnv(n, variant, opponents=rules, autoreset_mode=mode, **settings)
    one, two = server.reset(seed=3), python.reset(seed=3)
    ends = np.zeros(3, np.int64)
    for step in range(250):
        assert (one[0] == two[0]).all()
        a, b = one[-1], two[-1]
        assert a.keys() == b.keys()
        for name in ("action_mask", "illegal_action"):
            assert (a[name] == b[name]).all()
        if "final_obs" in a:
            which = a["_final_obs"]
            assert (which == b["_final_obs"]).all()
            assert (np.stack(list(a["final_obs"][which])) == np.stack(list(b["final_obs"][which]))).all()
        actions = rng.integers(0, 2, n)
        one, two = server.step(actions), python.step(actions)
        for x, y in zip(one[1:4], two[1:4]):
            assert (x == y).all(), step
        ended = one[2] | one[3]
        ends += one[2].sum(), one[3].sum(), (one[1] > 0).sum()
        if mode is AutoresetMode.DISABLED and ended.any():
            server_rows = server.reset(options={"reset_mask": ended})
            python_rows = python.reset(options={"reset_mask": ended})
            one, two = (server_rows[0], server_rows[1]), (python_rows[0], python_rows[1])
    assert ends[0] > 20 and (ends[2] > 5 or players == 1)
    if players > 1:
        assert rules[0].asked > 1.5 * rules[0].batches  # it is asked in batches
    server.close(), python.close()


def test_single():
    with gymnasium.make("pigpen/Pig-v0", opponents="hold-6", target=20) as server:
        with gymnasium.make("pigpen/Pig-v0", opponents=Hold(6, 20), target=20, render_mode="ansi") as python:
            for seed in range(30):
                one, two = server.reset(seed=seed), python.reset(seed=seed)
                over = False
                while not over:
                    assert (one[0] == two[0]).all() and (one[-1]["action_mask"] == two[-1]["action_mask"]).all()
                    action = int(one[0][1] < 8)
                    one, two = server.step(action), python.step(action)
                    assert one[1:4] == two[1:4]
                    over = one[2]
            assert "hold" in python.render().lower()
            with pytest.raises(pigpen.EpisodeOver):
                python.step(1)


def test_set_opponents_by_name_keeps_the_games():
    env, twin = pigpen.PigVectorEnv(50, target=30), pigpen.PigVectorEnv(50, target=30)
    env.reset(seed=1), twin.reset(seed=1)
    ones = np.ones(50, np.int64)
    for _ in range(3):
        shown, same = env.step(ones)[0], twin.step(ones)[0]
    env.set_opponents("always-roll")
    assert (shown == same).all()
    hold = np.zeros(50, np.int64)
    after, before = env.step(hold)[0], twin.step(hold)[0]
    assert (after[:, 0] == before[:, 0]).all()  # the learner's points, from where they were
    assert (after != before).any()  # and other opponents
    with pytest.raises(pigpen.BadPolicy):
        env.set_opponents("nobody")
    env.step(ones)
    env.close(), twin.close()


def test_set_opponents_in_python_takes_effect_at_once():
    first, second = Hold(3, 30), Hold(5, 30)
    env = pigpen.PigVectorEnv(40, opponents=first, target=30)
    env.reset(seed=1)
    zeros = np.zeros(40, np.int64)
    for _ in range(4):
        env.step(zeros)
    assert first.asked and not second.asked
    env.set_opponents(second)
    before = first.asked
    for _ in range(4):
        env.step(zeros)
    assert first.asked == before and second.asked
    with pytest.raises(pigpen.BadArgument, match="2 opponents for 1"):
        env.set_opponents([first, second])
    env.step(zeros)
    env.close()


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("variant, players", [("pig", 2), ("pig", 3), ("pig-last-round", 3)])
@pytest.mark.parametrize("settings", [{"illegal": "roll"}, {"illegal": "noop", "step_limit": 9}, {"mask": "observation"}])
def test_set_opponents_of_the_other_kind_keeps_the_games(mode, variant, players, settings):
    """From a name to the same rule in Python, and back: the games are those without any change."""
    rule = Hold(5, 15, variant == "pig-last-round")
    given = {
        "players": players, "target": 15, "seat": "rotate", "first": "random", "autoreset_mode": mode,
        "opponents": "hold-5", **settings,
    }  # fmt: skip
    n, rng = 31, np.random.default_rng(1)
    env, twin = pigpen.PigVectorEnv(n, variant, **given), pigpen.PigVectorEnv(n, variant, **given)
    env.reset(seed=1), twin.reset(seed=1)
    ends, asked = 0, []
    for step in range(120):
        if step % 40 == 7:  # with some games at their end, and some in a limit
            env.set_opponents(rule)
        elif step % 40 == 27:
            env.set_opponents("hold-5")
        elif step == 110:
            assert type(env._games) is not type(twin._games)
            same(env.reset(seed=3)[0], twin.reset(seed=3)[0])
            assert type(env._games) is type(twin._games)  # the server plays again
        actions = rng.integers(0, 2, n)
        one, two = env.step(actions), twin.step(actions)
        same(one[0], two[0])
        for a, b in zip(one[1:4], two[1:4]):
            assert (a == b).all(), step
        assert (one[4]["action_mask"] == two[4]["action_mask"]).all()
        ended = one[2] | one[3]
        ends += ended.sum()
        asked.append(rule.asked)
        if mode is AutoresetMode.DISABLED and step % 5 == 0 and ended.any():
            same(env.reset(options={"reset_mask": ended})[0], twin.reset(options={"reset_mask": ended})[0])
    assert ends > 20 and asked[6] == 0 < asked[26] < asked[66] and asked[46] == asked[27] or mode is AutoresetMode.DISABLED
    env.close(), twin.close()


def same(one, two):
    """Checks that observations are equal, in dicts, too."""
    if isinstance(one, dict):
        one, two = (np.concatenate([x["observations"], x["action_mask"]], 1) for x in (one, two))
    assert (one == two).all()


def test_set_opponents_where_it_cannot_be():
    env = pigpen.PigVectorEnv(8, target=30)
    env.set_opponents(Hold(5, 30))  # before the first reset
    env.reset(seed=1)
    with pytest.raises(pigpen.BadArgument, match="2 opponents for 1"):
        env.set_opponents(["hold-5", "hold-6"])
    env.set_opponents("hold-5")
    with pytest.raises(pigpen.CommandFailed, match="nobody"):
        env.set_opponents(pigpen.Pool(["nobody"]))
    env.step(np.ones(8, np.int64))
    env.close()
    env.set_opponents(Hold(6, 30))  # for the next reset
    env.reset(seed=1)
    assert env._settings.opponents.at == 6
    env.close()
    with pytest.raises(pigpen.BadArgument, match="every seat"):
        env = pigpen.PigSelfPlayVectorEnv(2)
        try:
            env.set_opponents("hold-5")
        finally:
            env.close()


def test_set_opponents_of_a_single_environment():
    """Its game, its copies and what they show go on."""
    with gymnasium.make("pigpen/Pig-v0", target=30, seat=1, render_mode="ansi") as made:
        env = made.unwrapped
        made.reset(seed=1)
        seen = made.step(pigpen.ROLL)[0]
        rule = Hold(9, 30)
        env.set_opponents(rule)
        assert "hold" in env.render() and env.action_masks().tolist() == [bool(seen[1]), True]
        after = made.step(pigpen.HOLD)[0]
        assert rule.asked and after[2] >= seen[2]
        env.set_opponents("always-roll")
        copied = copy.deepcopy(env)
        for _ in range(4):
            assert (env.step(pigpen.ROLL)[0] == copied.step(pigpen.ROLL)[0]).all()
        copied.close()


def test_an_opponent_that_fails_leaves_the_games_usable():
    """A step in which one raises is finished by the next: it is still the learner's turn there."""
    fails = [False]
    rule = Hold(5, 30)

    def broken(observations, action_mask):
        if fails[0]:
            raise ZeroDivisionError("an opponent's own fault")
        return rule(observations, action_mask)

    n, rng = 20, np.random.default_rng(1)
    settings = {"target": 30, "autoreset_mode": AutoresetMode.DISABLED}
    env, twin = pigpen.PigVectorEnv(n, opponents=broken, **settings), pigpen.PigVectorEnv(n, opponents="hold-5", **settings)
    env.reset(seed=1), twin.reset(seed=1)
    raised = 0
    for step in range(60):
        actions = rng.integers(0, 2, n)
        fails[0] = step % 7 == 3
        try:
            seen = env.step(actions)[0]
        except ZeroDivisionError:
            raised += 1
            fails[0] = False
            seen = env._see(env._refresh())
            assert (env._games._learners(env._rows) == env._rows.observations).all()
        assert (seen == twin.step(actions)[0]).all(), step
    assert raised > 2
    env.close(), twin.close()


def test_pools():
    one, two, three = Hold(3, 20), Hold(4, 20), Hold(5, 20)
    pool = pigpen.Pool([one, two], [3, 1])
    env = pigpen.PigVectorEnv(200, opponents=pool, target=20, autoreset_mode="SameStep")
    env.reset(seed=1)
    drawn = env._games._drawn[:, 0].copy()
    assert 120 < (drawn == 0).sum() < 180  # 150 are expected
    env.reset(seed=1)
    assert (env._games._drawn[:, 0] == drawn).all()
    ones = np.ones(200, np.int64)
    ended = np.zeros(200, np.bool_)
    for _ in range(10):
        *_, terminated, _, _ = env.step(ones)
        ended |= terminated
    assert ended.any() and not ended.all()
    assert (env._games._drawn[~ended, 0] == drawn[~ended]).all()  # for a whole episode
    assert one.asked and two.asked
    pool.add(three, 4)
    pool.set_weights([0, 0, 1])
    env.reset(seed=2)
    before = one.asked, two.asked
    for _ in range(10):
        env.step(ones)
    assert three.asked and (one.asked, two.asked) == before
    env.close()
    for members, weights in [([], None), ([one], [1, 2]), ([one], [0]), ([one, two], [1, -1]), ([one], [float("nan")])]:
        with pytest.raises(pigpen.BadArgument):
            pigpen.Pool(members, weights)
    with pytest.raises(pigpen.BadArgument):
        pool.set_weights([1])
    assert pool.weights == [0, 0, 1]


def test_a_pool_of_names_files_and_functions(tmp_path):
    """Each plays its games, as often as its weight says, and no process is left of those that have gone."""
    states = pigpen.decision_points(20)
    file = tmp_path / "hold7.msgpack"
    pigpen.save_policy(file, states, states[:, 1] < 7, target=20)
    third = Hold(11, 20)
    pool = pigpen.Pool(["hold-3", file, third], [1, 2, 3])
    env = pigpen.PigVectorEnv(600, opponents="always-roll", target=20, autoreset_mode="SameStep")
    env.reset(seed=1)
    env.step(np.ones(600, np.int64))
    before = len(children())
    env.set_opponents(pool)
    assert len(children()) == before + 2
    for _ in range(2):  # as drawn when they were set, and as drawn for the episodes of a reset
        drawn = env._games._drawn[:, 0].copy()
        assert (np.abs(np.bincount(drawn, minlength=3) - [100, 200, 300]) < 45).all()
        held = np.zeros(3, bool)
        for _ in range(6):
            before_step = env._games.views().observations[:, 1, 0]
            _, _, terminated, truncated, _ = env.step(np.zeros(600, np.int64))
            banked = env._games.views().observations[:, 1, 0] - before_step
            going = ~(terminated | truncated) & (env._games._drawn[:, 0] == drawn) & (banked > 0) & (before_step < 9)
            for member, least in enumerate([3, 7, 11]):
                mine = banked[going & (drawn == member)]
                assert (mine >= least).all() and (mine < least + 6).all()
                held[member] |= len(mine) > 0
        assert held.all()
        env.reset(seed=2)
    env.set_opponents(third)
    assert len(children()) == before
    env.close()


def test_opponents_that_cannot_be():
    for wrong, kind in [
        (3, (TypeError, pigpen.PigpenError)),
        ([len, len], pigpen.BadArgument),
        (pigpen.Pool(["nobody"]), pigpen.PigpenError),
        ([None], pigpen.BadArgument),
    ]:
        with pytest.raises(kind):
            pigpen.PigVectorEnv(2, opponents=wrong)
    for wrong in (lambda o, m: [1], lambda o, m: np.full(len(o), 0.5), lambda o, m: np.full(len(o), 300)):
        env = pigpen.PigVectorEnv(3, opponents=wrong)
        env.reset(seed=1)
        with pytest.raises(pigpen.BadArgument):
            for _ in range(50):
                env.step([0, 0, 0])
        env.close()
    with pytest.raises(ZeroDivisionError):
        env = pigpen.PigEnv(opponents=lambda o, m: 1 // 0)
        try:
            env.reset(seed=1)
            for _ in range(50):
                env.step(0)
        finally:
            env.close()
