"""The vector environment as stable-baselines3 wants it; needs ``stable_baselines3``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from .gym import PigVectorEnv


class SB3VecEnv(VecEnv):
    """A :class:`~pigpen.gym.PigVectorEnv` for SB3, and for sb3-contrib's MaskablePPO.

    Observations are float32 in [0, 1]: each column over its largest value, see
    :meth:`scale`. Episodes that end are begun again in the same step, as SB3 has it:
    the end is in ``infos[i]["terminal_observation"]``.

    Args:
        env: made with ``autoreset_mode=AutoresetMode.SAME_STEP``.
    """

    def __init__(self, env: PigVectorEnv) -> None:
        if env.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise ValueError("SB3 begins episodes in the step that ends the last: use AutoresetMode.SAME_STEP")
        self.env = env
        space = env.single_observation_space
        assert isinstance(space, gymnasium.spaces.Box)
        self._high = np.maximum(1, space.high).astype(np.float32)
        self._actions = np.empty(0)
        unit = gymnasium.spaces.Box(0, 1, space.shape, np.float32)
        super().__init__(env.num_envs, unit, env.single_action_space)

    def scale(self, observations: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float32]:
        """Returns observations as the agent sees them, of the same shape."""
        return (observations / self._high).astype(np.float32)

    def reset(self) -> npt.NDArray[np.float32]:
        observations, _ = self.env.reset(seed=self._seeds[0])
        self._reset_seeds()
        return self.scale(observations)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, Any]:
        observations, rewards, terminated, truncated, infos = self.env.step(self._actions)
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        done = terminated | truncated
        for i in np.flatnonzero(done):
            each[i]["terminal_observation"] = self.scale(infos["final_obs"][i])
            each[i]["TimeLimit.truncated"] = bool(truncated[i])
        return self.scale(observations), rewards.astype(np.float32), done, each

    def close(self) -> None:
        self.env.close()

    def get_attr(self, attr_name: str, indices: None | int | Iterable[int] = None) -> list[Any]:
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: None | int | Iterable[int] = None) -> None:
        raise AttributeError("the games share one environment; make another one with other settings")

    def env_method(
        self, method_name: str, *method_args: Any, indices: None | int | Iterable[int] = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls the vector environment's method once and deals its rows."""
        rows = getattr(self.env, method_name)(*method_args, **method_kwargs)
        return [rows[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: None | int | Iterable[int] = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[Any]:
        return self.env.render() or []
