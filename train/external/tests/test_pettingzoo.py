"""Every seat as an agent, by PettingZoo's own tests and by the rules."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import numpy as np
import pytest
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)

import pigpen
from pigpen.pettingzoo import cycled_env, raw_env

VARIANTS = list(pigpen.ENVS.values())


def extremes():
    """Every game with the fewest players that can be, with 2, with 3, and with the most."""
    with pigpen.Client() as client:
        variants = client.hello["variants"]
    assert {v["variant"] for v in variants} == set(VARIANTS)
    return [(v["variant"], n) for v in variants for n in sorted({v["min_players"], 2, 3, v["max_players"]})]


EXTREMES = extremes()


def tables(*numbers):
    """Pig, and the game with a last round, which is for two and more, with these numbers of players."""
    return [(variant, n) for variant in ("pig", "pig-last-round") for n in numbers if n > 1 or variant == "pig"]


@pytest.mark.filterwarnings(
    "error",  # but for what is meant so: zeros at the start and the end, and dicts, for their masks
    "ignore:Observation numpy array is all zeros",
    "ignore:Action mask numpy array is all zeros",
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)
@pytest.mark.parametrize("variant, players", EXTREMES)
def test_api(variant, players):
    env = pigpen.aec_env(variant, players, render_mode="ansi")
    api_test(env, num_cycles=60)
    env.close()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seed(players):
    seed_test(lambda: pigpen.aec_env(players=players, first="random"), num_cycles=60)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_step_limit(players):
    env = pigpen.aec_env(players=players, step_limit=5)
    env.reset(seed=1)
    steps = 0
    for agent in env.agent_iter():
        *_, terminated, truncated, _ = env.last()
        assert truncated == (steps == 5) and not terminated
        env.step(None if truncated else pigpen.ROLL)
        steps += not truncated
    assert steps == 5 and env.agents == []
    env.close()


@pytest.mark.parametrize("variant, players", tables(1, 2, 3, 4))
def test_a_game_from_every_seat(variant, players):
    env = raw_env(variant, players, target=30, first="random")
    rng = np.random.default_rng(1)
    for seed in range(15):
        env.reset(seed=seed)
        total = dict.fromkeys(env.possible_agents, 0.0)
        while not any(env.terminations.values()):
            mover = env.agent_selection
            seen = {agent: env.observe(agent) for agent in env.agents}
            own = [int(seen[agent]["observation"][0]) for agent in env.possible_agents]
            for seat, agent in enumerate(env.possible_agents):
                row = seen[agent]["observation"].tolist()
                assert row[2 : players + 1] == [own[(seat + k) % players] for k in range(1, players)]
                assert env.observation_space(agent).contains(seen[agent])
                assert agent == mover or (row[1] == 0 and not seen[agent]["action_mask"].any())
            if variant == "pig-last-round":
                assert sorted(int(s["observation"][-1]) for s in seen.values()) == list(range(players))
            mask = seen[mover]["action_mask"]
            env.step(int(rng.random() < 0.7) if mask.all() else pigpen.ROLL)
            if env.agent_selection != mover and not any(env.terminations.values()):
                assert env.observe(mover)["observation"][1] == 0
            for agent, reward in env.rewards.items():
                total[agent] += reward
        assert all(env.terminations.values())
        if players == 1:
            assert total["player_0"] <= -1
        else:
            assert sum(total.values()) == pytest.approx(0, abs=1e-6)
            assert max(total.values()) > 0
    env.close()


def test_illegal_actions_raise_and_change_nothing():
    env = pigpen.aec_env(illegal="error")
    env.reset(seed=1)
    before = env.observe("player_0")["observation"].tolist()
    with pytest.raises(pigpen.IllegalAction):
        env.step(pigpen.HOLD)
    assert env.observe("player_0")["observation"].tolist() == before and env.agent_selection == "player_0"
    env.step(pigpen.ROLL)
    env.close()


def test_pictures():
    env = raw_env(players=4, render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    env.step(pigpen.ROLL)
    assert first.dtype == np.uint8 and first.shape == env.render().shape and (first != env.render()).any()
    env.close()


@pytest.mark.parametrize("variant, players", EXTREMES)
def test_pettingzoos_other_tests(variant, players, capsys):
    def make(**kwargs):
        return pigpen.aec_env(variant, players, **kwargs)

    seed_test(make, num_cycles=30)
    render_test(make)
    assert capsys.readouterr().out.count("seat 0 to move") > 0
    parallel = pigpen.parallel_env(variant, players)
    parallel_api_test(parallel, num_cycles=60)
    parallel_seed_test(lambda: pigpen.parallel_env(variant, players), num_cycles=30)

    def cycled(**kwargs):
        return cycled_env(variant, players, **kwargs)

    def together(**kwargs):
        return pigpen.parallel_env(variant, players, **kwargs)

    max_cycles_test(SimpleNamespace(parallel_env=together, env=cycled))
    parallel.close()
    gc.collect()  # those tests close nothing


@pytest.mark.parametrize("variant", VARIANTS)
def test_observations_can_be_saved(variant, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env = pigpen.aec_env(variant, mask="info", normalize=True)
    api_test(env, num_cycles=30)
    env.close()
    picture = raw_env(variant, render_mode="rgb_array")
    picture.reset(seed=1)
    assert picture.render().ndim == 3
    picture.close()


@pytest.mark.parametrize("variant, players", tables(1, 2, 4))
def test_parallel_plays_what_the_other_plays(variant, players):
    aec, parallel = raw_env(variant, players, target=20), pigpen.parallel_env(variant, players, target=20)
    rng = np.random.default_rng(1)
    for seed in range(10):
        aec.reset(seed=seed)
        observations, infos = parallel.reset(seed=seed)
        while parallel.agents:
            mover = aec.agent_selection
            for agent in parallel.agents:
                assert parallel.observation_space(agent).contains(observations[agent])
                assert (observations[agent]["observation"] == aec.observe(agent)["observation"]).all()
                mask = observations[agent]["action_mask"]
                assert mask[:2].tolist() == aec.observe(agent)["action_mask"].tolist()
                assert mask[2] == (agent != mover) and (infos[agent]["action_mask"] == mask).all()
                assert (aec.infos[agent]["action_mask"] == mask[:2]).all()
            actions = {agent: int(rng.integers(3)) for agent in parallel.agents}
            taken = 0 if actions[mover] == 2 else actions[mover]  # waiting is a hold, or a roll where that is illegal
            hold = bool(aec.observe(mover)["action_mask"][0])
            taken = 1 if actions[mover] == 2 else actions[mover]
            observations, rewards, terminated, truncated, infos = parallel.step(actions)
            aec.step(taken)
            assert infos[mover]["illegal_action"] == (actions[mover] == 2 or (actions[mover] == 0 and not hold))
            for agent, reward in rewards.items():
                assert reward == aec.rewards[agent] and terminated[agent] == aec.terminations[agent]
    with pytest.raises(pigpen.EpisodeOver):
        parallel.step({})
    parallel.reset(seed=1)
    with pytest.raises(pigpen.BadArgument, match="player_0's turn"):
        parallel.step({})
    aec.close(), parallel.close()


def test_penalties_and_noops_of_agents():
    for illegal, total, reward in [("roll", True, 0), (-0.5, True, -0.5), ("noop", False, 0)]:
        env = raw_env(illegal=illegal)
        env.reset(seed=1)
        env.step(pigpen.HOLD)
        assert env.rewards == {"player_0": reward, "player_1": 0}
        assert env.infos["player_0"]["illegal_action"] == 1 and env.infos["player_1"]["illegal_action"] == 0
        assert (env.observe("player_0")["observation"][1] > 0) == total
        env.close()
