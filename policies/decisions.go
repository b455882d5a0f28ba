package policies

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"pigpen/env"
)

// A Decision is what a policy does at a decision point.
type Decision struct {
	// Observation has the columns of [env.Game.Columns], as the player to move sees
	// them. It is valid until the next decision.
	Observation []int16
	// RollChance is the policy's chance of rolling.
	RollChance float64
	// Hold and Roll are what the actions are worth, as [Valuer] has it, and Loss is
	// what the policy gives away: what the better action is worth, less the mean of
	// both by RollChance. They are NaN where no values are asked for.
	Hold, Roll, Loss float64
}

// Action returns the action that d takes with chance 0.5 or more, Roll if both have it.
func (d *Decision) Action() env.Action {
	if d.RollChance >= 0.5 {
		return env.Roll
	}
	return env.Hold
}

// Clone returns a decision that stays valid.
func (d Decision) Clone() Decision {
	d.Observation = slices.Clone(d.Observation)
	return d
}

// Decisions iterates over what p does at each of points, in order. With v, which may be
// nil, it also tells what the actions are worth.
func Decisions(points *DecisionPoints, p Policy, v Valuer) iter.Seq[Decision] {
	return func(yield func(Decision) bool) {
		d := Decision{Hold: math.NaN(), Roll: math.NaN(), Loss: math.NaN()}
		var s env.State
		for i := range points.Len() {
			d.Observation = points.Observation(d.Observation[:0], i)
			if err := points.game.ReadState(d.Observation, &s); err != nil {
				panic(err) // every decision point is a state
			}
			d.RollChance = p.RollChance(s)
			if v != nil {
				d.Hold, d.Roll = v.Values(s)
				d.Loss = max(0, max(d.Hold, d.Roll)-(d.RollChance*d.Roll+(1-d.RollChance)*d.Hold))
			}
			if !yield(d) {
				return
			}
		}
	}
}

// A Difference is a decision in which another policy has another chance of rolling.
type Difference struct {
	Decision
	// Other is the chance of rolling of the other policy.
	Other float64
}

// DifferenceOptions are what [Differences] can do without.
type DifferenceOptions struct {
	// Most is the largest number of decisions to return; 0 returns all.
	Most int
	// Keep, if not nil, chooses by state among the decisions that differ.
	Keep func(s env.State) bool
	// Watch, if not nil, is called now and then with the part of the points that is
	// done; an error of it ends the search.
	Watch func(done float64) error
}

// Differences returns the decisions of p at points that are not those of other, with
// values by v, the costliest first; those that cost the same are in order of points.
// States that no sequence of rolls leads to are left out; see [Reach]. The error is that
// of o.Watch.
func Differences(points *DecisionPoints, p, other Policy, v Valuer, o DifferenceOptions) ([]Difference, error) {
	var list []Difference
	var s env.State
	reach := NewReach(points.game)
	shorten := func(n int) {
		slices.SortStableFunc(list, func(a, b Difference) int { return cmp.Compare(b.Loss, a.Loss) })
		if o.Most > 0 && len(list) > n {
			list = list[:n]
		}
	}
	i := 0
	for d := range Decisions(points, p, v) {
		if i%reportEntries == 0 && o.Watch != nil {
			if err := o.Watch(float64(i) / float64(points.Len())); err != nil {
				return nil, err
			}
		}
		i++
		if !reach.Decides(d.Observation) {
			continue
		}
		if err := points.game.ReadState(d.Observation, &s); err != nil {
			return nil, err
		}
		chance := other.RollChance(s)
		if chance == d.RollChance || o.Keep != nil && !o.Keep(s) {
			continue
		}
		list = append(list, Difference{d.Clone(), chance})
		if o.Most > 0 && len(list) >= 2*o.Most+reportEntries {
			shorten(o.Most)
		}
	}
	shorten(o.Most)
	return list, nil
}
