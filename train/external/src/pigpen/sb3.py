"""The vector environment as stable-baselines3 wants it; needs ``stable_baselines3``."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv

from .errors import BadArgument, packages_of
from .gym import PigVectorEnv

with packages_of("sb3"):
    import torch
    from stable_baselines3.common.policies import BaseModel
    from stable_baselines3.common.torch_layers import FlattenExtractor
    from stable_baselines3.common.vec_env import VecEnv


class UnitBox(gymnasium.spaces.Box):
    """The observations of :class:`SB3VecEnv`: float32 in [0, 1], of a given shape.

    A policy of SB3 keeps the space that it has learned in, in its file, too. Where that is
    a UnitBox, ``predict`` refuses the protocol's observations, such as ``[30, 12, 40]``.
    """

    def __init__(self, shape: Sequence[int]) -> None:
        super().__init__(0, 1, tuple(shape), np.float32)

    def check(self, observation: npt.ArrayLike) -> None:
        """Raises :class:`~pigpen.errors.BadArgument` for observations of the protocol's scale.

        Those are whole numbers, and scaled ones are not, except 0 and 1. Integers are
        refused where one is above 1, floats where two different ones are: a wrapper such as
        ``VecNormalize``, which clips to one number, may give any other floats.
        """
        if isinstance(observation, dict):
            return  # SB3 says that the space is no Dict
        given = np.asarray(observation)
        if given.dtype.kind not in "iuf" or not given.size or not given.max() > 1:
            return
        if given.dtype.kind == "f":
            large = given[given > 1]
            if (large == large[0]).all() or given.min() < 0 or (given != np.floor(given)).any():
                return
        raise BadArgument(
            f"observations of up to {given.max():g} are as the protocol has them, and this policy has learned from "
            "observations in [0, 1], as SB3VecEnv shows and SB3VecEnv.scale returns them"
        )


def _check_scales() -> None:
    """Lets SB3's policies check what they are asked where their space is a UnitBox.

    The policy is the only object that every ``predict`` goes through, and it calls nothing
    of its space that could look at values.
    """
    to_tensor = BaseModel.obs_to_tensor

    @functools.wraps(to_tensor)
    def checked(self: BaseModel, observation: Any) -> Any:
        if isinstance(self.observation_space, UnitBox):
            self.observation_space.check(observation)
        return to_tensor(self, observation)

    BaseModel.obs_to_tensor = checked  # type: ignore[method-assign]


_check_scales()


class SB3VecEnv(VecEnv):
    """A :class:`~pigpen.gym.PigVectorEnv` for SB3, and for sb3-contrib's MaskablePPO.

    Observations are float32 in [0, 1], see :meth:`scale`; policies that have learned from
    them refuse others in ``predict``, see :class:`UnitBox`. Episodes that end are begun
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
        super().__init__(env.num_envs, UnitBox(space.shape), env.single_action_space)

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
    """SB3's default of a features extractor, which refuses any observation outside of [0, 1].

    :class:`UnitBox` refuses those of the protocol without it. With
    ``policy_kwargs={"features_extractor_class": UnitExtractor}`` a policy also raises
    :class:`~pigpen.errors.BadArgument` for other values above 1 or below 0, in training, too.
    """

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        if observations.numel() and (observations.max() > 1 or observations.min() < 0):
            raise BadArgument(
                f"observations are scaled to [0, 1], and these reach {observations.max().item():g}; "
                "SB3VecEnv.scale scales those of the protocol"
            )
        return super().forward(observations)
