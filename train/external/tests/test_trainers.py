"""Trainers, each as its users call it, on the package as it is; run with ``-m trainers``.

Each test skips where its package is not installed. What they learn in a few thousand
steps is checked for what would differ if an interface were wrong: shapes, masks that
were kept to, episodes that ended, and that evaluations return.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.metadata
import io
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import pigpen
from conftest import children

pytestmark = pytest.mark.trainers


@pytest.fixture(autouse=True)
def versions(request):
    """Skips where a package is missing; the test's name begins with test_ and what it needs."""
    needs = {"sb3": "stable_baselines3", "contrib": "sb3_contrib", "supersuit": "supersuit"}
    name = request.node.originalname.split("_")[1]
    package = needs.get(name, name if name in ("tianshou", "torchrl") else "torch")
    pytest.importorskip(package)
    told = {p: importlib.metadata.version(p.replace("_", "-")) for p in {package, "torch", "gymnasium"}}
    print(request.node.originalname, *(f"{p} {v}" for p, v in sorted(told.items())))
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def no_leaks():
    """No process of the program is left; what trainers leave open of their own is theirs."""
    yield
    gc.collect()
    names = []
    for child in children():
        with contextlib.suppress(FileNotFoundError):
            names.append(Path(f"/proc/{child}/comm").read_text().strip())
    assert "pigpen" not in names


@pytest.mark.parametrize("algorithm", ["PPO", "A2C", "DQN"])
@pytest.mark.parametrize("illegal", ["roll", -0.1])
def test_sb3(algorithm, illegal):
    import stable_baselines3
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.evaluation import evaluate_policy

    env = gymnasium.make("pigpen/Pig-v0", illegal=illegal, target=30)
    settings = {"PPO": {"n_steps": 64, "batch_size": 64}, "A2C": {}, "DQN": {"learning_starts": 50}}[algorithm]
    agent = getattr(stable_baselines3, algorithm)("MlpPolicy", env, seed=1, device="cpu", **settings)
    agent.learn(256)
    rewards, lengths = evaluate_policy(agent, env, 5, return_episode_rewards=True, warn=False)
    assert len(rewards) == 5 and max(lengths) < 1000
    with gymnasium.make("pigpen/Pig-v0", render_mode="rgb_array") as shown, warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(shown.unwrapped, warn=False)
    env.close()
    agent.get_env().close()


def test_sb3_in_the_readme_of_the_project(capsys):
    readme = Path(__file__).parents[3] / "README.md"
    (block,) = re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL)
    assert len(block.strip().splitlines()) <= 11
    exec(block.replace("20_000", "2_048"), {})
    assert re.search(r"\(.*, .*\)", capsys.readouterr().out)


def test_sb3_evaluations_return_for_unmasked_learners():
    """Untrained and hardly trained ones, of which many always hold."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy

    with gymnasium.make("pigpen/Pig-v0") as env:
        for seed in range(10):
            agent = PPO("MlpPolicy", env, n_steps=32, batch_size=32, seed=seed, device="cpu")
            for steps in (0, 64):
                if steps:
                    agent.learn(steps)
                rewards, lengths = evaluate_policy(agent, env, 3, return_episode_rewards=True, warn=False)
                assert set(rewards) <= {1.0, -1.0} and max(lengths) < pigpen.MAX_EPISODE_STEPS


@pytest.mark.parametrize("settings", [{"mask": "observation", "normalize": True}, {"normalize": True}, {"dtype": "int16"}])
def test_sb3_policies_for_every_observation(settings):
    from stable_baselines3 import PPO

    with gymnasium.make("pigpen/Pig-v0", **settings) as env:
        policy = "MultiInputPolicy" if "mask" in settings else "MlpPolicy"
        agent = PPO(policy, env, n_steps=32, batch_size=32, device="cpu").learn(64)
        assert agent.predict(env.reset(seed=1)[0])[0] in (0, 1)


def test_contrib_masks_and_statistics(tmp_path):
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy

    from pigpen.sb3 import SB3VecEnv

    many = gymnasium.make_vec(
        "pigpen/Piglet-v0", num_envs=32, autoreset_mode=AutoresetMode.SAME_STEP, seat="rotate", illegal="error"
    )
    env = SB3VecEnv(many)
    agent = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=256, n_epochs=1, seed=1, device="cpu")
    agent.learn(2048)
    assert len(agent.ep_info_buffer) > 5 and all(info["r"] in (1.0, -1.0) for info in agent.ep_info_buffer)
    rewards, lengths = evaluate_policy(agent, env, 40, return_episode_rewards=True)
    assert set(rewards) == {1.0, -1.0} and min(lengths) > 1
    states = pigpen.decision_points(10)
    actions, _ = agent.predict(env.scale(states), deterministic=True)
    saved = pigpen.save_policy(tmp_path / "ppo.msgpack", states, actions, variant="piglet")
    assert saved.score is not None and 0 < saved.score["win_mean"] <= 0.5
    env.close()


def unit_agent(kind, variant="pig", players=2, wrap=None, **settings):
    """An untrained agent and the SB3VecEnv, perhaps wrapped, that it is for."""
    from pigpen.sb3 import SB3VecEnv

    many = pigpen.PigVectorEnv(4, variant, players, autoreset_mode="SameStep", seat="rotate", step_limit=60)
    env = SB3VecEnv(many)
    return kind("MlpPolicy", env if wrap is None else wrap(env), device="cpu", seed=1, **settings), env


def test_contrib_refuses_observations_of_another_scale(tmp_path):
    """By any policy, of an algorithm or alone, new or from a file, whatever its extractor."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import DQN
    from stable_baselines3.common.evaluation import evaluate_policy

    from pigpen.sb3 import UnitExtractor

    states = pigpen.decision_points(100)
    for kind, settings in (
        (MaskablePPO, {}), (DQN, {}), (MaskablePPO, {"policy_kwargs": {"features_extractor_class": UnitExtractor}}),
    ):  # fmt: skip
        agent, env = unit_agent(kind, **settings)
        agent.save(tmp_path / "agent.zip")
        loaded = kind.load(tmp_path / "agent.zip", device="cpu")
        for one in (agent, agent.policy, loaded):
            for raw in (states, states[-1], [30, 12, 20], [30.0, 12.0, 20.0], states.astype(np.float32), [[0, 2, 0]]):
                with pytest.raises(pigpen.BadArgument, match=r"\[0, 1\].*SB3VecEnv\.scale"):
                    one.predict(raw)
            assert one.predict(env.scale(states))[0].shape == (len(states),)
            assert one.predict([0, 0, 0])[0] in (0, 1)  # the same in both scales
        with gymnasium.make("pigpen/Pig-v0") as other, pytest.raises(pigpen.BadArgument, match="scale"):
            evaluate_policy(loaded, other, 5, warn=False)
        env.close()


@pytest.mark.parametrize("variant", list(pigpen.ENVS.values()))
@pytest.mark.parametrize("players", [2, 3])
def test_sb3_refuses_no_observation_of_its_own(variant, players):
    """Neither what SB3VecEnv shows, ends included, nor what VecNormalize and others make of it."""
    from stable_baselines3 import DQN
    from stable_baselines3.common.vec_env import VecFrameStack, VecNormalize

    for wrap in (None, VecNormalize, lambda env: VecFrameStack(env, 2)):
        agent, env = unit_agent(DQN, variant, players, wrap, learning_starts=0, exploration_final_eps=0.2)
        agent.learn(400)  # it asks predict for each step
        around = agent.get_env()
        observations, ends, rng = around.reset(), 0, np.random.default_rng(1)
        for _ in range(100):
            assert agent.predict(observations)[0].shape == (4,)
            observations, _, done, infos = around.step(rng.integers(0, 2, 4))
            for i in np.flatnonzero(done):
                agent.predict(infos[i]["terminal_observation"])
                ends += 1
        assert ends > 3
        env.close()


def test_contrib_vec_env():
    """What SB3 is told in each step, by a policy that knows nothing of it."""
    from pigpen.sb3 import SB3VecEnv

    wrong = pigpen.PigVectorEnv(2)
    with pytest.raises(pigpen.BadArgument, match="SAME_STEP"):
        SB3VecEnv(wrong)
    wrong.close()
    many = pigpen.PigVectorEnv(32, "piglet", autoreset_mode=AutoresetMode.SAME_STEP, seat="rotate", illegal="error")
    env = SB3VecEnv(many)
    env.seed(3)
    observations = env.reset()
    assert observations.dtype == np.float32 and 0 <= observations.min() <= observations.max() <= 1
    ends = 0
    for _ in range(100):
        actions = np.where(many.action_masks().all(1), 0, 1)
        observations, rewards, done, infos = env.step(actions)
        assert [("terminal_observation" in info) for info in infos] == done.tolist()
        assert (np.abs(rewards) == done).all()
        ends += done.sum()
    assert ends > 0
    env.close()


def test_contrib_self_play_against_a_pool():
    """Past selves as opponents, drawn per game."""
    from sb3_contrib import MaskablePPO

    from pigpen.sb3 import SB3VecEnv

    pool = pigpen.Pool(["hold-4"])
    many = gymnasium.make_vec(
        "pigpen/Piglet-v0", num_envs=16, autoreset_mode="SameStep", opponents=pool, normalize=True, seat="rotate"
    )
    env = SB3VecEnv(many)
    agent = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=64, n_epochs=1, seed=1, device="cpu")
    asked = []
    for _ in range(3):
        agent.learn(256, reset_num_timesteps=False)
        agent.save(file := io.BytesIO())
        past = MaskablePPO.load(file, device="cpu").policy

        def act(observations, action_mask, past=past):
            asked.append(len(observations))
            return past.predict(env.scale(observations), action_masks=action_mask.astype(bool))[0]

        pool.add(act)
    agent.learn(512, reset_num_timesteps=False)
    assert len(pool.members) == 4 and sum(asked) > 100
    env.close()


def test_cleanrl_style_ppo():
    """One file, a vector environment, NEXT_STEP, masks from infos: CleanRL's shape of PPO."""
    import torch
    from torch import nn
    from torch.distributions import Categorical

    torch.manual_seed(1)
    n, steps = 64, 16
    envs = gymnasium.make_vec("pigpen/Piglet-v0", num_envs=n, target=5, seat="rotate", normalize=True)
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    size = envs.single_observation_space.shape[0]
    net = nn.Sequential(nn.Linear(size, 32), nn.Tanh(), nn.Linear(32, 3))  # two logits and a value
    optimizer = torch.optim.Adam(net.parameters(), 3e-3)

    def look(observations, masks):
        out = net(torch.as_tensor(observations))
        logits = out[..., :2].masked_fill(~torch.as_tensor(masks).bool(), -1e9)
        return Categorical(logits=logits), out[..., 2]

    observations, infos = envs.reset(seed=1)
    done, episodes = np.zeros(n, bool), 0
    for _ in range(20):
        rows = []
        for _ in range(steps):
            masks = np.where(infos["action_mask"].any(1, keepdims=True), infos["action_mask"], 1)
            with torch.no_grad():
                choice, value = look(observations, masks)
                action = choice.sample()
            following, reward, terminated, truncated, infos = envs.step(action.numpy())
            assert not infos["illegal_action"].any()
            rows.append((observations, masks, action, choice.log_prob(action), value, reward, done))
            observations, done = following, terminated | truncated
            episodes += int(done.sum())
        with torch.no_grad():
            ahead, gain, gains = look(observations, np.ones((n, 2)))[1], torch.zeros(n), []
        next_done = done
        for _, _, _, _, value, reward, was in reversed(rows):
            alive = torch.as_tensor(~next_done).float()
            gain = torch.as_tensor(reward).float() + alive * ahead - value + 0.95 * alive * gain
            gains.append(gain)
            ahead, next_done = value, was
        good = torch.cat([torch.as_tensor(~row[6]) for row in rows])  # the step that resets is none to learn from
        o, m, a, p, v = (torch.cat([torch.as_tensor(row[k]) for row in rows])[good] for k in range(5))
        g = torch.cat(gains[::-1])[good]
        for _ in range(2):
            choice, value = look(o, m)
            ratio = (choice.log_prob(a) - p).exp()
            loss = -torch.min(ratio * g, ratio.clamp(0.8, 1.2) * g).mean() + 0.5 * ((value - v - g) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert episodes > 500 and np.isfinite(loss.item())
    envs.close()


def test_selfplay_example(tmp_path):
    """The example learns, and logs the exact scores of its policies in the form that plot reads."""
    script = Path(__file__).parent.parent / "examples" / "selfplay.py"
    environment = {**os.environ, "PIGPEN_BIN": pigpen.find_binary(), "COLUMNS": "80"}

    def run(settings):
        command = [sys.executable, str(script), *settings.split()]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)

    done = run("--target 50 --steps 500k --games 256 --horizon 32 --minibatch 2048 --scores 4")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "selfplay.jsonl").read_text().splitlines()]
    assert [row["steps"] for row in rows] == [106496, 180224, 319488, 507904]  # whole rollouts of 8,192
    score = pigpen.evaluate(tmp_path / "selfplay.msgpack")
    assert {key: rows[-1][key] for key in ("win_mean", "exploitability")} == {
        key: score[key] for key in ("win_mean", "exploitability")
    }
    # always-roll wins 42.0%, hold-20 43.2%.
    assert score["win_mean"] > 0.48
    drawn = [pigpen.find_binary(), "plot", "learning", "selfplay.jsonl", "--csv", "curve.csv"]
    subprocess.run(drawn, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert len((tmp_path / "curve.csv").read_text().splitlines()) >= 1 + len(rows)

    # What is wrong is told before anything is learned, and the log stays.
    for settings, told in (
        ("--steps 0", "argument --steps: invalid count value: '0'"),
        ("--out none/policy.msgpack", "there is no folder for none/policy.msgpack"),
        ("--target 1", "the target of pig is from 2 to 1000 points, not 1"),
    ):
        done = run(settings)
        assert done.returncode != 0 and told in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert len((tmp_path / "selfplay.jsonl").read_text().splitlines()) == len(rows)
    assert all(len(line) <= 80 for line in run("--help").stdout.splitlines())  # the width of a terminal


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_torchrl(mode):
    import torch
    from tensordict.nn import TensorDictModule
    from torchrl.envs import GymWrapper

    envs = gymnasium.make_vec("pigpen/Piglet-v0", num_envs=8, autoreset_mode=mode, target=4)
    env = GymWrapper(envs)
    net = torch.nn.Linear(3, 2)
    policy = TensorDictModule(
        lambda seen: torch.nn.functional.one_hot(net(seen).argmax(-1), 2), in_keys=["observation"], out_keys=["action"]
    )
    data = env.rollout(60, policy, break_when_any_done=False)
    assert data["next", "observation"].dtype == torch.float32 and data.shape == (8, 60)
    assert data["next", "done"].any() and data["next", "reward"].abs().max() == 1
    env.close()
    single = GymWrapper(gymnasium.make("pigpen/Pig-v0", target=20))
    from torchrl.envs.utils import check_env_specs

    check_env_specs(single)
    single.close()


def test_tianshou():
    from tianshou.algorithm import DQN
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, SubprocVectorEnv
    from tianshou.utils.net.common import Net

    def make():
        return gymnasium.make("pigpen/Pig-v0", target=20, normalize=True)

    for kind in (DummyVectorEnv, SubprocVectorEnv):
        envs = kind([make] * 3)
        space = make()
        net = Net(state_shape=space.observation_space.shape, action_shape=2, hidden_sizes=[16])
        policy = DiscreteQLearningPolicy(model=net, action_space=space.action_space, eps_training=0.5)
        algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))
        collector = Collector(algorithm, envs, VectorReplayBuffer(600, 3))
        collector.reset()
        stats = collector.collect(n_episode=9)
        assert stats.n_collected_episodes == 9 and set(np.abs(stats.returns)) == {1.0}
        space.close()
        envs.close()


def test_supersuit():
    import supersuit

    parallel = pigpen.parallel_env(players=2, target=20, mask="info")
    vector = supersuit.pettingzoo_env_to_vec_env_v1(parallel)
    many = supersuit.concat_vec_envs_v1(vector, 2, num_cpus=1, base_class="gymnasium")
    observations, _ = many.reset(seed=1)
    ends = 0
    for _ in range(100):
        observations, rewards, terminated, *_ = many.step(np.ones(4, np.int64))
        ends += int(terminated.sum())
    assert observations.shape == (4, 3) and ends > 0
    many.close()
    parallel.close()
