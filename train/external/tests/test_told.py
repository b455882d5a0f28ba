"""What the program tells so that the package holds no rules: views, events, shares of the win, states."""

from __future__ import annotations

import html

import numpy as np
import pytest

import pigpen
from pigpen.game import Game
from pigpen.pettingzoo import raw_env


def last_line(picture):
    return picture.splitlines()[-1].strip()


@pytest.mark.parametrize("format", ["msgpack", "jsonl"])
def test_views_and_events(format):
    """The session of PROTOCOL.md: a gain, a hold, and two 1s of either seat."""
    with pigpen.Client(format=format) as client:
        games = client.make(Game("pig-snake-eyes", target=20), views=True, events=True)
        rows = games.reset(63)
        assert rows.views.observations.tolist() == [[[0, 0, 0], [0, 0, 0]]] and rows.events is None
        seen = []
        for action in (1, 0, 1, 1):
            rows = games.step([action])
            e = rows.events
            seen.append((rows.views.observations[0].tolist(), int(e.movers[0]), e.effects[0], int(e.points[0]), e.dice[0].tolist()))
        assert seen == [
            ([[0, 5, 0], [0, 0, 0]], 0, "gain", 5, [3, 2]),
            ([[5, 0, 0], [0, 0, 5]], 0, "hold", 5, [0, 0]),
            ([[5, 0, 0], [0, 0, 5]], 1, "wipe", 0, [1, 1]),
            ([[0, 0, 0], [0, 0, 0]], 0, "wipe", 5, [1, 1]),
        ]
        assert rows.views.win_share.tolist() == [[0, 0]]
        idle = games.step([1], [False]).events
        assert (idle.movers.tolist(), idle.effects, idle.points.tolist(), idle.dice.tolist()) == ([-1], ["none"], [0], [[0, 0]])
        others = client.make(Game("pig-snake-eyes", target=20))
        assert others.reset(63).views is None  # unless asked for
        assert others.step([1]).events is None and others.views().observations.tolist() == [seen[0][0]]


def test_words_of_a_wipe_and_of_a_stop():
    env = raw_env("pig-snake-eyes", target=20, render_mode="ansi")
    env.reset(seed=63)
    said = []
    for action in (1, 0, 1, 1):
        env.step(action)
        said.append(last_line(env.render()))
    assert said == [
        "player 0 rolled 5 (3, 2)",
        "player 0 held 5",
        "player 1 bust (1, 1)",
        "player 0 bust, 5 lost with the banked score (1, 1)",
    ]
    env.close()
    with pigpen.PigEnv("cochon", render_mode="ansi", first="random") as env:
        env.reset(seed=75)
        said = []
        for _ in range(4):
            env.step(1)
            said.append(last_line(env.render()))
        assert said == [
            "rolled 1 (3, 6, 2)",
            "rolled nothing, 1 banked (6, 2, 2)",
            "rolled 2 (6, 1, 1)",
            "rolled nothing, 2 banked (3, 2, 3)",
        ]
    with pigpen.PigEnv(render_mode="ansi", illegal="noop", opponents=lambda o, m: o[:, 1] < 20) as env:
        env.reset(seed=3)
        env.step(0)
        assert last_line(env.render()) == "hold was not legal"
        env.step(1)
        assert last_line(env.render()) in ("bust", *(f"rolled {k}" for k in range(2, 7)))


def test_busts_tell_the_turn_total():
    with pigpen.PigEnv(render_mode="ansi") as env:
        for seed in range(40):
            env.reset(seed=seed)
            total = 0
            while True:
                observation, *_ = env.step(1)
                line = last_line(env.render())
                if observation[1] <= total:
                    break
                assert line == f"rolled {int(observation[1]) - total}"
                total = int(observation[1])
            assert line == (f"bust, {total} lost" if total else "bust")


def test_who_has_won_comes_from_the_program():
    """Of a tie, of one winner, and of a game that was cut off."""
    said = set()
    for seed in range(60):
        env = raw_env("pig-last-round", target=2, render_mode="ansi")
        env.reset(seed=seed)
        for action in (1, 0, 1, 0):
            if not env.terminations[env.agent_selection]:
                env.step(action if env.observe(env.agent_selection)["action_mask"][0] else 1)
        rows = env._rows
        if rows.terminated[0]:
            best = [f"{s}" for s in (0, 1) if rows.rewards[0, s] == rows.rewards[0].max()]
            status = env.render().splitlines()[0]
            assert status == "Pig, last round to 2: " + (
                f"seat {best[0]} has won" if len(best) == 1 else "seats 0 and 1 have tied"
            )
            assert rows.views.win_share[0].tolist() == [int("0" in best) / len(best), int("1" in best) / len(best)]
            said.add(status.split(": ")[1])
        env.close()
    assert said == {"seat 0 has won", "seat 1 has won", "seats 0 and 1 have tied"}
    env = raw_env(step_limit=1, render_mode="ansi")
    env.reset(seed=1)
    env.step(1)
    assert env.render().splitlines()[0] == "Pig to 100: cut off"
    env.close()


def test_games_in_a_notebook_need_no_render_mode():
    for opponents in ("hold-20", lambda o, m: o[:, 1] < 20):
        with pigpen.PigEnv(opponents=opponents) as plain, pigpen.PigEnv(opponents=opponents, render_mode="ansi") as drawn:
            assert plain._repr_html_().startswith("<code>")
            plain.reset(seed=2), drawn.reset(seed=2)
            for _ in range(5):
                a, b = plain.step(1), drawn.step(1)
                assert (a[0] == b[0]).all()
                text = drawn.render()
                lines = text.splitlines() if last_line(text).startswith(">") else text.splitlines()[:-1]
                assert all(line in html.unescape(plain._repr_html_()) for line in lines)
        assert plain._repr_html_().startswith("<code>")  # it is closed


def test_states():
    assert pigpen.decision_points(3).tolist() == [
        [0, 1, 0], [0, 1, 1], [0, 1, 2], [0, 2, 0], [0, 2, 1], [0, 2, 2], [1, 1, 0], [1, 1, 1], [1, 1, 2],
    ]  # fmt: skip
    three = pigpen.decision_points(4, players=3)
    assert three.shape == (6 * 16, 4) and three.dtype == np.int16
    assert (three[:, 0] + three[:, 1] < 4).all() and len(np.unique(three, axis=0)) == len(three)
    assert three.tolist() == sorted(three.tolist())
    assert pigpen.decision_points(variant="cochon").shape == (45 * 10, 3)
    assert pigpen.decision_points(7, players=1).tolist() == [[s, k] for s in range(7) for k in range(1, 7 - s)]
    rounds = pigpen.decision_points(5, "pig-last-round", 3)
    with pigpen.Policy("hold-20", variant="pig-last-round", players=3, target=5) as policy:
        policy.act(rounds)  # which raises if one of them is no state
    assert rounds[:, -1].tolist() == sorted(rounds[:, -1].tolist()) and set(rounds[:, -1]) == {0, 1, 2}


def test_states_in_pages(monkeypatch):
    """A client puts the pages together, in the session that it is given."""
    with pigpen.Client() as client:
        asked, request = [], client.request

        def short(op, **fields):
            asked.append(fields["start"])
            return request(op, limit=1000, **fields)

        monkeypatch.setattr(client, "request", short)
        assert (pigpen.decision_points(20, client=client) == pigpen.decision_points(20)).all()
        assert asked == [0, 1000, 2000, 3000]
        with pytest.raises(pigpen.BadGame):
            pigpen.decision_points(1, client=client)
        with pytest.raises(pigpen.errors.LimitReached, match="numbered"):
            pigpen.decision_points(players=10, client=client)
