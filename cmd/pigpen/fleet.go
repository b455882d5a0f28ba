package main

import "pigpen/env"

// A fleet is a ShardedVec with the batch that its games write.
type fleet struct {
	*env.ShardedVec
	batch *env.Batch
}

// begin begins an episode in some of the games, with the dice of their seeds if
// there are any.
func (f *fleet) begin(which []bool, seeds []uint64) error {
	if seeds != nil {
		if err := f.Seed(seeds, which); err != nil {
			return err
		}
	}
	if err := f.ResetGames(which, f.batch); err != nil {
		return err
	}
	return f.Show(f.batch)
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

// restore makes all games what they were at state, or leaves them all as they
// are.
func (f *fleet) restore(states []byte) error {
	if err := f.UnmarshalBinary(states); err != nil {
		return err
	}
	return f.Show(f.batch)
}
