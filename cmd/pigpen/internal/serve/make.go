package serve

import (
	"context"
	"errors"
	"math"
	"slices"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// A makeRequest opens an environment. Fields that are absent are nil, 0 or false.
type makeRequest struct {
	game               gameRequest
	numEnvs, stepLimit int64
	opponents          []string
	seat               *seat
	first              env.First
	autoreset          env.Autoreset
	illegal            illegal
	views, events      bool
}

// A seat is the client's: a number, or another one in each game.
type seat struct {
	number int64
	rotate bool
}

// illegal says what becomes of a step with an illegal action.
type illegal uint8

const (
	illegalError illegal = iota
	illegalNoop
)

// The words of make's fields, in the order of the constants that they stand for.
var (
	firstWords     = []string{"seat0", "random"}
	autoresetWords = []string{"next_step", "same_step", "disabled"}
	illegalWords   = []string{"error", "noop"}
)

// makeOp opens an environment.
func makeOp() op {
	return newOp("make", append(gameSchema(func(q *makeRequest) *gameRequest { return &q.game }),
		wire.Optional("num_envs", wire.Int(1, math.MaxInt32), func(q *makeRequest) *int64 { return &q.numEnvs }),
		wire.Optional("opponents", wire.TextList(), func(q *makeRequest) *[]string { return &q.opponents }),
		wire.Optional("seat", seatKind(), func(q *makeRequest) **seat { return &q.seat }),
		wire.Optional("first", wire.Word[env.First](firstWords), func(q *makeRequest) *env.First { return &q.first }),
		wire.Optional("step_limit", wire.Int(0, math.MaxInt32), func(q *makeRequest) *int64 { return &q.stepLimit }),
		wire.Optional("autoreset", wire.Word[env.Autoreset](autoresetWords), func(q *makeRequest) *env.Autoreset { return &q.autoreset }),
		wire.Optional("illegal", wire.Word[illegal](illegalWords), func(q *makeRequest) *illegal { return &q.illegal }),
		wire.Optional("views", wire.Bool(), func(q *makeRequest) *bool { return &q.views }),
		wire.Optional("events", wire.Bool(), func(q *makeRequest) *bool { return &q.events }),
	), (*session).make, results(
		"env", "num_envs", "seats_controlled", "variant", "players", "target", "options", "fingerprint", "observation", "num_columns", "dtypes",
	)...)
}

// seatKind is a number or a word.
func seatKind() wire.Kind[*seat] {
	return wire.Kind[*seat]{Want: `a seat's number or "rotate"`, Read: func(n wire.Notation, value []byte) (*seat, bool) {
		if text, ok := n.Text(value); ok {
			return &seat{rotate: true}, text == "rotate"
		}
		number, ok := n.Int(value)
		return &seat{number: number}, ok
	}}
}

func (s *session) make(q *makeRequest) ([]wire.Field, *Error) {
	g, wrong := s.gameOf(&q.game)
	if wrong != nil {
		return nil, wrong
	}
	o := env.VecOptions{
		Games: max(1, int(q.numEnvs)), StepLimit: int(q.stepLimit), First: q.first, Autoreset: q.autoreset, IgnoreIllegal: q.illegal == illegalNoop,
	}
	if len(s.environments) == maxEnvs {
		return nil, errorf(CodeLimit, "%d environments are open; a session holds no more", maxEnvs)
	}
	if s.games+o.Games > maxGames {
		return nil, errorf(CodeLimit, "%d games, with %d in other environments, are more than a session holds, %d", o.Games, s.games, maxGames)
	}
	e := &environment{games: o.Games, game: g, solo: q.opponents != nil || g.Players() == 1 && q.seat != nil, seed: env.SeedAt(s.Seed, uint64(s.made))}
	newGames := func() (*env.ShardedVec, error) { return env.NewShardedVec(g, o, s.Workers), nil }
	if e.solo {
		if q.seat == nil {
			q.seat = &seat{}
		}
		if q.seat.number < 0 || q.seat.number >= int64(g.Players()) {
			return nil, errorf(CodeBadRequest, "seat %d is not in [0, %d)", q.seat.number, g.Players())
		}
		if n, others := len(q.opponents), g.Players()-1; n != others && (n != 1 || others == 0) {
			return nil, errorf(CodeBadPolicy, "bad opponents: %d for %d other seats; give one for each, or one for all", n, others)
		}
		var opponents []env.Player
		if opponents, wrong = s.acquire(e, q.opponents); wrong != nil {
			return nil, wrong
		}
		newGames = func() (*env.ShardedVec, error) {
			return env.NewShardedSoloVec(g, env.SoloVecOptions{VecOptions: o, Seat: int(q.seat.number), Rotate: q.seat.rotate, Opponents: opponents}, s.Workers)
		}
	} else if q.seat != nil {
		return nil, errorf(CodeBadRequest, "seat is the learner's among opponents, and there are none: every seat is yours")
	}
	games, err := newGames()
	if err != nil {
		s.policies.release(e.opponents...)
		return nil, s.failed(CodeBadPolicy, err)
	}
	e.vec, e.batch = games, games.NewBatch()
	if q.views {
		e.views = newViews(g, o.Games)
	}
	if q.events {
		e.batch.Events = make([]env.StepEvent, o.Games)
	}
	s.made++
	s.games += o.Games
	s.environments[s.made] = e
	seats := "all"
	if e.solo {
		seats = "one"
	}
	return slices.Concat(
		[]wire.Field{named("env", s.made), named("num_envs", o.Games), named("seats_controlled", seats)},
		gameFields(g),
		[]wire.Field{named("num_columns", g.NumColumns()), named("dtypes", s.dtypes)},
	), nil
}

// acquire returns the policies of the given names or files. They stay in use until
// e is closed.
func (s *session) acquire(e *environment, names []string) (list []env.Player, wrong *Error) {
	if s.flush != nil {
		if err := s.flush(); err != nil {
			return nil, s.failed(CodeBadPolicy, err) // nobody reads this reply
		}
	}
	ctx, stop := WhileClient(s.ctx, s.clientGone)
	defer stop()
	for _, name := range names {
		h, err := s.policies.acquire(ctx, name, e.game)
		if err != nil {
			s.policies.release(e.opponents...)
			code := CodeBadPolicy
			if errors.Is(err, errPolicyLimit) {
				code = CodeLimit
			}
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return nil, s.failed(code, err)
		}
		e.opponents = append(e.opponents, h)
		list = append(list, h.policy)
	}
	return list, nil
}
