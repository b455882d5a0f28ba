package serve

import (
	"math"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// An environment is games of one kind that the client plays.
type environment struct {
	vec   *env.ShardedVec
	batch *env.Batch // what all games show
	games int
	game  env.Game
	solo  bool   // the client has one seat
	begun bool   // it has been reset or restored
	seed  uint64 // of a first reset without seed
	views *views // nil unless the replies have them

	opponents []*heldPolicy // in use until the environment is closed
}

// An envRequest names an environment.
type envRequest struct{ env int64 }

// envNumber is the number of an environment.
var envNumber = wire.Int(0, math.MaxInt64)

// requiredEnv is the only field of an [envRequest].
var requiredEnv = wire.Required("env", envNumber, func(q *envRequest) *int64 { return &q.env })

// begun returns the open environment of a number, if it has been reset or
// restored.
func (s *session) begun(number int64) (*environment, *Error) {
	e, wrong := s.environment(number)
	if wrong == nil && !e.begun {
		wrong = errorf(CodeNoEpisode, "no episode is under way; reset the environment first")
	}
	return e, wrong
}

// shownResults describes the fields of [environment.shown].
var shownResults = append([]result{
	{"observations", "<i2"}, {"action_mask", "|b1"}, {"rewards", "<f4"}, {"terminated", "|b1"}, {"truncated", "|b1"}, {"seats", "|i1"},
}, viewResults...)

// shown returns what replies say of all games. It panics if err, of whatever has
// changed the games, is not nil: handlers check sizes before, and report illegal
// actions themselves.
func (e *environment) shown(err error) []wire.Field {
	if err != nil {
		panic(err)
	}
	e.begun = true
	b := e.batch
	rewards := rows(b.Rewards, e.game.Players())
	if e.solo {
		rewards.Width = 0
	}
	fields := []wire.Field{
		named("observations", rows(b.Observations, e.game.NumColumns())),
		named("action_mask", rows(b.Legal, env.NumActions)),
		named("rewards", rewards),
		named("terminated", list(b.Terminated)),
		named("truncated", list(b.Truncated)),
		named("seats", list(b.Seats)),
	}
	if e.views == nil {
		return fields
	}
	return append(fields, e.views.of(e.vec)...)
}
