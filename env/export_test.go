package env

import "slices"

// RandIn returns the generator whose state is the given word.
func RandIn(state uint64) Rand { return Rand{state: state} }

// Weyl is what a generator adds to its state at each draw.
const Weyl uint64 = weyl

// SetRand gives game i of a Vec, which must be active, the given generator.
func (v *Vec) SetRand(i int, r Rand) {
	switch e := v.engine.(type) {
	case *packedEngine:
		e.rands[i] = r
	case *matchEngine:
		e.list[i].rand = r
	}
}

// Before returns the generator state that makes word the next output, by
// undoing the mixer step for step.
func Before(word uint64) uint64 {
	inverse := func(odd uint64) uint64 { // modulo 2^64, by Newton's iteration
		x := odd
		for range 6 {
			x *= 2 - odd*x
		}
		return x
	}
	z := word
	z ^= z>>31 ^ z>>62
	z *= inverse(0x94d049bb133111eb)
	z ^= z>>27 ^ z>>54
	z *= inverse(0xbf58476d1ce4e5b9)
	z ^= z>>30 ^ z>>60
	return z - weyl
}

// HasKernel reports whether a Vec packs its games and the kernel steps them.
func (v *Vec) HasKernel() bool {
	e, ok := v.engine.(*packedEngine)
	return ok && e.kernel != nil
}

// DisableKernel makes a Vec of two players step every game with stepScalar.
func (v *Vec) DisableKernel() { v.engine.(*packedEngine).kernel = nil }

// Slots returns the number of slots that a roll is drawn from.
func (g Game) Slots() int { return g.table.slots }

// Equal reports whether two Vecs of two players have the same states and generators.
func (v *Vec) Equal(w *Vec) bool {
	d, e := v.engine.(*packedEngine), w.engine.(*packedEngine)
	return slices.Equal(d.rands, e.rands) && slices.Equal(d.states, e.states) && slices.Equal(d.more, e.more) && slices.Equal(d.canHold, e.canHold) &&
		slices.Equal(d.active, e.active) && slices.Equal(d.suspended, e.suspended) &&
		v.clock == w.clock && slices.Equal(v.begun, w.begun) && slices.Equal(v.done, w.done)
}

// Equal reports whether two batches hold the same values.
func (b *Batch) Equal(c *Batch) bool {
	return slices.Equal(b.Observations, c.Observations) && slices.Equal(b.Rewards, c.Rewards) &&
		slices.Equal(b.Terminated, c.Terminated) && slices.Equal(b.Truncated, c.Truncated) &&
		slices.Equal(b.Legal, c.Legal) && slices.Equal(b.Seats, c.Seats) && slices.Equal(b.Final, c.Final)
}

// Guard moves the slices that a step of a Vec that packs its games writes to between
// guards, and
// returns a function that reports whether they are intact.
func (v *Vec) Guard() func() bool {
	d := v.engine.(*packedEngine)
	rands, randsIntact := Guarded(len(d.rands), func(i int) Rand { return Rand{uint64(i)} })
	states, statesIntact := Guarded(len(d.states), func(i int) packedState { return packedState(i) })
	canHold, canHoldIntact := Guarded(len(d.canHold), func(i int) Action { return Action(i) })
	ended, endedIntact := Guarded(len(d.ended), func(i int) uint64 { return uint64(i) })
	copy(rands, d.rands)
	copy(states, d.states)
	copy(canHold, d.canHold)
	d.rands, d.states, d.canHold, d.ended = rands, states, canHold, ended
	return func() bool { return randsIntact() && statesIntact() && canHoldIntact() && endedIntact() }
}

// Guarded returns n zero values that stand, at an odd place, between values
// that fill gives by their distance, and a function that reports whether these
// are as they were.
func Guarded[T comparable](n int, fill func(i int) T) (values []T, intact func() bool) {
	const before, after = 33, 70
	all := make([]T, before+n+after)
	for i := range before {
		all[i] = fill(before - i)
	}
	for i := range after {
		all[before+n+i] = fill(i + 1)
	}
	return all[before : before+n : before+n], func() bool {
		for i := range before {
			if all[i] != fill(before-i) {
				return false
			}
		}
		for i := range after {
			if all[before+n+i] != fill(i+1) {
				return false
			}
		}
		return true
	}
}

// NewSmallShards is like NewShardedVec, with at least one game in a shard.
func NewSmallShards(g Game, o VecOptions, workers int) (*ShardedVec, error) {
	return newSharded(g, o, g.Players(), workers, 1, func(o VecOptions) (sharable, error) { return NewVec(g, o), nil })
}

// NewSmallSoloShards is like NewShardedSoloVec, with at least one game in a shard.
func NewSmallSoloShards(g Game, o SoloVecOptions, workers int) (*ShardedVec, error) {
	return newSharded(g, o.VecOptions, 1, workers, 1, func(part VecOptions) (sharable, error) {
		o := o
		o.VecOptions = part
		return NewSoloVec(g, o)
	})
}

// EventOf returns what action a does in s if r is the generator of the dice.
func (g Game) EventOf(s State, r Rand, a Action) StepEvent { return g.eventOf(s, r, a) }
