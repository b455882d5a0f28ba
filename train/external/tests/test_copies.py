"""Copies of environments and policies: a session of their own, and the same state."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from multiprocessing import resource_tracker

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import pigpen

resource_tracker.ensure_running()  # the process that "spawn" needs, which stays

WAYS = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "cloudpickle": lambda thing: cloudpickle.loads(cloudpickle.dumps(thing)),
    "deepcopy": copy.deepcopy,
}


def hold_9(observations, action_mask):
    return observations[:, 1] < 9


@pytest.fixture(params=WAYS)
def copied(request):
    return WAYS[request.param]


def trail(env, steps, seed=0):
    """What a single environment shows for random actions, resets included."""
    rng, shown = np.random.default_rng(seed), []
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(int(rng.integers(2)))
        shown.append((observation.tolist(), reward, terminated, truncated, info["action_mask"].tolist()))
        if terminated or truncated:
            observation, info = env.reset()
            shown.append((observation.tolist(), info["action_mask"].tolist()))
    return shown


@pytest.mark.parametrize("opponents", ["random", hold_9, pigpen.Pool(["hold-5", hold_9])])
def test_single(copied, opponents):
    with gymnasium.make("pigpen/Pig-v0", opponents=opponents, seat="random", target=30) as env:
        env.reset(seed=4)
        trail(env, 33)
        other = copied(env)
        assert other.unwrapped.client is not env.unwrapped.client or other.unwrapped._games is not env.unwrapped._games
        assert other.spec.id == "pigpen/Pig-v0"
        assert trail(env, 300, 1) == trail(other, 300, 1)
        other.close()
        trail(env, 3)


def test_before_the_first_reset_and_closed(copied):
    env = pigpen.PigEnv()
    other = copied(env)
    env.reset(seed=1), other.reset(seed=1)
    assert trail(env, 40) == trail(other, 40)
    env.close()
    third = copied(env)
    with pytest.raises(pigpen.NoEpisode):
        third.step(1)
    third.reset(seed=1)
    third.close(), other.close()


def test_in_a_session_of_the_callers(copied):
    with pigpen.Client(format="jsonl") as client:
        env = gymnasium.make("pigpen/Pig-v0", client=client)
        env.reset(seed=1)
        other = copied(env)
        assert other.unwrapped.client is not client and other.unwrapped.client.format == "jsonl"
        assert trail(env, 40) == trail(other, 40)
        env.close(), other.close()


@pytest.mark.parametrize("opponents", ["random", hold_9])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_vector(copied, mode, opponents):
    env = gymnasium.make_vec(
        "pigpen/Piglet-v0", num_envs=30, autoreset_mode=mode, opponents=opponents, seat="rotate", step_limit=7
    )
    env.reset(seed=4)
    rng = np.random.default_rng(1)
    for _ in range(20):
        env.step(rng.integers(0, 2, 30))
    other = copied(env)
    assert other.client.pid != env.client.pid
    for _ in range(60):
        actions = rng.integers(0, 2, 30)
        one, two = env.step(actions), other.step(actions)
        assert all((a == b).all() for a, b in zip(one[:4], two[:4]))
        assert (one[4]["action_mask"] == two[4]["action_mask"]).all()
    env.close(), other.close()


def test_every_seat(copied):
    env = pigpen.PigSelfPlayVectorEnv(20, target=20)
    env.reset(seed=1)
    ones = np.ones(20, np.int64)
    env.step(ones)
    other = copied(env)
    for _ in range(30):
        assert (env.step(ones)[0] == other.step(ones)[0]).all()
    env.close(), other.close()


@pytest.mark.parametrize("make", ["aec_env", "parallel_env"])
def test_pettingzoo(copied, make):
    env = getattr(pigpen, make)(players=3, target=20)
    env.reset(seed=2)

    def trail(env):
        rng, shown = np.random.default_rng(1), []
        while env.agents and len(shown) < 200:
            actions = rng.integers(0, 2, 3)
            if make == "aec_env":
                observation, reward, terminated, *_ = env.last()
                shown.append((env.agent_selection, str(observation), reward, terminated))
                env.step(None if terminated else int(actions[0]))
            else:
                shown.append(str(env.step(dict(zip(env.agents, actions.tolist())))[:3]))
        return shown

    env.step(1 if make == "aec_env" else dict.fromkeys(env.agents, 1))
    other = copied(env)
    assert trail(env) == trail(other)
    env.close(), other.close()


def test_policy(copied):
    states = pigpen.decision_points(20)
    with pigpen.Policy("hold-7", target=20) as policy, copied(policy) as other:
        assert other.client.pid != policy.client.pid and other.target == 20
        assert (policy.act(states) == other.act(states)).all()
    assert copied(policy).client.closed


def test_state_and_restore():
    with pigpen.PigEnv(target=30) as env:
        with pytest.raises(pigpen.NoEpisode):
            env.state()
        env.reset(seed=1)
        env.step(1)
        kept = env.state()
        first = trail(env, 50)
        observation, info = env.restore(kept)
        assert trail(env, 50) == first and info["action_mask"].shape == (2,)
        with pytest.raises(pigpen.BadState):
            env.restore(kept[:-3])
        with pigpen.PigEnv(target=30) as other:
            other.restore(kept)
            assert trail(other, 50)[:3] == first[:3]
        env.close()
        env.restore(kept)
        assert trail(env, 5)[:5] == first[:5]
    env = pigpen.PigVectorEnv(5, opponents=hold_9)
    env.reset(seed=1)
    for states in (b"", b"\x80", b"\x81\xa3rng\x01"):
        with pytest.raises(pigpen.BadState):
            env.restore(states)
    env.close()


def rolled(env):
    env.reset(seed=9)
    observation, *_ = env.step(1)
    return observation.tolist()


def test_processes_that_spawn():
    with pigpen.PigEnv() as env, multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(rolled, [env] * 3) == [rolled(env)] * 3
        pool.close()
        pool.join()


def test_exceptions_can_be_pickled():
    errors = [pigpen.CommandFailed("no", 2), pigpen.ServerEnded("gone", "last words", -9), pigpen.TimedOut("late")]
    for error in errors:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error) and again.__dict__ == error.__dict__


def test_a_session_says_that_it_cannot_be_copied(copied):
    with pigpen.Client() as client, pytest.raises(TypeError, match="a Client is a process"):
        copied(client)
