"""MaskablePPO of sb3-contrib learns Pig against hold-20, and is scored exactly.

The agent sees nothing but observations, masks and who won. What it would do in every
state becomes a table, the table a policy file, and Pigpen tells how often that wins
against hold-20 and against perfect play. Usage: ppo.py [steps] [target]; needs the
extra "sb3": pip install 'train/external[sb3]'.
"""

from __future__ import annotations

import sys
import time

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO

import pigpen
from pigpen.sb3 import SB3VecEnv

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
TARGET = int(sys.argv[2]) if len(sys.argv) > 2 else 100
FILE = "ppo.msgpack"


def main() -> None:
    torch.set_num_threads(1)
    env = SB3VecEnv(
        gymnasium.make_vec(
            "pigpen/Pig-v0",
            num_envs=1024,
            autoreset_mode=AutoresetMode.SAME_STEP,
            target=TARGET,
            opponents="hold-20",
            seat="rotate",
        )
    )
    agent = MaskablePPO(
        "MlpPolicy", env, n_steps=32, batch_size=4096, n_epochs=4, gamma=1.0, gae_lambda=0.95,
        learning_rate=lambda left: 2e-3 * left, ent_coef=0.005, seed=1, device="cpu",
    )  # fmt: skip
    began = time.perf_counter()
    agent.learn(STEPS)
    seconds = time.perf_counter() - began
    print(f"{agent.num_timesteps} decisions in {seconds:.0f} s, {agent.num_timesteps / seconds:.0f} a second")

    states = pigpen.decision_points(TARGET)
    parts = [agent.predict(part, deterministic=True)[0] for part in np.array_split(env.scale(states), 50)]
    saved = pigpen.save_policy(FILE, states, np.concatenate(parts), target=TARGET, agent="maskable-ppo")
    env.close()
    for against in ("hold-20", "optimal"):
        mine = pigpen.evaluate(FILE, against=against)
        teacher = pigpen.evaluate("hold-20", against=against, target=TARGET)
        print(f"against {against}: wins {mine['win_mean']:.4%}; hold-20 wins {teacher['win_mean']:.4%}")
    assert saved.score is not None
    print(f"exploitability {saved.score['exploitability']:.6f}; the policy is in {FILE}")


if __name__ == "__main__":
    main()
