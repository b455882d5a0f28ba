"""What all environments have in common: a session, games in it, copies, and pictures."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import numpy.typing as npt

from .client import Client, lease, release
from .errors import BadArgument, NoEpisode, PigpenError
from .games import Games, Rows, Views
from .opponents import Opposed
from .options import Array, Encoder, Settings
from .render import PIPS, Table, ansi, rgb_array, words

_FRESH = 1 << 63


class Playing:
    """Games in a session, which end and begin with it, and can be copied with their state."""

    spec: Any
    _settings: Settings
    _games: Games | Opposed
    _rows: Rows | None

    def _play(self, settings: Settings, num_envs: int, autoreset: str, *, seated: bool, shared: bool) -> None:
        """Opens the games: ``seated`` where one seat is the learner's, ``shared`` where
        their process may be one that other environments use."""
        self._settings = settings
        self.render_mode = settings.render_mode
        self._dict, self._penalty, self._rolls = settings.masked, settings.penalty, settings.rolls
        self._kind = (num_envs, autoreset, seated, shared)
        self._client: Client | None = None
        self._rows = None
        self._seeded = False
        self._open()
        self._encoder = Encoder(self._games.columns, settings)

    def _open(self) -> None:
        num_envs, autoreset, seated, shared = self._kind
        settings = self._settings
        if settings.client is not None:
            self._client = settings.client
        elif shared:
            self._client = lease(**settings.session)
        else:
            self._client = Client(**settings.session)
        try:
            self._games = self._make(num_envs, autoreset, seated)
        except BaseException:
            self._let_go()
            raise
        self._seeded = False

    _views = False  # whether the rows always have views

    def _make(self, num_envs: int, autoreset: str, seated: bool) -> Games | Opposed:
        settings, client = self._settings, self.client
        illegal = settings.illegal if settings.illegal in ("noop", "error") else "error"
        common: dict[str, Any] = {"first": settings.first, "illegal": illegal}
        python = seated and (self._in_python or Opposed.plays(settings.opponents))
        if self._views:
            common["views"] = True
        if settings.render_mode is not None:
            common["events"] = True
        if not seated:
            return client.make(
                settings.game, num_envs, autoreset=autoreset, step_limit=settings.step_limit, **common
            )
        if python:
            games = client.make(settings.game, num_envs, autoreset="disabled", step_limit=0, **common)
            return Opposed(games, settings, autoreset)
        names = [str(name) for name in Opposed.listed(settings.opponents)]
        return client.make(
            settings.game,
            num_envs,
            opponents=names if settings.players > 1 else [],
            seat=settings.seat,
            autoreset=autoreset,
            step_limit=settings.step_limit,
            **common,
        )

    @property
    def client(self) -> Client:
        """The session; :class:`~pigpen.errors.NoEpisode` is raised where it is closed."""
        if self._client is None:
            raise NoEpisode("the environment is closed; reset opens it again")
        return self._client

    def encode(self, observations: npt.NDArray[np.int16]) -> Array:
        """Returns observations of the protocol, int16 of shape (…, columns), such as those
        of :func:`~pigpen.policy.decision_points`, as the agent sees them."""
        return self._encoder(observations)

    def state(self) -> bytes:
        """Returns the games as they stand, dice included, for :meth:`restore` of this
        environment or of another with the same game, opponents and step limit."""
        if self._client is None:
            raise NoEpisode("the environment is closed; reset opens it again")
        return self._games.state()

    def set_opponents(self, opponents: Any) -> None:
        """Lets others play the other seats from the next step on, in games under way, too,
        which keep their states and dice.

        Where there are opponents in Python, those by name or file, of pools, too, have a
        process each. When only opponents by name are left, the server plays them again from
        the next reset of all games on, which is faster. An exception changes nothing.
        """
        _, autoreset, seated, _ = self._kind
        if not seated:
            raise BadArgument("every seat is the caller's; there are no opponents")
        before, old = self._settings.opponents, self._games
        self._settings.opponents = opponents
        if self._client is None or self._client.closed:
            return  # the next reset makes the games
        try:
            if isinstance(old, Opposed) and self._rows is not None:
                old.set_opponents(opponents)
                self._in_python = not Opposed.plays(opponents)
                return
            games = self._make(old.num_envs, autoreset, seated)
            try:
                if isinstance(games, Opposed) and self._rows is not None:
                    assert isinstance(old, Games)
                    games.take_over(old, self._draw())
                elif self._rows is not None:
                    assert isinstance(games, Games)
                    games.restore(old.state())
                    games.stale = old.stale
            except BaseException:
                games.close()
                raise
        except BaseException:
            self._settings.opponents = before
            raise
        old.close()
        self._games = games

    _in_python = False  # opponents by name are played in Python until the next reset of all games

    def _begin(self, seed: int | None, seeds: Any = None, mask: Any = None) -> Rows:
        """Begins episodes, in a new session where the old one has ended."""
        client = self._client
        again = self._in_python and mask is None
        if again:
            self._in_python = False
        if client is None or client.closed and self._settings.client is None:
            self._let_go()
            self._open()
        elif again:
            self._games.close()
            num_envs, autoreset, seated, _ = self._kind
            self._games = self._make(num_envs, autoreset, seated)
            self._seeded = False
        if seed is None and seeds is None and not self._seeded:
            seed = self._draw()
        if mask is not None and self._games.stale:
            self._refresh()
        rows = self._games.reset(seed, seeds=seeds, mask=mask)
        self._seeded = True
        self._rows = rows
        return rows

    def _draw(self) -> int:
        """Returns a random seed."""
        return int(self.np_random.integers(_FRESH))  # type: ignore[attr-defined]

    def _refresh(self) -> Rows:
        """Reads how the games stand, since an interrupted step may have been taken."""
        rows = self._games.restore(self._games.state())
        self._rows = rows
        return rows

    def _let_go(self) -> None:
        client, self._client = self._client, None
        if client is None:
            return
        games = getattr(self, "_games", None)
        if games is not None and games.client is client:
            games.close()
        if self._settings.client is None:
            if self._kind[3]:
                release(client)
            else:
                client.close()

    # Copies.

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_client", "_games")}
        kept["_settings"] = self._settings.apart()
        spec = kept.get("spec")
        if spec is not None and "client" in spec.kwargs:
            kept["spec"] = _without_client(spec)
        open_ = self._client is not None and not self._client.closed
        kept["_state"] = self._games.state() if open_ and self._rows is not None else None
        kept["_was_open"] = open_
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        state, was_open = kept.pop("_state"), kept.pop("_was_open")
        self.__dict__.update(kept)
        self._client = None
        if was_open:
            self._open()
            if state is not None:
                self._games.restore(state)
                self._seeded = True

    # Pictures.

    def _table(self, rows: Rows, views: Views, i: int) -> Table:
        """What there is to see of game i."""
        games, seat = self._games, int(rows.seats[i])
        labels = self._labels(seat)
        dice: tuple[int, ...] = ()
        gained, event = 0, ""
        if rows.noops is not None and rows.noops[i]:
            event = "hold was not legal"
        elif rows.events is not None:
            effect, points = rows.events.effects[i], int(rows.events.points[i])
            names, rolled = games.about["face_names"], rows.events.dice[i]
            if not names and games.about["faces"] == len(PIPS) and rolled.all():
                dice = tuple(int(face) for face in rolled)
            gained = points if effect == "gain" else 0
            event = words(effect, points)
            if names and rolled.all():
                event = f"{event} ({', '.join(names[face - 1] for face in rolled)})"
            if event and not self._kind[2]:
                event = f"{labels[rows.events.movers[i]]} {event}"
        return Table(
            name=games.about["title"], target=games.target, scores=views.observations[i, :, 0].tolist(), labels=labels,
            turn_total=int(views.observations[i, seat, 1]), seat=seat, over=not rows.action_mask[i].any(),
            shares=views.win_share[i].tolist(), dice=dice, gained=gained, event=event,
        )  # fmt: skip

    def _tables(self, most: int) -> list[Table]:
        """What there is to see of the first games, at most ``most``."""
        rows = self._rows
        assert rows is not None
        views = rows.views or self._games.views()
        return [self._table(rows, views, i) for i in range(min(most, self._games.num_envs))]

    def _pictures(self) -> tuple[Any, ...] | None:
        """Returns the games as the render mode has them; "human" prints them."""
        mode = self._settings.render_mode
        if mode is None or self._rows is None:
            return None
        tables = self._tables(self._games.num_envs)
        if mode == "human":
            for table in tables:
                print(ansi(table), flush=True)
            return None
        return tuple(rgb_array(table) if mode == "rgb_array" else ansi(table) for table in tables)

    def _picture(self) -> Any:
        """Returns the only game as the render mode has it; "human" prints it."""
        pictures = self._pictures()
        return pictures[0] if pictures else None

    def _labels(self, seat: int) -> list[str]:
        """Who sits where, if ``seat`` is shown."""
        n = self._games.players
        if not self._kind[2]:
            return [f"player {s}" for s in range(n)]
        others = Opposed.labels(self._settings.opponents, n)
        return [("you", *others)[(s - seat) % n] for s in range(n)]

    def _repr_html_(self) -> str:
        """The first games, as notebooks show them."""
        try:
            tables = self._tables(4) if self._rows is not None else []
        except PigpenError:  # the session has ended
            tables = []
        if not tables:
            return f"<code>{html.escape(repr(self))}</code>"
        shown = len(tables)
        texts = [html.escape(ansi(table)) for table in tables]
        more = f"\n… and {self._games.num_envs - shown} more games" if self._games.num_envs > shown else ""
        return f'<pre style="line-height:1.2">{chr(10).join(texts)}{more}</pre>'


def _without_client(spec: Any) -> Any:
    import copy

    kept = copy.copy(spec)
    kept.kwargs = {name: value for name, value in spec.kwargs.items() if name != "client"}
    return kept
