"""Every seat as an agent, by PettingZoo's own tests and by the rules."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

import pigpen
from pigpen.pettingzoo import raw_env

VARIANTS = list(pigpen.ENVS.values())


@pytest.mark.filterwarnings(
    "error",  # but for what is meant so: zeros at the start and the end, and dicts, for their masks
    "ignore:Observation numpy array is all zeros",
    "ignore:Action mask numpy array is all zeros",
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("variant", VARIANTS)
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


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("variant", ["pig", "pig-last-round"])
def test_a_game_from_every_seat(variant, players):
    if (variant, players) == ("pig-last-round", 1):
        pytest.skip("pig-last-round is for two and more")
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
