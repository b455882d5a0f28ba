"""PPO learns Pig by self-play in PyTorch, with an exact learning curve.

One actor plays both seats of many games at once. At intervals its likelier
action in every state becomes a table, which Pigpen scores exactly: how often it
wins against perfect play, and how much a best response gains on it. The rows go
to a log that `pigpen plot learning` draws beside those of `pigpen train`. Needs
torch.

Sources: J. Schulman et al., "Proximal Policy Optimization Algorithms" (2017)
and "High-Dimensional Continuous Control Using Generalized Advantage Estimation"
(2016); S. Huang and S. Ontañón, "A Closer Look at Invalid Action Masking in
Policy Gradient Algorithms" (2022).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

import pigpen

FIRST_SCORE = 100_000  # decisions
UNITS = {"k": 10**3, "M": 10**6, "G": 10**9}


@dataclass(frozen=True)
class Settings:
    """The settings of a training; each is an option of the command line."""

    steps: Annotated[int, "decisions of both seats together, as in 16M; rounded up to whole rollouts"] = 16_000_000
    seed: Annotated[int, "of the dice, the networks and their actions"] = 1
    target: Annotated[int, "score that ends the game"] = 100
    out: Annotated[str, "policy file to write"] = "selfplay.msgpack"
    log: Annotated[str, "log to write, in JSON lines; replaces what is there"] = "selfplay.jsonl"
    device: Annotated[str, "torch device of the networks"] = "cpu"
    games: Annotated[int, "games at once"] = 1024
    horizon: Annotated[int, "decisions of each game in a rollout"] = 64
    minibatch: Annotated[int, "decisions of an update"] = 8192
    epochs: Annotated[int, "passes over a rollout"] = 2
    width: Annotated[int, "units in each of the two hidden layers"] = 64
    learning_rate: Annotated[float, "of Adam at the beginning; falls linearly to 0"] = 2e-3
    gae_lambda: Annotated[float, "lambda of generalized advantage estimation"] = 0.9
    clip: Annotated[float, "bound on the change of a probability ratio"] = 0.2
    entropy: Annotated[float, "weight of the entropy at the beginning; falls linearly to 0"] = 0.01
    scores: Annotated[int, "scores for each tenfold of decisions"] = 8


def count(text: str) -> int:
    """Returns a whole number, at least 1, which may have a unit."""
    n = int(text[:-1]) * UNITS[text[-1]] if text[-1:] in UNITS else int(text)
    if n < 1:
        raise ValueError
    return n


def parse_settings() -> Settings:
    """Returns the settings that the command line gives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, hint in get_type_hints(Settings, include_extras=True).items():
        default = getattr(Settings, name)
        flag, text = "--" + name.replace("_", "-"), f"{hint.__metadata__[0]} (default {default})"
        kind = count if isinstance(default, int) and name != "seed" else type(default)
        parser.add_argument(flag, type=kind, default=default, help=text)
    settings = Settings(**vars(parser.parse_args()))
    for file in (settings.out, settings.log):
        if not Path(file).absolute().parent.is_dir():
            parser.error(f"there is no folder for {file}")
    return settings


def network(columns: int, width: int, outputs: int) -> Any:
    """Returns a network of two hidden layers whose outputs begin near 0.

    With tanh in place of ReLU the policy improves far more slowly.
    """
    last = nn.Linear(width, outputs)
    nn.init.normal_(last.weight, std=0.01)
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Linear(columns, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), last)


def log_probabilities(actor: Any, observations: Tensor, mask: Tensor) -> Tensor:
    """Returns the log-probabilities of hold and roll, shape (N, 2), about -1e9 where illegal."""
    return torch.log_softmax(actor(observations).masked_fill(~mask, -1e9), 1)


def values(critic: Any, observations: Tensor) -> Tensor:
    """Returns the expected return of the seat to move, in (-1, 1), shape (N,)."""
    return torch.tanh(critic(observations).squeeze(1))


def decide(actor: Any, observations: Tensor) -> npt.NDArray[np.uint8]:
    """Returns the likelier actions in decision points, where both are legal."""
    with torch.no_grad():
        actions = torch.cat([actor(part).argmax(1) for part in observations.split(1 << 14)])
    return actions.cpu().numpy().astype(np.uint8)


def main() -> None:
    settings = parse_settings()
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    games, horizon, device = settings.games, settings.horizon, settings.device
    env = pigpen.PigSelfPlayVectorEnv(games, target=settings.target, autoreset_mode="SameStep")
    space = env.single_observation_space
    assert isinstance(space, gymnasium.spaces.Box)
    low, high = (torch.as_tensor(bound, device=device).float() for bound in (space.low, space.high))

    def scale(observations: npt.NDArray[Any]) -> Tensor:
        return (torch.as_tensor(observations, device=device).float() - low) / (high - low) * 2 - 1

    actor, critic = (network(len(low), settings.width, outputs).to(device) for outputs in (2, 1))
    parameters = [*actor.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, settings.learning_rate, eps=1e-5)

    # A rollout: what the seat to move saw, could do, did, and got, by decision and game.
    observations = torch.zeros(horizon, games, len(low), device=device)
    masks = torch.zeros(horizon, games, 2, dtype=torch.bool, device=device)
    actions = torch.zeros(horizon, games, dtype=torch.long, device=device)
    old_logs, old_values, rewards, signs, advantages = torch.zeros(5, horizon, games, device=device)

    points = pigpen.decision_points(settings.target)
    others = ("seed", "target", "out", "log", "scores")  # columns of the log, and what changes no policy
    hyperparameters = {name: value for name, value in asdict(settings).items() if name not in others}
    steps, episodes, seconds, due = 0, 0, 0.0, float(FIRST_SCORE)
    rollouts = -(-settings.steps // (games * horizon))
    seen, infos = env.reset(seed=settings.seed)
    with open(settings.log, "w") as log, tempfile.TemporaryDirectory() as folder:
        for rollout in range(rollouts):
            began = time.perf_counter()
            left = 1 - rollout / rollouts
            optimizer.param_groups[0]["lr"] = left * settings.learning_rate

            with torch.no_grad():
                for t in range(horizon):
                    observations[t], masks[t] = scale(seen), torch.as_tensor(infos["action_mask"], device=device).bool()
                    logs = log_probabilities(actor, observations[t], masks[t])
                    actions[t] = torch.rand(games, device=device) < logs[:, 1].exp()
                    old_logs[t] = logs.gather(1, actions[t, :, None]).squeeze(1)
                    old_values[t] = values(critic, observations[t])
                    mover = infos["seat"]
                    seen, gains, terminated, _, infos = env.step(actions[t].cpu().numpy())
                    rewards[t] = torch.as_tensor(gains[np.arange(games), mover], device=device)
                    # What the next seat to move expects, the other seat expects with the opposite sign.
                    sign = np.where(terminated, 0, np.where(infos["seat"] == mover, 1, -1))
                    signs[t] = torch.as_tensor(sign, device=device)
                    episodes += int(terminated.sum())
                ahead, advantage = values(critic, scale(seen)), torch.zeros(games, device=device)
                for t in reversed(range(horizon)):
                    advantage = rewards[t] + signs[t] * (ahead + settings.gae_lambda * advantage) - old_values[t]
                    advantages[t], ahead = advantage, old_values[t]
            steps += games * horizon

            o, m, a, l, v, g = (x.flatten(0, 1) for x in (observations, masks, actions, old_logs, old_values, advantages))
            choice = m.all(1)  # elsewhere the actor has nothing to learn
            returns, g = v + g, g / g[choice].std()
            for _ in range(settings.epochs):
                for part in torch.randperm(len(o), device=device).split(settings.minibatch):
                    logs = log_probabilities(actor, o[part], m[part])
                    ratio = (logs.gather(1, a[part, None]).squeeze(1) - l[part]).exp()
                    clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                    gain = torch.min(ratio * g[part], clipped * g[part])
                    entropy = -(logs.exp() * logs).sum(1)
                    actor_loss = -(gain + left * settings.entropy * entropy)[choice[part]].mean()
                    critic_loss = (values(critic, o[part]) - returns[part]).square().mean()
                    optimizer.zero_grad()
                    (actor_loss + critic_loss).backward()
                    nn.utils.clip_grad_norm_(parameters, 0.5)
                    optimizer.step()
            seconds += time.perf_counter() - began

            last = rollout == rollouts - 1
            if steps >= due or last:
                file = settings.out if last else Path(folder, f"{steps}.msgpack")
                saved = pigpen.save_policy(file, points, decide(actor, scale(points)), target=settings.target, agent="ppo")
                assert saved.score is not None  # the game has two players
                row = {"steps": steps, "episodes": episodes, "seconds": seconds}
                row |= {key: saved.score[key] for key in ("win_mean", "exploitability", "expected_turns")}
                row |= {key: saved.result[key] for key in ("variant", "players", "target", "agent")}
                print(json.dumps(row | {"seed": settings.seed, "settings": hyperparameters}), file=log, flush=True)
                wins, exploitability = row["win_mean"], row["exploitability"]
                print(f"{steps:>11,} decisions {seconds:6.1f} s  wins {wins:.4%}  exploitability {exploitability:.6f}", flush=True)
                while due <= steps:
                    due *= 10 ** (1 / settings.scores)
    env.close()


if __name__ == "__main__":
    try:
        main()
    except pigpen.PigpenError as error:
        sys.exit(f"selfplay.py: {error}")
