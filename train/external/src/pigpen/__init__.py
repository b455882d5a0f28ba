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

from typing import Any

import gymnasium.envs.registration as _registration

from .client import Client, Games, Rows
from .errors import (
    BadFrame,
    BadGame,
    BadPolicy,
    BadRequest,
    BadState,
    BinaryNotFound,
    CommandFailed,
    FrameTooLarge,
    IllegalAction,
    LimitReached,
    NoEpisode,
    NoPolicy,
    PigpenError,
    ServerEnded,
    ServerError,
    UnknownEnv,
    UnknownOp,
)
from .game import HOLD, ROLL, Game, find_binary
from .gym import PigEnv, PigVectorEnv
from .policy import Decisions, Policy, Saved, decision_points, evaluate, save_policy

__version__ = "0.1.0"

ENVS = {
    "pigpen/Pig-v0": "pig",
    "pigpen/PigDoubles-v0": "pig-doubles",
    "pigpen/PigLastRound-v0": "pig-last-round",
    "pigpen/Cochon-v0": "cochon",
    "pigpen/Piglet-v0": "piglet",
    "pigpen/PigSnakeEyes-v0": "pig-snake-eyes",
}
"""The registered environments and the variants that they play."""

__all__ = [
    "ENVS",
    "HOLD",
    "ROLL",
    "BadFrame",
    "BadGame",
    "BadPolicy",
    "BadRequest",
    "BadState",
    "BinaryNotFound",
    "Client",
    "CommandFailed",
    "Decisions",
    "FrameTooLarge",
    "Game",
    "Games",
    "IllegalAction",
    "LimitReached",
    "NoEpisode",
    "NoPolicy",
    "PigEnv",
    "PigVectorEnv",
    "PigpenError",
    "Policy",
    "Rows",
    "Saved",
    "ServerEnded",
    "ServerError",
    "UnknownEnv",
    "UnknownOp",
    "aec_env",
    "decision_points",
    "evaluate",
    "find_binary",
    "save_policy",
]

for _id, _variant in ENVS.items():
    if _id not in _registration.registry:
        _registration.register(
            id=_id,
            entry_point="pigpen.gym:PigEnv",
            vector_entry_point="pigpen.gym:PigVectorEnv",
            kwargs={"variant": _variant},
        )


def aec_env(*args: Any, **kwargs: Any) -> Any:
    """Returns a PettingZoo AEC environment; see :class:`pigpen.pettingzoo.PigAEC`."""
    from . import pettingzoo

    return pettingzoo.env(*args, **kwargs)
