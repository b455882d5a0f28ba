package env_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest"
)

var _ rand.Source = (*env.Rand)(nil)

// splitMix64 is the published algorithm with its steps in order: S. Vigna's C
// code at prng.di.unimi.it/splitmix64.c.
func splitMix64(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// TestRandReference compares with the outputs from state 1234567 that Rosetta
// Code lists, and with the algorithm from other states.
func TestRandReference(t *testing.T) {
	r := env.RandIn(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		if got := r.Uint64(); got != want {
			t.Errorf("from state 1234567, Uint64() number %d = %d, want %d", i, got, want)
		}
	}
	for _, state := range []uint64{0, 1, math.MaxUint64, 1 << 63} {
		r, theirs := env.RandIn(state), state
		for i := range 1000 {
			if got, want := r.Uint64(), splitMix64(&theirs); got != want {
				t.Fatalf("from state %d, Uint64() number %d = %d, want %d", state, i, got, want)
			}
		}
	}
}

// TestSeeds checks that a seed is hashed to the state, as documented: state
// mix(seed + weyl), which is the algorithm's first output from the seed.
func TestSeeds(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2, 1234567, math.MaxUint64} {
		s := seed
		if got, want := env.NewRand(seed), env.RandIn(splitMix64(&s)); got != want {
			t.Errorf("NewRand(%d) = %v, want %v", seed, got, want)
		}
	}
	// Computed by a separate program from the formula in its comment: results
	// that were published with a seed depend on them.
	for _, test := range []struct{ seed, index, want uint64 }{
		{0, 0, 0x48294f70ccf5e4fc}, {0, 1, 0x8e58975f6d0dc556}, {1, 0, 0x39b4332fd4168839}, {7, 1 << 40, 0xf461a6281492b98b},
	} {
		if got := env.SeedAt(test.seed, test.index); got != test.want {
			t.Errorf("SeedAt(%d, %d) = %#x, want %#x", test.seed, test.index, got, test.want)
		}
	}
	const n = 300
	seen := make(map[uint64][2]uint64)
	for i := range uint64(n) {
		for j := range uint64(n) {
			// Counters, and pairs that differ in high bits only.
			for _, pair := range [][2]uint64{{i, j}, {i << 48, j<<48 + 1<<20}} {
				got := env.SeedAt(pair[0], pair[1])
				if other, ok := seen[got]; ok && other != pair {
					t.Fatalf("SeedAt%v = SeedAt%v = %#x", pair, other, got)
				}
				seen[got] = pair
			}
		}
	}
}

// TestBelow checks range and fairness.
func TestBelow(t *testing.T) {
	r := env.NewRand(1)
	for _, n := range []uint32{1, 2, 3, 6, 10, 36, 216} {
		counts, weights := make([]int, n), make([]int, n)
		for i := range weights {
			weights[i] = 1
		}
		for range 1000 * n {
			x := r.Below(n)
			if x >= n {
				t.Fatalf("Below(%d) = %d", n, x)
			}
			counts[x]++
		}
		envtest.CheckFrequencies(t, "Below", counts, weights)
	}
	// So many values that a plain remainder of 32 bits would double the weight
	// of the first third.
	const n = 3 << 30
	counts := make([]int, 3)
	for range 30_000 {
		counts[r.Below(n)>>30]++
	}
	envtest.CheckFrequencies(t, "Below(3<<30)>>30", counts, []int{1, 1, 1})
}

// TestBelowRedraws brings up the rare words that would bias Below. Of 2^32
// upper halves, 4 are surplus for 6 values: those whose product with 6 is below
// 4 modulo 2^32, such as 0.
func TestBelowRedraws(t *testing.T) {
	const third = math.MaxUint32/3 + 1 // (2^32 + 2) / 3; 6 times that is 2*2^32 + 4
	for _, test := range []struct {
		name    string
		word    uint64
		n       uint32
		redrawn bool
		want    uint32 // of a word that is kept
	}{
		{"surplus, low part 0", math.MaxUint32, 6, true, 0},
		{"surplus, low part 2", third / 2 << 32, 6, true, 0},
		{"kept, low part 4", third << 32, 6, false, 2},
		{"kept, low part 6", 1 << 32, 6, false, 0},
		{"kept, no surplus for a power of two", 0, 4, false, 0},
		{"kept, the last value", math.MaxUint64, 6, false, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			state := env.Before(test.word)
			check := env.RandIn(state)
			if got := check.Uint64(); got != test.word {
				t.Fatalf("Uint64() = %#x, want %#x", got, test.word)
			}
			r := env.RandIn(state)
			got := r.Below(test.n)
			want, then := test.want, check
			if test.redrawn {
				want = then.Below(test.n)
			}
			if got != want || r != then {
				t.Errorf("Below(%d) of word %#x = %d, then in state %v, want %d and %v", test.n, test.word, got, r, want, then)
			}
		})
	}
}

func TestFloat64(t *testing.T) {
	for _, test := range []struct {
		word uint64
		want float64
	}{
		{0, 0}, {1<<11 - 1, 0}, {1 << 11, 0x1p-53}, {1 << 63, 0.5}, {math.MaxUint64, 1 - 0x1p-53},
	} {
		r := env.RandIn(env.Before(test.word))
		if got := r.Float64(); got != test.want {
			t.Errorf("Float64() of word %#x = %v, want %v", test.word, got, test.want)
		}
	}
}
