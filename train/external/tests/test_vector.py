"""The vector environment: in lockstep with single ones, in every autoreset mode."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

import pigpen

MODES = list(AutoresetMode)


def make(num_envs, mode=AutoresetMode.NEXT_STEP, id="pigpen/Pig-v0", **kwargs):
    return gymnasium.make_vec(id, num_envs=num_envs, autoreset_mode=mode, **kwargs)


def choose(rng, mask):
    """Random legal actions; roll where a game is done."""
    return np.where(mask.all(1), rng.random(len(mask)) < 0.7, True).astype(np.int64)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("id", ["pigpen/Piglet-v0", "pigpen/PigLastRound-v0", "pigpen/PigSnakeEyes-v0"])
@pytest.mark.parametrize("illegal", ["never", "roll", "noop", -0.25])
def test_lockstep_with_single_environments(mode, id, illegal):
    """SyncVectorEnv of single environments is what Gymnasium means by each mode."""
    n, rng = 7, np.random.default_rng(1)
    settings = {"players": 3, "opponents": ["hold-2", "random"], "target": 6, "step_limit": 9}
    settings["illegal"] = "error" if illegal == "never" else illegal
    many = make(n, mode, id, **settings)
    with pigpen.Client() as client:
        one = gymnasium.make_vec(
            id, n, vectorization_mode="sync", max_episode_steps=-1, vector_kwargs={"autoreset_mode": mode}, client=client, **settings
        )
        seeds = [11, 5, 2**64 - 1, 0, 11, 3, 1 << 40]
        seen, expected = many.reset(seed=seeds), one.reset(seed=seeds)
        assert data_equivalence(seen, expected, exact=True)
        ends = 0
        for _ in range(150):
            mask = seen[-1]["action_mask"]
            actions = choose(rng, mask) if illegal == "never" else rng.integers(0, 2, n)
            seen, expected = many.step(actions), one.step(actions)
            for a, b in zip(seen[:4], expected[:4]):
                assert data_equivalence(a, b, exact=True)
            assert data_equivalence(seen[4], expected[4], exact=True)
            ended = seen[2] | seen[3]
            ends += ended.sum()
            if mode is AutoresetMode.DISABLED and ended.any():
                options = {"reset_mask": ended}
                seen, expected = many.reset(options=dict(options)), one.reset(options=dict(options))
                assert (seen[0] == expected[0]).all()
                assert (seen[1]["action_mask"][ended] == expected[1]["action_mask"][ended]).all()
        assert ends > 5 * n
        one.close()
    many.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("id", pigpen.ENVS)
def test_what_a_vector_environment_promises(mode, id):
    n, rng = 33, np.random.default_rng(2)
    env = make(n, mode.value, id, seat="rotate", opponents="random")
    assert env.metadata["autoreset_mode"] is mode and env.num_envs == n and env.spec.id == id
    assert env.unwrapped is env and env.autoreset_mode is mode
    observations, infos = env.reset(seed=4)
    assert env.observation_space.contains(observations)
    for _ in range(60):
        actions = choose(rng, infos["action_mask"])
        assert env.action_space.contains(actions)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        assert env.observation_space.contains(observations) and observations.shape == env.observation_space.shape
        assert observations.dtype == np.float32 and rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == np.bool_
        assert rewards.shape == terminated.shape == truncated.shape == (n,)
        assert infos["action_mask"].dtype == np.int8 and infos["action_mask"].shape == (n, 2)
        assert infos["illegal_action"].dtype == np.int8 and not infos["illegal_action"].any()
        assert infos["_action_mask"].all() and infos["_illegal_action"].all()
        assert (env.unwrapped.action_masks() == infos["action_mask"]).all()
        assert ("final_obs" in infos) == (mode is AutoresetMode.SAME_STEP and bool((terminated | truncated).any()))
        if "final_obs" in infos:
            ended = infos["_final_obs"]
            assert (ended == (terminated | truncated)).all() and (ended == infos["_final_info"]).all()
            assert all(env.single_observation_space.contains(o) for o in infos["final_obs"][ended])
            assert all(o is None for o in infos["final_obs"][~ended])
    env.close()
    env.close()


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
def test_seeds(format):
    def play(env, seed):
        rng = np.random.default_rng(0)
        _, infos = env.reset(seed=seed)
        for _ in range(40):
            observations, *_, infos = env.step(choose(rng, infos["action_mask"]))
        return observations.tolist()

    one, two = make(50), make(50, format=format)
    assert play(one, 3) == play(two, 3) == play(one, 3)
    assert play(one, 3) != play(two, 4)
    one.close()
    two.close()


def test_resting_games_and_masks():
    env = make(4, AutoresetMode.DISABLED, target=2)
    env.reset(seed=1)
    over = np.zeros(4, np.bool_)
    while not over.all():
        observations, _, terminated, _, infos = env.step(np.ones(4, np.int64))
        assert not (terminated & over).any()  # an end is told once
        over |= terminated
        assert (infos["action_mask"].any(1) == ~over).all()
    mask = np.array([True, False, False, True])
    again, infos = env.reset(options={"reset_mask": mask})
    assert (again[~mask] == observations[~mask]).all() and infos["action_mask"][mask, 1].all()
    for bad in ([True] * 4, np.ones(3, np.bool_), np.zeros(4, np.bool_), np.ones(4)):
        with pytest.raises((TypeError, ValueError)):
            env.reset(options={"reset_mask": bad})
    env.close()


def test_illegal_actions_change_nothing():
    env = make(3, illegal="error")
    env.reset(seed=1)
    with pytest.raises(pigpen.IllegalAction, match="2"):
        env.step([1, 1, 0])
    first = env.step([1, 1, 1])[0].tolist()
    env.reset(seed=1)
    assert env.step([1, 1, 1])[0].tolist() == first
    for actions in ([1, 1], [1, 1, 1, 1], [1, 1, 256], [1, 1, -1], [1, 1, 0.5], 1):
        with pytest.raises(ValueError):
            env.step(actions)
    with pytest.raises(pigpen.PigpenError):
        env.step([1, 1, 2])
    env.close()


def test_arrays_are_the_callers():
    env = make(3000, AutoresetMode.SAME_STEP, target=3)
    rng = np.random.default_rng(3)
    observations, infos = env.reset(seed=1)
    kept = []
    for _ in range(20):
        *arrays, infos = env.step(choose(rng, infos["action_mask"]))
        kept.append((arrays, [a.copy() for a in arrays]))
        assert all(a.flags.writeable and a.flags.aligned for a in arrays)
    assert all((a == b).all() for row in kept for a, b in zip(*row))
    env.close()


@pytest.mark.parametrize("limits", [{"max_episode_steps": 2}, {"step_limit": 2}, {"step_limit": 2, "max_episode_steps": -1}])
def test_step_limit(limits):
    env = make(3, **limits)
    env.reset(seed=1)
    assert [env.step([1, 1, 1])[3].all() for _ in range(6)] == [False, True, False, False, True, False]
    env.close()


def test_rendering():
    env = make(3, render_mode="ansi", seat="rotate")
    env.reset(seed=1)
    assert len(env.render()) == 3 and all("Pig to 100" in text for text in env.render())
    env.close()


def test_holds_at_the_beginning_of_a_turn():
    stays = np.zeros(5, np.int64)
    for illegal, moves, pays in [("roll", True, 0), (-0.5, True, -0.5), ("noop", False, 0)]:
        env, twin = make(5, illegal=illegal), make(5)
        env.reset(seed=1), twin.reset(seed=1)
        shown, rewards, *_, infos = env.step(stays)
        assert (shown == (twin.step(stays + 1)[0] if moves else 0)).all()
        assert rewards.tolist() == [pays] * 5 and infos["illegal_action"].tolist() == [1] * 5
        assert infos.keys() == env.step(stays + 1)[4].keys()
        env.close(), twin.close()


@pytest.mark.parametrize("mode", MODES)
def test_networks_observations(mode):
    settings = {"players": 3, "target": 5, "opponents": "hold-2"}
    plain = make(9, mode, "pigpen/PigLastRound-v0", dtype="int16", **settings)
    made = {
        "float": make(9, mode, "pigpen/PigLastRound-v0", **settings),
        "unit": make(9, mode, "pigpen/PigLastRound-v0", normalize=True, **settings),
        "dict": make(9, mode, "pigpen/PigLastRound-v0", mask="observation", **settings),
    }
    high = plain.single_observation_space.high
    assert plain.single_observation_space.dtype == np.int16 and made["unit"].single_observation_space.high.max() == 1
    rows, infos = plain.reset(seed=2)
    for env in made.values():
        env.reset(seed=2)
    rng, ends, top = np.random.default_rng(1), 0, 0.0
    for _ in range(200):
        actions = choose(rng, infos["action_mask"])
        rows, _, terminated, _, infos = plain.step(actions)
        seen = {name: env.step(actions) for name, env in made.items()}
        assert (seen["float"][0] == rows).all() and seen["float"][0].dtype == np.float32
        assert (seen["unit"][0] == (rows / high).astype(np.float32)).all()
        assert (plain.encode(rows) == rows).all() and (made["unit"].encode(rows) == seen["unit"][0]).all()
        assert (seen["dict"][0]["observations"] == rows).all()
        assert (seen["dict"][0]["action_mask"] == infos["action_mask"]).all()
        for name, env in made.items():
            assert env.observation_space.contains(seen[name][0])
        if mode is AutoresetMode.SAME_STEP and terminated.any():
            i = int(np.argmax(terminated))
            assert made["dict"].single_observation_space.contains(seen["dict"][4]["final_obs"][i])
            assert (seen["unit"][4]["final_obs"][i] == (infos["final_obs"][i] / high).astype(np.float32)).all()
        if mode is AutoresetMode.DISABLED and terminated.any():
            _, infos = plain.reset(options={"reset_mask": terminated})
            for env in made.values():
                env.reset(options={"reset_mask": terminated})
        ends, top = ends + terminated.sum(), max(top, float(seen["unit"][0].max()))
    assert ends > 20 and top == 1
    for env in (plain, *made.values()):
        env.close()


def test_gymnasiums_rescaling_works_on_the_default():
    env = gymnasium.wrappers.vector.RescaleObservation(make(50), 0, 1)
    observations, infos = env.reset(seed=1)
    for _ in range(5):
        observations, *_ = env.step(np.ones(50, np.int64))
    assert observations[:, 1].max() > 0.05
    env.close()


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("mode", MODES)
def test_every_seat_the_callers(mode, players):
    n, rng = 40, np.random.default_rng(1)
    env = pigpen.PigSelfPlayVectorEnv(n, "pig-last-round", players, target=8, first="random", autoreset_mode=mode)
    with pigpen.Client() as client:
        games = client.make(pigpen.Game("pig-last-round", players, 8), n, first="random", autoreset=mode.name.lower())
        shown, infos = env.reset(seed=3)
        rows = games.reset(3)
        ends = 0
        for _ in range(150):
            assert (shown == rows.observations).all() and env.observation_space.contains(shown)
            assert (infos["action_mask"] == rows.action_mask).all() and (infos["seat"] == rows.seats).all()
            wanted = rng.integers(0, 2, n)
            legal = np.where(rows.action_mask.all(1) | ~rows.action_mask.any(1), wanted, 1)
            shown, rewards, terminated, truncated, infos = env.step(wanted)
            must = ~rows.action_mask[:, 0].astype(bool) & rows.action_mask[:, 1].astype(bool)
            rows = games.step(legal)
            assert (rewards == rows.rewards).all() and rewards.shape == (n, players)
            assert (terminated == rows.terminated).all() and not truncated.any()
            assert (infos["illegal_action"] == (must & (wanted == 0))).all()
            assert np.allclose(rewards.sum(1), 0, atol=1e-6)
            if "final_obs" in infos:
                assert (infos["final_obs"] == rows.final_observations).all()
            ends += int(terminated.sum())
            if mode is AutoresetMode.DISABLED and terminated.any():
                shown, infos = env.reset(options={"reset_mask": terminated})
                rows = games.reset(mask=terminated)
        assert ends > 50
    env.close()
