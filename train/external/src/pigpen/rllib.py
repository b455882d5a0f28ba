"""The games for RLlib's new API stack; needs the extra ``ray``.

:func:`register` gives every game two names that resolve on every node of a cluster, where
the package needs to be installed, with the program in it: ``"pigpen/Pig-v0"``, one
learner's seat, and ``"pigpen/Pig-agents-v0"``, every seat an agent. :func:`masked_ppo` and
:func:`self_play_ppo` are configurations to start from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium

from . import ENVS
from .agents import Agents
from .errors import BadArgument, packages_of

with packages_of("ray"):
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env


class PigMultiAgentEnv(Agents, MultiAgentEnv):
    """One game; agent ``player_s`` has seat s, and only the agent to move is observed.

    An observation is a dict of ``observations``, float32 in [0, 1], and ``action_mask``,
    int8 of shape (2,), as RLlib's action masking expects it. At the end every agent has
    its reward and sees how the game has ended.

    Args:
        config: the arguments of :class:`~pigpen.pettingzoo.PigAEC`, by name.
    """

    _key = "observations"

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        MultiAgentEnv.__init__(self)  # type: ignore[no-untyped-call]
        given: dict[str, Any] = {"normalize": True, **(config or {})}
        variant, players = str(given.pop("variant", "pig")), int(given.pop("players", 2))
        self._build(variant, players, given, 2)  # type: ignore[arg-type]
        self.agents = self.possible_agents[:]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Begins an episode, with seeds as in :class:`~pigpen.gym.PigEnv`."""
        rows = self._start(seed)
        mover = self.possible_agents[int(rows.seats[0])]
        return {mover: self.observe(mover)}, {mover: self._info(int(rows.seats[0]))}

    def step(self, action_dict: dict[Any, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Takes the action of the agent to move."""
        mover = int(self._current().seats[0])
        name = self.possible_agents[mover]
        if name not in action_dict:
            raise BadArgument(f"it is {name}'s turn, and there is no action of it")
        rows, illegal = self._take(action_dict[name])
        rewards = self._rewards(rows, mover, illegal)
        over, cut = bool(rows.terminated[0]), bool(rows.truncated[0])
        shown = self.possible_agents if over or cut else [self.possible_agents[int(rows.seats[0])]]
        infos = self._infos(mover, illegal)
        return (
            {agent: self.observe(agent) for agent in shown},
            {agent: r for agent, r in rewards.items() if r or over or cut or agent == name},
            {"__all__": over},
            {"__all__": cut},
            {agent: infos[agent] for agent in shown},
        )


def single(id: str, config: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    """Makes a registered environment; by default normalized, with the mask beside the observation."""
    return gymnasium.make(id, disable_env_checker=True, **{"normalize": True, "mask": "observation", **config})


def agents(variant: str, config: Mapping[str, Any]) -> PigMultiAgentEnv:
    """Makes an environment in which every seat is an agent."""
    return PigMultiAgentEnv({"variant": variant, **config})


def agents_id(id: str) -> str:
    """Returns the name of the environment of many agents: ``pigpen/Pig-v0`` has
    ``pigpen/Pig-agents-v0``."""
    name, version = id.rsplit("-", 1)
    return f"{name}-agents-{version}"


def register() -> None:
    """Registers all games with Ray, on all nodes; calling it again does no harm."""

    def creator(make: Any, what: str) -> Any:
        return lambda config: make(what, dict(config))

    for id, variant in ENVS.items():
        register_env(id, creator(single, id))
        register_env(agents_id(id), creator(agents, variant))


def masked_ppo(id: str = "pigpen/Pig-v0", **env_config: Any) -> PPOConfig:
    """Returns PPO for one learner's seat, which never takes an illegal action.

    ``env_config`` are the arguments of :class:`~pigpen.gym.PigEnv`. Two runners play, and
    new ones take their place when they, or their games, are killed.
    """
    register()
    return _fault_tolerant(
        PPOConfig()  # type: ignore[no-untyped-call]
        .environment(id, env_config=env_config)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    )


def self_play_ppo(id: str = "pigpen/Pig-v0", **env_config: Any) -> PPOConfig:
    """Returns PPO for self-play: one policy, ``"learner"``, has every seat, with masks.

    ``env_config`` are the arguments of :class:`~pigpen.pettingzoo.PigAEC`. RLlib's check of
    the environment acts without masks, so ``illegal="error"`` does not pass it.
    """
    register()
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule)
    return _fault_tolerant(
        PPOConfig()  # type: ignore[no-untyped-call]
        .environment(agents_id(id), env_config=env_config)
        .multi_agent(policies={"learner"}, policy_mapping_fn=_learner)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"learner": module}))
    )


def _learner(agent: Any, episode: Any = None, **kwargs: Any) -> str:
    return "learner"


def _fault_tolerant(config: PPOConfig) -> PPOConfig:
    config.framework("torch").training(gamma=1.0).env_runners(num_env_runners=2, num_cpus_per_env_runner=1)
    config.fault_tolerance(restart_failed_env_runners=True, restart_failed_sub_environments=True)
    return config
