package serve

import (
	"math"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// A gameRequest names a game. Fields that are absent are nil.
type gameRequest struct {
	variant         *string
	players, target *int64
	options         map[string]bool
}

// gameSchema declares the fields of a [gameRequest], which is read to where to points.
func gameSchema[Q any](to func(*Q) *gameRequest) wire.Schema[Q] {
	number := wire.Pointer(wire.Int(math.MinInt32, math.MaxInt32))
	return wire.Schema[Q]{
		wire.Optional("variant", wire.Pointer(wire.Text()), func(q *Q) **string { return &to(q).variant }),
		wire.Optional("players", number, func(q *Q) **int64 { return &to(q).players }),
		wire.Optional("target", number, func(q *Q) **int64 { return &to(q).target }),
		wire.Optional("options", wire.BoolMap(), func(q *Q) *map[string]bool { return &to(q).options }),
	}
}

// gameOf returns the game that a request asks for, or the session's if the request
// names none.
func (s *session) gameOf(q *gameRequest) (env.Game, *Error) {
	if q.variant == nil && q.players == nil && q.target == nil && q.options == nil {
		return s.Game, nil
	}
	// In an env.Config, empty and 0 stand for the default.
	for _, f := range []struct {
		name  string
		empty bool
	}{{"variant", q.variant != nil && *q.variant == ""}, {"players", q.players != nil && *q.players == 0}, {"target", q.target != nil && *q.target == 0}} {
		if f.empty {
			return env.Game{}, errorf(CodeBadGame, "%s is empty or 0; leave it away for the default", f.name)
		}
	}
	g, err := env.New(env.Config{Variant: orZero(q.variant), Players: int(orZero(q.players)), Target: int(orZero(q.target)), Options: q.options}, s.Own...)
	if err != nil {
		return env.Game{}, s.failed(CodeBadGame, err)
	}
	return g, nil
}

// orZero returns *p, or the zero value if p is nil.
func orZero[T any](p *T) (x T) {
	if p != nil {
		x = *p
	}
	return x
}

// gameFields returns what replies say of a game.
func gameFields(g env.Game) []wire.Field {
	c := g.Config()
	if c.Options == nil {
		c.Options = map[string]bool{}
	}
	return []wire.Field{
		named("variant", c.Variant), named("players", c.Players), named("target", c.Target), named("options", c.Options),
		named("fingerprint", g.Fingerprint()), named("observation", g.Columns()),
	}
}
