"""Pig dice games with exact scores, for trainers in Python.

Everything is answered by one process of ``pigpen serve``, which this package starts
and ends. Start with:

* ``gymnasium.make("pigpen/Pig-v0")`` and ``gymnasium.make_vec``: a learner in one seat
  against named policies (:mod:`pigpen.gym`);
* :func:`aec_env`: every seat acts, for PettingZoo (:mod:`pigpen.pettingzoo`);
* :class:`Policy`: what a policy does, in batches; perfect play as a teacher;
* :func:`save_policy` and :func:`evaluate`: a table of decisions becomes a policy file,
  and its exact score;
* :class:`Client`: the session itself, in which all seats of many games can be played.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _version
from typing import TYPE_CHECKING

import gymnasium.envs.registration as _registration

from .client import Client
from .errors import (
    BadArgument,
    BadFrame,
    BadGame,
    BadPolicy,
    BadRequest,
    BadState,
    BinaryNotFound,
    CannotStart,
    CommandFailed,
    EpisodeOver,
    FrameTooLarge,
    IllegalAction,
    LimitReached,
    MissingPackage,
    NoEpisode,
    NoPolicy,
    PigpenError,
    ServerEnded,
    ServerError,
    TimedOut,
    UnknownEnv,
    UnknownOp,
    WrongProtocol,
)
from .game import HOLD, ROLL, Game, find_binary
from .games import Games, Rows
from .gym import PigEnv, PigSelfPlayVectorEnv, PigVectorEnv
from .opponents import Pool
from .policy import Decisions, Policy, Saved, decision_points, evaluate, save_policy

try:
    __version__ = _version("pigpen")
except PackageNotFoundError:  # run from its source, without being installed
    __version__ = "unknown"

ENVS = {
    "pigpen/Pig-v0": "pig",
    "pigpen/PigDoubles-v0": "pig-doubles",
    "pigpen/PigLastRound-v0": "pig-last-round",
    "pigpen/Cochon-v0": "cochon",
    "pigpen/Piglet-v0": "piglet",
    "pigpen/PigSnakeEyes-v0": "pig-snake-eyes",
    "pigpen/PassThePigs-v0": "pass-the-pigs",
    "pigpen/DoubleTrouble-v0": "double-trouble",
}
"""The registered environments and the variants that they play."""

MAX_EPISODE_STEPS = 10_000
"""After so many of the learner's steps the registered environments truncate an episode.

Play to win never comes near it: in 480,000 episodes of all six games, for two and for
four, of random, hold-20 and perfect play, the longest had 217 steps, and a game to 1000
takes some ten times as long as one to 100. Only a policy that never banks its points
reaches the limit. ``gymnasium.make`` takes another as ``max_episode_steps``.
"""

__all__ = [
    "ENVS",
    "HOLD",
    "ROLL",
    "MAX_EPISODE_STEPS",
    "BadArgument",
    "BadFrame",
    "BadGame",
    "BadPolicy",
    "BadRequest",
    "BadState",
    "BinaryNotFound",
    "CannotStart",
    "Client",
    "CommandFailed",
    "Decisions",
    "EpisodeOver",
    "FrameTooLarge",
    "Game",
    "Games",
    "IllegalAction",
    "LimitReached",
    "MissingPackage",
    "NoEpisode",
    "NoPolicy",
    "PigEnv",
    "PigSelfPlayVectorEnv",
    "PigVectorEnv",
    "PigpenError",
    "Policy",
    "Pool",
    "Rows",
    "Saved",
    "ServerEnded",
    "ServerError",
    "TimedOut",
    "UnknownEnv",
    "UnknownOp",
    "WrongProtocol",
    "aec_env",
    "decision_points",
    "evaluate",
    "find_binary",
    "parallel_env",
    "save_policy",
]

for _id, _variant in ENVS.items():
    if _id not in _registration.registry:
        _registration.register(
            id=_id,
            entry_point="pigpen.gym:PigEnv",
            vector_entry_point="pigpen.gym:PigVectorEnv",
            max_episode_steps=MAX_EPISODE_STEPS,
            kwargs={"variant": _variant},
        )


if TYPE_CHECKING:
    from .pettingzoo import env as aec_env
    from .pettingzoo import parallel_env
else:

    def aec_env(*args, **kwargs):
        """Returns a PettingZoo AEC environment; see :class:`pigpen.pettingzoo.PigAEC`."""
        from . import pettingzoo

        return pettingzoo.env(*args, **kwargs)

    def parallel_env(*args, **kwargs):
        """Returns a PettingZoo parallel environment; see :class:`pigpen.pettingzoo.PigParallel`."""
        from . import pettingzoo

        return pettingzoo.parallel_env(*args, **kwargs)
