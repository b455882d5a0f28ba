package env

// RandIn returns the generator whose state is the given word.
func RandIn(state uint64) Rand { return Rand{state: state} }

// Weyl is what a generator adds to its state at each draw.
const Weyl uint64 = weyl

// SetRand gives game i of a Vec of two players, which must not rest, the given
// generator.
func (v *Vec) SetRand(i int, r Rand) { v.tables.(*duels).rands[i] = r }
