package serve

import (
	"slices"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// A resetRequest begins episodes in the games of an environment. Fields that are
// absent are nil.
type resetRequest struct {
	env   int64
	seed  *uint64
	seeds []uint64 // one for each game
	mask  []bool   // the games to reset
}

// resetOp begins episodes.
func resetOp() op {
	return newOp("reset", wire.Schema[resetRequest]{
		wire.Required("env", envNumber, func(q *resetRequest) *int64 { return &q.env }),
		wire.Optional("seed", wire.Pointer(wire.Uint()), func(q *resetRequest) **uint64 { return &q.seed }),
		wire.Optional("seeds", wire.Uint64List(maxGames), func(q *resetRequest) *[]uint64 { return &q.seeds }),
		wire.Optional("mask", wire.BoolList(maxGames), func(q *resetRequest) *[]bool { return &q.mask }),
	}, (*session).reset, shownResults...)
}

func (s *session) reset(q *resetRequest) ([]wire.Field, *Error) {
	e, wrong := s.environment(q.env)
	if wrong != nil {
		return nil, wrong
	}
	which := q.mask
	switch {
	case q.mask == nil:
		which = slices.Repeat([]bool{true}, e.games)
	case len(q.mask) != e.games:
		return nil, wrongLength("mask", len(q.mask), e.games)
	case !e.begun:
		return nil, errorf(CodeNoEpisode, "the first reset is one of all games, without mask")
	}
	seeds := q.seeds
	switch {
	case q.seeds != nil && q.seed != nil:
		return nil, errorf(CodeBadRequest, "reset takes either a seed or seeds")
	case q.seeds != nil && len(seeds) != e.games:
		return nil, wrongLength("seeds", len(seeds), e.games)
	case q.seeds != nil:
		for i, seed := range seeds { // as if the game were the only one
			seeds[i] = env.SeedAt(seed, 0)
		}
	case q.seed != nil:
		seeds = e.seedsOf(*q.seed)
	case !e.begun:
		seeds = e.seedsOf(e.seed)
	}
	var err error
	if seeds != nil {
		err = e.vec.Seed(seeds, which)
	}
	if err == nil {
		err = e.vec.ResetGames(which, e.batch)
	}
	if err == nil {
		err = e.vec.Show(e.batch)
	}
	return e.shown(err), nil
}

// seedsOf returns the seed of each game of an environment with one seed.
func (e *environment) seedsOf(seed uint64) []uint64 {
	seeds := make([]uint64, e.games)
	for i := range seeds {
		seeds[i] = env.SeedAt(seed, uint64(i))
	}
	return seeds
}

// wrongLength returns the error of a list with n elements, not one for each of
// games games.
func wrongLength(name string, n, games int) *Error {
	return errorf(CodeBadRequest, "%s has %d elements, not %d", name, n, games)
}
