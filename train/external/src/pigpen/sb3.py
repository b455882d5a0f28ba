"""The vector environment as stable-baselines3 wants it; needs ``stable_baselines3``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env import VecEnv

from .errors import BadArgument
from .gym import PigVectorEnv


class SB3VecEnv(VecEnv):
    """A :class:`~pigpen.gym.PigVectorEnv` for SB3, and for sb3-contrib's MaskablePPO.

    Observations are float32 in [0, 1], see :meth:`scale`. Episodes that end are begun
    again in the same step, as SB3 has it: the end is in
    ``infos[i]["terminal_observation"]``, and in ``infos[i]["episode"]`` are the episode's
    return "r", length "l" and seconds since the environment was made "t", as of
    ``VecMonitor``, which is not needed.

    Args:
        env: made with ``autoreset_mode=AutoresetMode.SAME_STEP``, and without
            ``mask="observation"``: MaskablePPO asks :meth:`env_method` for the masks.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        if not isinstance(env, PigVectorEnv):
            raise BadArgument(f"SB3VecEnv takes a PigVectorEnv without wrappers, not {env}")
        if env.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise BadArgument("SB3 begins episodes in the step that ends the last: use AutoresetMode.SAME_STEP")
        space = env.single_observation_space
        if not isinstance(space, gymnasium.spaces.Box):
            raise BadArgument('mask="observation" makes a dict of observations; leave it away for SB3')
        self.env = env
        # The environment's own observations become a fraction of each column's range.
        self._low, self._span = space.low, np.maximum(1, space.high - space.low).astype(np.float32)
        self._actions = np.empty(0)
        self._returns = np.zeros(env.num_envs)
        self._lengths = np.zeros(env.num_envs, np.int64)
        self._began = time.perf_counter()
        self.render_mode = env.render_mode
        unit = gymnasium.spaces.Box(0, 1, space.shape, np.float32)
        super().__init__(env.num_envs, unit, env.single_action_space)

    def scale(self, states: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float32]:
        """Returns observations of the protocol, such as those of
        :func:`~pigpen.policy.decision_points`, as the agent sees them, of the same shape."""
        return self._unit(self.env.encode(np.asarray(states, np.int16)))

    def _unit(self, observations: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        unit: npt.NDArray[np.float32] = np.divide(observations - self._low, self._span, dtype=np.float32)
        return unit

    def reset(self) -> npt.NDArray[np.float32]:
        observations, _ = self.env.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._returns[:] = self._lengths[:] = 0
        return self._unit(observations)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, Any]:
        observations, rewards, terminated, truncated, infos = self.env.step(self._actions)
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        done = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        where = np.flatnonzero(done)
        if len(where):
            seconds = round(time.perf_counter() - self._began, 6)
            ends = self._unit(np.stack(list(infos["final_obs"][where])))
            for end, i in zip(ends, where):
                each[i]["terminal_observation"] = end
                each[i]["TimeLimit.truncated"] = bool(truncated[i])
                each[i]["episode"] = {
                    "r": float(self._returns[i]), "l": int(self._lengths[i]), "t": seconds,
                }  # fmt: skip
            self._returns[where] = self._lengths[where] = 0
        return self._unit(observations), rewards.astype(np.float32), done, each

    def close(self) -> None:
        self.env.close()

    def get_attr(self, attr_name: str, indices: None | int | Iterable[int] = None) -> list[Any]:
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: None | int | Iterable[int] = None) -> None:
        raise AttributeError("the games share one environment; make another one with other settings")

    def env_method(
        self, method_name: str, *method_args: Any, indices: None | int | Iterable[int] = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls the vector environment's method once and deals its rows; of a method that
        returns None or one value for all, each game gets that."""
        rows = getattr(self.env, method_name)(*method_args, **method_kwargs)
        if isinstance(rows, np.ndarray):
            return [rows[i] for i in self._get_indices(indices)]
        return [rows] * len(list(self._get_indices(indices)))

    def env_is_wrapped(self, wrapper_class: type[Any], indices: None | int | Iterable[int] = None) -> list[bool]:
        """No wrapper, but for SB3's Monitor, whose statistics are here without it."""
        from stable_baselines3.common.monitor import Monitor

        return [wrapper_class is Monitor] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[Any]:
        return self.env.render() or []


class UnitExtractor(FlattenExtractor):
    """SB3's default of a features extractor, which refuses observations outside of [0, 1].

    A policy that has learned from :class:`SB3VecEnv` knows scaled observations only; given
    others, such as ``[30, 12, 40]``, ``predict`` would answer all the same. With
    ``policy_kwargs={"features_extractor_class": UnitExtractor}`` it raises
    :class:`~pigpen.errors.BadArgument` instead; :meth:`SB3VecEnv.scale` scales them.
    """

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        if observations.numel() and (observations.max() > 1 or observations.min() < 0):
            raise BadArgument(
                f"observations are scaled to [0, 1], and these reach {observations.max().item():g}; "
                "SB3VecEnv.scale scales those of the protocol"
            )
        return super().forward(observations)
