"""The single environment, by Gymnasium's own checks and by the rules."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import pigpen


def episode(env, seed, policy=lambda observation: observation[1] < 4):
    """Plays one episode and returns everything that was seen in it."""
    observation, info = env.reset(seed=seed)
    seen, over = [(observation.tolist(), info["action_mask"].tolist())], False
    while not over:
        action = int(policy(observation)) if info["action_mask"].all() else pigpen.ROLL
        observation, reward, terminated, truncated, info = env.step(action)
        seen.append((observation.tolist(), info["action_mask"].tolist(), reward, terminated, truncated))
        over = terminated or truncated
    return seen


@pytest.mark.parametrize("id", pigpen.ENVS)
def test_gymnasiums_own_check(id):
    with gymnasium.make(id) as env, warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("id", pigpen.ENVS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_seeds(id, players):
    with gymnasium.make(id, players=players) as one, gymnasium.make(id, players=players, format="jsonl") as two:
        episodes = [episode(one, seed) for seed in range(12)]
        assert episodes == [episode(two, seed) for seed in range(12)]
        assert len({str(e) for e in episodes}) > 6  # other seeds, other dice
        for e in episodes:
            assert [row[3] for row in e[1:]] == [False] * (len(e) - 2) + [True]
            *_, reward, terminated, truncated = e[-1]
            assert reward in (1.0, pytest.approx(-1 / (players - 1))) or "LastRound" in id
            assert one.observation_space.contains(np.array(e[-1][0], np.int16))


def test_without_a_seed_the_dice_are_random_and_go_on():
    def opening(env):
        env.reset()
        return str([env.step(pigpen.ROLL)[0].tolist() for _ in range(8)])

    with gymnasium.make("pigpen/Pig-v0", disable_env_checker=True) as one:
        with gymnasium.make("pigpen/Pig-v0", disable_env_checker=True) as two:
            first = [opening(one) for _ in range(4)]
            assert len(set(first)) == 4
            assert first != [opening(two) for _ in range(4)]


def test_masks_say_what_is_legal():
    with gymnasium.make("pigpen/Pig-v0", opponents="optimal") as env:
        masks = env.get_wrapper_attr("action_masks")
        for seed in range(20):
            for observation, mask, *end in episode(env, seed):
                if end and end[1]:
                    assert mask == [0, 0]
                else:
                    assert mask == [int(observation[1] > 0), 1]
        env.reset(seed=1)
        assert masks().tolist() == [False, True] and masks().dtype == np.bool_


def test_illegal_actions():
    with gymnasium.make("pigpen/Pig-v0") as env:
        env.reset(seed=1)
        after, reward, _, _, info = env.step(pigpen.HOLD)  # which rolls
        assert reward == 0 and info["illegal_action"] == 1 and after[1] > 0
        assert env.step(pigpen.ROLL)[4]["illegal_action"] == 0
    with gymnasium.make("pigpen/Pig-v0", illegal=-0.1) as env:
        env.reset(seed=1)
        seen, reward, *_, info = env.step(pigpen.HOLD)
        assert (seen == after).all() and reward == -0.1 and info["illegal_action"] == 1
        assert env.step(pigpen.ROLL)[1] == 0
    with gymnasium.make("pigpen/Pig-v0", illegal="noop") as env:
        observation, _ = env.reset(seed=1)
        same, reward, terminated, truncated, info = env.step(pigpen.HOLD)
        assert same.tolist() == observation.tolist() and (reward, terminated, truncated) == (0, False, False)
        assert info["illegal_action"] == 1
        assert (env.step(pigpen.ROLL)[0] == after).all()
    with gymnasium.make("pigpen/Pig-v0", illegal="error") as env:
        env.reset(seed=1)
        with pytest.raises(pigpen.IllegalAction) as caught:
            env.step(pigpen.HOLD)
        assert caught.value.code == "illegal_action" and "hold" in str(caught.value)
        assert (env.step(pigpen.ROLL)[0] == after).all()
    for wrong in ("pass", 0.1, float("nan"), True):
        with pytest.raises(pigpen.BadArgument, match="illegal"):
            pigpen.PigEnv(illegal=wrong)
    for wrong in (2, -1, 0.5, [0, 1]):
        with pigpen.PigEnv() as env, pytest.raises((pigpen.PigpenError, ValueError)):
            env.reset(seed=1)
            env.step(wrong)


def test_stalling_is_not_possible():
    """A learner that always holds gets to the end, in far fewer steps than the limit."""
    for id in pigpen.ENVS:
        with gymnasium.make(id) as env:
            env.reset(seed=1)
            for steps in range(2000):
                *_, terminated, truncated, _ = env.step(pigpen.HOLD)
                if terminated or truncated:
                    break
            assert terminated and not truncated and steps < 1000


@pytest.mark.parametrize("id", pigpen.ENVS)
def test_honest_play_stays_below_the_step_limit(id):
    hold = 4 if "Piglet" in id else 20
    for opponents in ("random", f"hold-{hold}", "optimal"):
        with gymnasium.make(id, opponents=opponents) as env:
            assert env.get_wrapper_attr("_max_episode_steps") == pigpen.MAX_EPISODE_STEPS
            most = max(len(episode(env, seed, lambda observation: observation[1] < hold)) for seed in range(30))
            assert most < pigpen.MAX_EPISODE_STEPS / 20


def test_past_the_end():
    with gymnasium.make("pigpen/Piglet-v0", disable_env_checker=True) as env:
        with pytest.raises(pigpen.NoEpisode, match="reset"):
            env.unwrapped.step(1)
        episode(env, 1)
        for _ in range(2):
            with pytest.raises(pigpen.EpisodeOver, match="reset"):
                env.step(1)
            with pytest.raises(gymnasium.error.ResetNeeded):
                env.step(0)
        episode(env, 2)


@pytest.mark.parametrize("settings", [{}, {"step_limit": 3}, {"illegal": "noop"}, {"opponents": "always-roll"}])
def test_infos_have_the_same_keys_and_dtypes(settings):
    rng = np.random.default_rng(1)
    kinds = set()
    with gymnasium.make("pigpen/Piglet-v0", **settings) as env:
        for seed in range(20):
            _, info = env.reset(seed=seed)
            over = False
            while not over:
                kinds.add(tuple((name, type(v).__name__, v.dtype.str, v.shape) for name, v in info.items()))
                *_, terminated, truncated, info = env.step(int(rng.integers(2)))
                over = terminated or truncated
            kinds.add(tuple((name, type(v).__name__, v.dtype.str, v.shape) for name, v in info.items()))
    assert kinds == {(("action_mask", "ndarray", "|i1", (2,)), ("illegal_action", "int8", "|i1", ()))}


@pytest.mark.parametrize("settings", [{"normalize": True}, {"mask": "observation"}, {"dtype": "int16"}])
def test_other_observations(settings):
    with gymnasium.make("pigpen/PigLastRound-v0", players=3, **settings) as env, warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
        with gymnasium.make("pigpen/PigLastRound-v0", players=3, disable_env_checker=True) as plain:
            plain.reset(seed=5), env.reset(seed=5)
            high = plain.observation_space.high
            for _ in range(30):
                row, *_, info = plain.step(1)
                seen = env.step(1)[0]
                if "normalize" in settings:
                    assert (seen == (row / high).astype(np.float32)).all() and env.observation_space.contains(seen)
                elif "mask" in settings:
                    assert (seen["observations"] == row).all() and (seen["action_mask"] == info["action_mask"]).all()
                else:
                    assert (seen == row).all() and seen.dtype == np.int16
                if plain.unwrapped._live is False:
                    break
    with pytest.raises(pigpen.BadArgument, match="float32"):
        pigpen.PigEnv(normalize=True, dtype="int16")


def test_seats_and_opponents():
    opponents = ["hold-20", "always-roll", "random"]
    with gymnasium.make("pigpen/Pig-v0", players=4, opponents=opponents, seat=2) as env:
        assert env.observation_space.shape == (5,)
        assert len(episode(env, 3)) > 2
    openings = set()
    with gymnasium.make("pigpen/Pig-v0", seat="random") as env:
        for seed in range(20):
            observation, _ = env.reset(seed=seed)
            openings.add(int(observation[2]) > 0)
    assert openings == {False, True}  # the other has moved first, or not
    with pytest.raises(pigpen.BadPolicy):
        gymnasium.make("pigpen/Pig-v0", opponents="hold20")
    with pytest.raises(pigpen.PigpenError):
        gymnasium.make("pigpen/Pig-v0", players=4, opponents=["hold-20", "hold-20"])
    with pytest.raises(pigpen.PigpenError):
        gymnasium.make("pigpen/Pig-v0", seat=2)
    with pytest.raises(pigpen.BadGame):
        gymnasium.make("pigpen/Cochon-v0", players=7)
    with pytest.raises(ValueError):
        gymnasium.make("pigpen/Pig-v0", seat="rotate")


def test_a_game_of_one_counts_turns():
    with gymnasium.make("pigpen/Pig-v0", players=1, target=20) as env:
        assert env.observation_space.shape == (2,)
        rows = episode(env, 5)
        turns = 1 + sum(a[0][1] > 0 and b[0][1] == 0 and not b[3] for a, b in zip(rows, rows[1:]))
        assert sum(row[2] for row in rows[1:]) <= -turns


def test_step_limit_truncates():
    with gymnasium.make("pigpen/Pig-v0", step_limit=3) as env:
        rows = episode(env, 1)
        assert len(rows) == 4
        assert [row[4] for row in rows[1:]] == [False, False, True] and not rows[-1][3]


def test_options_of_the_variant():
    with gymnasium.make("pigpen/Cochon-v0", options={"spill_to_tail": True}) as env:
        episode(env, 1)
    with pytest.raises(pigpen.BadGame):
        gymnasium.make("pigpen/Cochon-v0", options={"wings": True})


def test_observations_are_the_callers():
    with gymnasium.make("pigpen/Pig-v0", disable_env_checker=True) as env:
        kept, info = env.reset(seed=1)
        copies = kept.copy(), info["action_mask"].copy()
        for _ in range(50):
            observation, *_, other = env.step(pigpen.ROLL)
            observation[:] = 77
            other["action_mask"][:] = 7
        assert (kept == copies[0]).all() and (info["action_mask"] == copies[1]).all()
        assert env.get_wrapper_attr("action_masks")().dtype == np.bool_


@pytest.mark.parametrize("id", pigpen.ENVS)
def test_pictures(id):
    with gymnasium.make(id, players=3, render_mode="rgb_array") as env:
        env.reset(seed=2)
        frames = [env.render()]
        for _ in range(30):
            *_, terminated, truncated, _ = env.step(pigpen.ROLL)
            frames.append(env.render())
            if terminated or truncated:
                break
        assert all(f.dtype == np.uint8 and f.shape == frames[0].shape and f.shape[2] == 3 for f in frames)
        assert any((f != frames[0]).any() for f in frames)
    with pytest.raises(pigpen.BadArgument, match="ansi"):
        pigpen.PigEnv(render_mode="video")


def test_a_person_sees_each_step(capsys):
    with pigpen.PigEnv(render_mode="human") as env:
        env.reset(seed=1)
        assert capsys.readouterr().out.startswith("Pig to 100: seat 0 to move, turn total 0")
        observation, *_ = env.step(pigpen.ROLL)
        assert f"rolled {int(observation[1])}" in capsys.readouterr().out
        assert env.render() is None and "<pre" in env._repr_html_() and "rolled" in env._repr_html_()


def test_text():
    with gymnasium.make("pigpen/Pig-v0", render_mode="ansi", opponents="optimal") as env:
        env.reset(seed=1)
        assert env.render().splitlines()[:2] == [
            "Pig to 100: seat 0 to move, turn total 0",
            "> 0 you      " + 40 * "·" + "   0",
        ]
        observation, *_ = env.step(pigpen.ROLL)
        assert f"turn total {int(observation[1])}" in env.render()
        assert ("rolled" in env.render()) == (observation[1] > 0)
