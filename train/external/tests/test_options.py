"""The arguments that the environments share: their defaults, and what is no argument."""

from __future__ import annotations

import pickle

import pytest
from gymnasium.vector import AutoresetMode

import pigpen
from pigpen.options import Settings


def test_defaults_and_what_is_given():
    settings = Settings("piglet", 3, first="random", illegal=-0.25)
    assert (settings.variant, settings.players, settings.first, settings.penalty, settings.rolls) == ("piglet", 3, "random", -0.25, True)
    assert (settings.opponents, settings.seat, settings.target, settings.step_limit) == ("hold-20", 0, None, 0)
    assert (settings.dtype, settings.normalize, settings.masked, settings.render_mode) == ("float32", False, False, None)
    assert settings.autoreset_mode is AutoresetMode.NEXT_STEP
    assert settings.session == {"binary": None, "format": "msgpack", "timeout": None, "start_timeout": 10.0}
    assert vars(pickle.loads(pickle.dumps(settings))) == vars(settings)
    random = Settings(seat="random", mask="observation", illegal="noop", step_limit=9, max_episode_steps=7)
    assert (random.seat, random.first, random.masked, random.penalty, random.rolls, random.step_limit) == (0, "random", True, 0, False, 7)
    assert Settings(step_limit=5, max_episode_steps=7).step_limit == Settings(step_limit=5, max_episode_steps=-1).step_limit == 5


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"first": "me"}, "first 'me'; it is one of 'seat0', 'random'"),
        ({"mask": None}, "mask None; it is one of 'info', 'observation'"),
        ({"render_mode": "video"}, "render_mode 'video'; it is one of None, 'ansi', 'rgb_array', 'human'"),
        ({"format": "xml"}, "format 'xml'; it is one of 'msgpack', 'jsonl'"),
        ({"illegal": 0.1}, "illegal 0.1; a penalty is a number that is 0 or less"),
        ({"illegal": True}, "illegal True; a penalty"),
        ({"illegal": "hold"}, "illegal 'hold'; it is 'roll', 'noop', 'error' or a penalty"),
        ({"dtype": "int16", "normalize": True}, "leave dtype away"),
    ],
)
def test_arguments_that_cannot_be(given, says):
    with pytest.raises(pigpen.BadArgument) as caught:
        pigpen.PigEnv(**given)
    assert says in str(caught.value)


def test_what_is_no_argument():
    with pytest.raises(TypeError, match="unexpected argument 'oponents'; there are target, options, .*opponents, seat"):
        pigpen.PigVectorEnv(2, oponents="optimal")
