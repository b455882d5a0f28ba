package main

import (
	"context"
	"errors"
	"slices"

	"pigpen/env"
)

// An environment is what make makes: games of one kind, and how to show them.
type environment struct {
	fleet *fleet
	games int
	game  env.Game
	solo  bool   // the caller has one seat
	begun bool   // it has been reset or restored
	seed  uint64 // of a first reset without seed

	opponents []*heldPolicy // in use until it is closed
}

// makeEnvironment opens an environment.
func (s *session) makeEnvironment(q *request) ([]field, *replyError) {
	g, wrong := s.gameOf(q)
	if wrong != nil {
		return nil, wrong
	}
	o := env.VecOptions{
		Games: max(1, int(q.numEnvs)), StepLimit: int(q.stepLimit), First: q.first, Autoreset: q.autoreset, IgnoreIllegal: q.ignoreIllegal,
	}
	if len(s.environments) == maxEnvs {
		return nil, wrongf(codeLimit, "%d environments are open; a session holds no more", maxEnvs)
	}
	if s.games+o.Games > maxGames {
		return nil, wrongf(codeLimit, "%d games, with %d in other environments, are more than a session holds, %d", o.Games, s.games, maxGames)
	}
	e := &environment{games: o.Games, game: g, solo: q.has("opponents") || g.Players() == 1 && q.has("seat"), seed: env.SeedAt(s.seed, uint64(s.made))}
	newGames := func() (*env.ShardedVec, error) { return env.NewShardedVec(g, o, s.workers), nil }
	if e.solo {
		if q.seat < 0 || q.seat >= int64(g.Players()) {
			return nil, wrongf(codeBadRequest, "seat %d is not in [0, %d)", q.seat, g.Players())
		}
		if n, others := len(q.opponents), g.Players()-1; n != others && (n != 1 || others == 0) {
			return nil, wrongf(codeBadPolicy, "bad opponents: %d for %d other seats; give one for each, or one for all", n, others)
		}
		var opponents []env.Player
		if opponents, wrong = s.acquire(e, q.opponents); wrong != nil {
			return nil, wrong
		}
		newGames = func() (*env.ShardedVec, error) {
			return env.NewShardedSoloVec(g, env.SoloVecOptions{VecOptions: o, Seat: int(q.seat), Rotate: q.rotate, Opponents: opponents}, s.workers)
		}
	} else if q.has("seat") {
		return nil, wrongf(codeBadRequest, "seat is the learner's among opponents, and there are none: every seat is yours")
	}
	games, err := newGames()
	if err != nil {
		s.policies.release(e.opponents...)
		return nil, &replyError{codeBadPolicy, oneLine(err)}
	}
	e.fleet = &fleet{games, games.NewBatch()}
	s.made++
	s.games += o.Games
	s.environments[s.made] = e
	fields := []field{{"env", s.made}, {"num_envs", o.Games}, {"seats_controlled", e.seats()}}
	fields = append(fields, gameFields(g)...)
	return append(fields, field{"num_columns", g.NumColumns()}, field{"dtypes", dtypes}), nil
}

// seats says how many the caller has.
func (e *environment) seats() string {
	if e.solo {
		return "one"
	}
	return "all"
}

// gameOf returns the game that a request asks for; the session's if it does not
// say.
func (s *session) gameOf(q *request) (env.Game, *replyError) {
	if !q.has("variant") && !q.has("players") && !q.has("target") && !q.has("options") {
		return s.game, nil
	}
	// A Config takes these for a wish for the default.
	for _, f := range []struct {
		name  string
		empty bool
	}{{"variant", q.variant == ""}, {"players", q.players == 0}, {"target", q.target == 0}} {
		if f.empty && q.has(f.name) {
			return env.Game{}, wrongf(codeBadGame, "%s is empty or 0; leave it away for the default", f.name)
		}
	}
	g, err := env.New(env.Config{Variant: q.variant, Players: int(q.players), Target: int(q.target), Options: q.options})
	if err != nil {
		return env.Game{}, &replyError{codeBadGame, oneLine(err)}
	}
	return g, nil
}

// acquire returns the policies of the given names or files, which are in use
// until the environment is closed.
func (s *session) acquire(e *environment, names []string) (list []env.Player, wrong *replyError) {
	if s.send != nil {
		if err := s.send(); err != nil {
			return nil, &replyError{codeBadPolicy, oneLine(err)} // which nobody reads
		}
	}
	ctx, stop := whileRead(s.ctx, s.unread)
	defer stop()
	for _, name := range names {
		h, err := s.policies.acquire(ctx, name, e.game)
		if err != nil {
			s.policies.release(e.opponents...)
			code := codeBadPolicy
			if errors.Is(err, errPolicyLimit) {
				code = codeLimit
			}
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return nil, &replyError{code, oneLine(err)}
		}
		e.opponents = append(e.opponents, h)
		list = append(list, h.policy)
	}
	return list, nil
}

// reset begins episodes.
func (e *environment) reset(q *request) ([]field, *replyError) {
	which := q.mask
	switch {
	case !q.has("mask"):
		which = slices.Repeat([]bool{true}, e.games)
	case len(q.mask) != e.games:
		return nil, wrongf(codeBadRequest, "mask has %d elements, not %d", len(q.mask), e.games)
	case !e.begun:
		return nil, wrongf(codeNoEpisode, "the first reset is one of all games, without mask")
	}
	seeds := q.seeds
	switch {
	case q.has("seeds") && q.has("seed"):
		return nil, wrongf(codeBadRequest, "reset takes either a seed or seeds")
	case q.has("seeds") && len(seeds) != e.games:
		return nil, wrongf(codeBadRequest, "seeds has %d elements, not %d", len(seeds), e.games)
	case q.has("seeds"):
		for i, seed := range seeds { // as if the game were the only one
			seeds[i] = env.SeedAt(seed, 0)
		}
	case q.has("seed"):
		seeds = e.seedsOf(q.seed)
	case !e.begun:
		seeds = e.seedsOf(e.seed)
	}
	return e.rows(e.fleet.begin(which, seeds))
}

// seedsOf returns the seeds of games that share one.
func (e *environment) seedsOf(seed uint64) []uint64 {
	seeds := make([]uint64, e.games)
	for i := range seeds {
		seeds[i] = env.SeedAt(seed, uint64(i))
	}
	return seeds
}

// step takes an action in every game.
func (e *environment) step(q *request) ([]field, *replyError) {
	if !e.begun {
		return nil, wrongf(codeNoEpisode, "no episode is under way; reset the environment first")
	}
	if len(q.actions) != e.games {
		return nil, wrongf(codeBadRequest, "actions has %d elements, not %d", len(q.actions), e.games)
	}
	if q.has("mask") && len(q.mask) != e.games {
		return nil, wrongf(codeBadRequest, "mask has %d elements, not %d", len(q.mask), e.games)
	}
	if i := e.fleet.refused(q.actions, q.mask); i >= 0 {
		if a := q.actions[i]; a != env.Hold {
			return nil, wrongf(codeIllegalAction, "game %d: %d; an action is 0 (hold) or 1 (roll)", i, a)
		}
		return nil, wrongf(codeIllegalAction, "game %d: hold before the first roll of the turn; a turn begins with a roll", i)
	}
	b := e.fleet.batch
	clear(b.Final)
	fields, wrong := e.rows(e.fleet.StepSome(q.actions, q.mask, b))
	if wrong != nil {
		return nil, wrong
	}
	if len(b.Final) > 0 && (slices.Contains(b.Terminated, true) || slices.Contains(b.Truncated, true)) {
		fields = append(fields, field{"final_observations", column{b.Final, e.game.NumColumns()}})
	}
	if slices.Contains(b.Ignored, true) {
		noops := make([]uint8, e.games)
		for i, ignored := range b.Ignored {
			if ignored {
				noops[i] = 1
			}
		}
		fields = append(fields, field{"noops", column{noops, 0}})
	}
	return fields, nil
}

// state returns a snapshot.
func (e *environment) state() ([]field, *replyError) {
	if !e.begun {
		return nil, wrongf(codeNoEpisode, "no episode is under way; reset the environment first")
	}
	b, err := e.fleet.MarshalBinary()
	if err != nil {
		panic(err) // it never fails
	}
	return []field{{"states", blob(b)}}, nil
}

// restore takes up a snapshot.
func (e *environment) restore(q *request) ([]field, *replyError) {
	if err := e.fleet.restore(q.states); err != nil {
		return nil, &replyError{codeBadState, oneLine(err)}
	}
	return e.rows(nil)
}

// rows are what every reply says of all games.
func (e *environment) rows(err error) ([]field, *replyError) {
	if err != nil {
		panic(err) // every size and action has been checked
	}
	e.begun = true
	b := e.fleet.batch
	rewards := column{b.Rewards, e.game.Players()}
	if e.solo {
		rewards.width = 0
	}
	return []field{
		{"observations", column{b.Observations, e.game.NumColumns()}},
		{"action_mask", column{b.Legal, env.NumActions}},
		{"rewards", rewards},
		{"terminated", column{b.Terminated, 0}},
		{"truncated", column{b.Truncated, 0}},
		{"seats", column{b.Seats, 0}},
	}, nil
}
