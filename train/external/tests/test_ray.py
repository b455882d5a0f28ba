"""RLlib and Ray Tune on a cluster of two nodes, with processes killed in the middle; run with ``-m ray``."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import pigpen

pytestmark = pytest.mark.ray

# A machine with other work needs longer to start Ray than Ray waits by default.
os.environ.setdefault("RAY_agent_register_timeout_ms", "120000")
os.environ.setdefault("RAY_worker_register_timeout_seconds", "300")
os.environ.setdefault("RAY_AUTH_MODE", "disabled")


@pytest.fixture(autouse=True)
def no_leaks():
    """Ray's own processes come and go as it likes."""
    yield


@pytest.fixture(scope="module")
def cluster():
    """Two nodes of one processor for each of the two runners, and one more."""
    import ray
    from ray.cluster_utils import Cluster

    print("ray", ray.__version__, "torch", importlib.metadata.version("torch"), "gymnasium", importlib.metadata.version("gymnasium"))
    nodes = started(lambda: Cluster(initialize_head=True, head_node_args={"num_cpus": 2}))
    started(lambda: nodes.add_node(num_cpus=2))
    nodes.wait_for_nodes()
    ray.init(address=nodes.address, log_to_driver=False)
    assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def started(start):
    """Tries again where the machine has so much other work that Ray's wait of 30 s is over."""
    for _ in range(4):
        with contextlib.suppress(Exception):
            return start()
    return start()


def small(config):
    return config.training(train_batch_size_per_learner=256, minibatch_size=128, num_epochs=1)


def serving():
    """The processes of pigpen serve on this machine, by the process that has started them."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{pid}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if words[0].endswith(b"pigpen") and b"serve" in words:
            found.setdefault(parent, []).append(int(pid))
    return found


def spread(config):
    """Lets Ray put the two runners on different nodes."""
    return config.env_runners(num_env_runners=2, num_cpus_per_env_runner=2, num_envs_per_env_runner=2).resources(
        num_cpus_for_main_process=0
    )


def train_through_kills(config, modules):
    """Trains, kills the games of one node and the runner of the other, and trains on."""
    import ray

    algorithm = spread(small(config)).build_algo()
    try:
        where = algorithm.env_runner_group.foreach_env_runner(
            lambda runner: (os.getpid(), ray.get_runtime_context().get_node_id()), local_env_runner=False
        )
        assert len({node for _, node in where}) == 2, f"the runners are on one node: {where}"
        algorithm.train()
        (first, _), (second, _) = where
        for pid in serving()[first]:
            os.kill(pid, signal.SIGKILL)
        os.kill(second, signal.SIGKILL)
        for _ in range(30):
            result = algorithm.train()
            if algorithm.env_runner_group.num_healthy_remote_workers() == 2:
                break
        result = algorithm.train()
        assert algorithm.env_runner_group.num_healthy_remote_workers() == 2
        assert len(set(algorithm.env_runner_group.foreach_env_runner(lambda r: os.getpid(), local_env_runner=False)) - {second}) == 2
        learners = result["learners"]
        for module in modules:
            assert np.isfinite(learners[module]["total_loss"]) and learners[module]["entropy"] > 0
        returns = result["env_runners"]
        assert returns["num_episodes_lifetime"] > 10 and -1 <= returns["episode_return_mean"] <= 1
    finally:
        algorithm.stop()


def test_rllib_single_agent_with_masks(cluster):
    from pigpen import rllib

    train_through_kills(rllib.masked_ppo("pigpen/Piglet-v0", illegal="error", seat="random", target=5), ["default_policy"])


def test_rllib_self_play(cluster):
    from pigpen import rllib

    train_through_kills(rllib.self_play_ppo("pigpen/Piglet-v0", target=5), ["learner"])


def test_rllibs_own_check():
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    from pigpen import rllib

    for variant in pigpen.ENVS.values():
        for players in (2, 3):
            env = rllib.PigMultiAgentEnv({"variant": variant, "players": players})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for seed in range(20):
                    np.random.seed(seed)
                    check_multiagent_environments(env)
            rng, total = np.random.default_rng(1), np.zeros(players)
            for seed in range(5):
                seen, _ = env.reset(seed=seed)
                over = False
                while not over:
                    (agent,) = seen
                    assert env.observation_spaces[agent].contains(seen[agent])
                    seen, rewards, terminated, truncated, _ = env.step({agent: int(rng.integers(2))})
                    over = terminated["__all__"] or truncated["__all__"]
                assert set(rewards) == set(seen) == set(env.possible_agents)
                total += [rewards[agent] for agent in env.possible_agents]
            assert abs(total.sum()) < 1e-6
            env.close()


def test_sweep(cluster, tmp_path):
    from pigpen.sweep import sweep

    killed = []

    def kill():
        """Kills one training in the middle."""
        end = time.monotonic() + 120
        while not killed and time.monotonic() < end:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/cmdline", "rb") as file:
                        words = file.read().split(b"\0")
                except (FileNotFoundError, ProcessLookupError):
                    continue
                if words[0].endswith(b"pigpen") and b"train" in words and b"--seed=2" in words:
                    os.kill(int(pid), signal.SIGKILL)
                    killed.append(int(pid))
                    return

    thread = threading.Thread(target=kill)
    thread.start()
    done = sweep(
        {"agent": ["qlearning", "montecarlo"], "recipe": ["textbook"]},
        seeds=2, steps=4_000_000, eval_every=500_000, fixed={"target": 20}, storage=tmp_path,
    )  # fmt: skip
    thread.join()
    assert killed and not done.errors and len(done.rows) == 4
    best = done.rows[0]
    assert best["policy_file"] and pigpen.evaluate(best["policy_file"])["win_mean"] == pytest.approx(best["win_mean"])
    assert all(row["win_mean"] <= best["win_mean"] for row in done.rows)
    table = done.table()
    assert table.splitlines()[0].split()[:3] == ["agent", "recipe", "seed"] and len(table.splitlines()) == 5
    print(table)
    done.write_csv(tmp_path / "table.csv")
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 5
    bad = sweep({"recipe": ["none"]}, seeds=1, steps=1000, eval_every=100, max_failures=0, storage=tmp_path)
    assert len(bad.errors) == 1 and "none" in bad.errors[0]
    with pytest.raises(pigpen.BadArgument):
        sweep({"seed": [1]}, steps=10, eval_every=5)
