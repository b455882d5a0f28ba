"""What notebooks show: escaped, whole, and true."""

from __future__ import annotations

import base64
import html.parser
import re
import zlib

import numpy as np
import pytest

import pigpen
from pigpen import notebook


class Page(html.parser.HTMLParser):
    """Checks that every tag is closed; ``said`` is the text, ``tags`` are the names of tags."""

    def __init__(self, source):
        super().__init__()
        self.said, self.tags, self._open = "", set(), []
        self.feed(source)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag != "img":
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.said += data


def page(thing):
    shown = Page(thing._repr_html_())
    assert shown.tags <= {"div", "span", "img", "code", "pre"}
    return shown


def test_thresholds_are_the_policies():
    with pigpen.Policy("hold-7", target=30) as policy:
        scores, held = notebook.thresholds(policy)
        assert scores.tolist() == list(range(30))
        # With 22 points it holds at 7, and with 23 seven are as many as win.
        assert (held[:23] == 7).all() and (held[23:] == 0).all()
        few, coarse = notebook.thresholds(policy, 4, 5)
        assert few.tolist() == [0, 10, 19, 29] and coarse[:, 0].tolist() == [8, 10, 8, 0]  # of 1, 8, 15, …
    with pigpen.Policy("optimal", target=20) as policy:
        scores, held = notebook.thresholds(policy)
        states = pigpen.decision_points(20)
        holds = policy.act(states) == pigpen.HOLD
        for own, other in np.random.default_rng(1).integers(0, 20, (50, 2)):
            mine = (states[:, 0] == own) & (states[:, 2] == other)
            rolled, stopped = states[mine & ~holds, 1], states[mine & holds, 1]
            first = rolled.min() if len(rolled) else 0
            assert held[own, other] == min((total for total in stopped if total > first), default=0)


def test_a_policy():
    with pigpen.Policy("hold-7", target=30) as policy:
        shown = policy._repr_html_()
        said = page(policy).said
        assert "Policy hold-7" in said and "Pig to 30, 2 players" in said and "from 7 points" in said and "rolls on" in said
        file = base64.b64decode(re.search(r"base64,([^\"]+)", shown)[1])
        length = int.from_bytes(file[33:37], "big")  # of the chunk after the header
        assert file.startswith(b"\x89PNG") and file[37:41] == b"IDAT"
        pixels = np.frombuffer(zlib.decompress(file[41 : 41 + length]), np.uint8).reshape(30, 91)[:, 1:].reshape(30, 30, 3)
        assert (pixels[:7] == notebook._NEVER).all() and (pixels[7:] == notebook._LEAST).all()
    assert "closed" in page(policy).said
    with pigpen.Policy("always-roll") as policy:
        assert "rolls on at every turn total" in page(policy).said and "img" not in page(policy).tags
    for game in ({"variant": "pig-last-round"}, {"players": 3}):
        with pigpen.Policy("hold-20", sample=True, **game) as policy:
            shown = page(policy)
            assert "drawn" in shown.said and "img" not in shown.tags
    with pigpen.Policy("hold-20") as policy:
        policy.client._process.kill()
        assert "ended" in page(policy).said


@pytest.mark.parametrize("variant", list(pigpen.ENVS.values()))
def test_policies_of_every_game(variant):
    with pigpen.Policy("hold-5", variant=variant) as policy:
        assert policy.client.variant(variant)["title"] in page(policy).said


def test_names_of_files_are_escaped(tmp_path):
    states = pigpen.decision_points(5)
    file = tmp_path / "<b onmouseover='x()'>&amp;.msgpack"
    pigpen.save_policy(file, states, states[:, 1] < 3, target=5)
    with pigpen.Policy(file) as policy:
        for thing in (policy, policy.client):
            assert "<b" in page(thing).said and "b" not in page(thing).tags
    env = pigpen.PigEnv(target=5, opponents=str(file))
    env.reset(seed=1)
    assert "<b" in page(env).said and "b" not in page(env).tags
    env.close()


def test_a_session():
    client = pigpen.Client(format="jsonl")
    said = page(client).said
    assert f"pigpen {pigpen.__version__}" in said or pigpen.__version__ == "unknown"
    assert str(client.pid) in said and "jsonl" in said and "Cochon" in said and "policy" not in said
    client.close()
    assert "closed" in page(client).said


def test_environments():
    for make, words in (
        (lambda: pigpen.PigEnv(opponents="hold-9"), "hold-9"),
        (lambda: pigpen.PigVectorEnv(6), "2 more games"),
        (lambda: pigpen.PigSelfPlayVectorEnv(2), "player 1"),
        (lambda: pigpen.aec_env(players=3), "player 2"),
        (lambda: pigpen.parallel_env("cochon"), "Cochon to 10"),
    ):
        env = make()
        assert page(env).tags == {"code"}
        env.reset(seed=1)
        assert words in page(env).said
        env.close()
        assert page(env).said
