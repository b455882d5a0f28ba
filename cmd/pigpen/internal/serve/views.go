package serve

import (
	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// viewResults describes the fields of [views.of].
var viewResults = []result{{"views", "<i2"}, {"win_share", "<f4"}}

// viewsOp shows an environment from every seat.
func viewsOp() op {
	return newOp("views", wire.Schema[envRequest]{requiredEnv}, (*session).showViews, viewResults...)
}

func (s *session) showViews(q *envRequest) ([]wire.Field, *Error) {
	e, wrong := s.begun(q.env)
	if wrong != nil {
		return nil, wrong
	}
	v := e.views
	if v == nil {
		v = newViews(e.game, e.games)
	}
	return v.of(e.vec), nil
}

// views are what replies say of all seats of all games.
type views struct {
	game         env.Game
	observations []int16   // a table for each game, a row for each seat
	shares       []float32 // a row for each game
}

func newViews(g env.Game, games int) *views {
	n := games * g.Players()
	return &views{g, make([]int16, n*g.NumColumns()), make([]float32, n)}
}

// of returns the fields of a reply about the games of vec as they stand. The next call
// overwrites their values.
func (v *views) of(vec *env.ShardedVec) []wire.Field {
	if err := vec.Views(v.observations, v.shares); err != nil {
		panic(err) // the sizes are right
	}
	return []wire.Field{
		named("views", wire.Column{Values: v.observations, Width: v.game.NumColumns(), Rows: v.game.Players()}),
		named("win_share", rows(v.shares, v.game.Players())),
	}
}
