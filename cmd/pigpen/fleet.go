package main

import (
	"fmt"

	"pigpen/env"
)

// games are an [env.Vec] or an [env.SoloVec].
type games interface {
	NewBatch() *env.Batch
	Reset(seed uint64, b *env.Batch) error
	Seed(seeds []uint64, which []bool) error
	ResetGames(which []bool, b *env.Batch) error
	StepSome(actions []env.Action, which []bool, b *env.Batch) error
	Show(b *env.Batch) error
	MarshalBinary() ([]byte, error)
	ReadSnapshot(b []byte) (restore func(), err error)
}

// A fleet plays games on several goroutines. What they play does not depend on
// how many there are.
type fleet struct {
	batch *env.Batch // what all games show
	parts []part
}

// A part is some of the games, with its rows of the fleet's batch.
type part struct {
	games
	from, to int
	batch    *env.Batch
}

// gamesPerWorker is how many games are worth a goroutine.
const gamesPerWorker = 512

// newFleet makes a fleet of what newGames returns for some of the games.
func newFleet(o env.VecOptions, workers int, newGames func(o env.VecOptions) (games, error)) (*fleet, error) {
	f := new(fleet)
	type made struct {
		part
		err error
	}
	all := o
	for _, m := range inParts(o.Games, gamesPerWorker, workers, func(from, to int) made {
		o := all
		o.Games, o.FirstIndex = to-from, uint64(from)
		list, err := newGames(o)
		return made{part{games: list, from: from, to: to}, err}
	}) {
		if m.err != nil {
			return nil, m.err
		}
		f.parts = append(f.parts, m.part)
	}
	f.batch = f.parts[0].NewBatch()
	if len(f.parts) > 1 {
		f.share(o.Games)
	}
	for i := range f.parts {
		p := &f.parts[i]
		b := f.batch
		p.batch = &env.Batch{
			Observations: section(b.Observations, p, o.Games), Rewards: section(b.Rewards, p, o.Games),
			Terminated: section(b.Terminated, p, o.Games), Truncated: section(b.Truncated, p, o.Games),
			Legal: section(b.Legal, p, o.Games), Seats: section(b.Seats, p, o.Games),
			Final: section(b.Final, p, o.Games), Ignored: section(b.Ignored, p, o.Games),
		}
	}
	return f, nil
}

// share makes a batch for n games of that of the first part.
func (f *fleet) share(n int) {
	b, first := f.batch, f.parts[0].to
	f.batch = &env.Batch{
		Observations: widened(b.Observations, first, n), Rewards: widened(b.Rewards, first, n),
		Terminated: widened(b.Terminated, first, n), Truncated: widened(b.Truncated, first, n),
		Legal: widened(b.Legal, first, n), Seats: widened(b.Seats, first, n),
		Final: widened(b.Final, first, n), Ignored: widened(b.Ignored, first, n),
	}
}

// widened returns rows for n games that are as long as those of some.
func widened[T any](rows []T, some, n int) []T { return make([]T, len(rows)/some*n) }

// section returns the rows of a part of n games.
func section[T any](all []T, p *part, n int) []T {
	width := len(all) / n
	return all[p.from*width : p.to*width]
}

// each calls do for all parts, at once where there are several, and returns the
// first error.
func (f *fleet) each(do func(i int, p *part) error) error {
	for _, err := range inParts(len(f.parts), 1, len(f.parts), func(i, _ int) error { return do(i, &f.parts[i]) }) {
		if err != nil {
			return err
		}
	}
	return nil
}

// begin begins an episode in some of the games, with the dice of their seeds if
// there are any.
func (f *fleet) begin(which []bool, seeds []uint64) error {
	return f.each(func(_ int, p *part) error {
		some := which[p.from:p.to]
		if seeds != nil {
			if err := p.Seed(seeds[p.from:p.to], some); err != nil {
				return err
			}
		}
		if err := p.ResetGames(some, p.batch); err != nil {
			return err
		}
		return p.Show(p.batch)
	})
}

// refused returns the first game whose action is not among those that the
// batch shows, or -1. Games that show none, and those that ignore what is
// illegal, take any action, and so do those that stand still, as step says.
func (f *fleet) refused(actions []env.Action, which []bool) int {
	ignores := len(f.batch.Ignored) > 0
	for i, a := range actions {
		if which != nil && !which[i] {
			continue
		}
		if a >= env.NumActions || a == env.Hold && f.batch.Legal[env.NumActions*i+1] && !f.batch.Legal[env.NumActions*i] && !ignores {
			return i
		}
	}
	return -1
}

// step takes actions that are not refused, in the games i for which which[i] is
// true; nil is all of them. The others stand still.
func (f *fleet) step(actions []env.Action, which []bool) error {
	return f.each(func(_ int, p *part) error {
		some := which
		if which != nil {
			some = which[p.from:p.to]
		}
		return p.StepSome(actions[p.from:p.to], some, p.batch)
	})
}

// state returns a snapshot of all games.
func (f *fleet) state() ([]byte, error) {
	var all []byte
	for i := range f.parts {
		b, err := f.parts[i].MarshalBinary()
		if err != nil {
			return nil, err
		}
		all = append(all, b...)
	}
	return all, nil
}

// restore makes all games what they were at state, or leaves them all as they
// are.
func (f *fleet) restore(states []byte) error {
	n := f.parts[len(f.parts)-1].to
	if len(states)%n != 0 {
		return fmt.Errorf("%w: %d bytes are not as many for each of %d games", env.ErrSnapshot, len(states), n)
	}
	restores := make([]func(), len(f.parts))
	if err := f.each(func(i int, p *part) (err error) {
		restores[i], err = p.ReadSnapshot(section(states, p, n))
		return err
	}); err != nil {
		return err
	}
	return f.each(func(i int, p *part) error {
		restores[i]()
		return p.Show(p.batch)
	})
}
