package serve

import (
	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// views are what replies say of all seats of all games.
type views struct {
	game         env.Game
	observations []int16   // a table for each game, a row for each seat
	shares       []float64 // a row for each game
}

func newViews(g env.Game, games int) *views {
	n := games * g.Players()
	return &views{g, make([]int16, 0, n*g.NumColumns()), make([]float64, 0, n)}
}

// of returns the fields of a reply about the games of vec as they stand. The next call
// overwrites their values.
func (v *views) of(vec *env.ShardedVec) []wire.Field {
	v.observations, v.shares = v.observations[:0], v.shares[:0]
	for i := range vec.Games() {
		state := vec.State(i)
		for seat := range v.game.Players() {
			v.observations = v.game.Observe(v.observations, state, seat)
			v.shares = append(v.shares, v.game.WinShare(state, seat))
		}
	}
	return []wire.Field{
		named("views", wire.Column{Values: v.observations, Width: v.game.NumColumns(), Rows: v.game.Players()}),
		named("win_share", rows(v.shares, v.game.Players())),
	}
}
