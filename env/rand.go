package env

// Rand is a SplitMix64 generator: a Weyl sequence whose values pass through a
// 64-bit mixer. Its whole state is one word, so that many games can be
// advanced from one cache line, and saving it resumes the stream exactly. The
// zero value is the stream of a zero state. It implements math/rand/v2.Source.
// It is not safe for concurrent use.
//
// Source: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014; the mixer's constants are D. Stafford's "Mix13".
type Rand struct{ state uint64 }

// weyl is the odd increment of the sequence: 2^64 divided by the golden ratio.
const weyl = 0x9e3779b97f4a7c15

// NewRand returns the generator of the given seed. Seeds that differ in one
// bit give unrelated streams, since the seed is mixed first.
func NewRand(seed uint64) Rand { return Rand{state: mix64(seed + weyl)} }

// SeedAt returns the seed of the index-th of many games that share one seed.
// It hashes the pair, so that game i plays the same dice whoever plays it and
// however the games are split among workers.
func SeedAt(seed, index uint64) uint64 {
	return mix64(mix64(seed+weyl) ^ mix64(index*weyl+1))
}

// mix1 and mix2 are the mixer's multipliers.
const (
	mix1 = 0xbf58476d1ce4e5b9
	mix2 = 0x94d049bb133111eb
)

func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * mix1
	z = (z ^ z>>27) * mix2
	return z ^ z>>31
}

// Uint64 returns a value uniform on all 64-bit words.
func (r *Rand) Uint64() uint64 {
	r.state += weyl
	return mix64(r.state)
}

// Below returns a value uniform on [0, n), without bias. n must be positive.
//
// It scales the upper half of a word and redraws in the rare case that would
// be biased (fewer than n of 2^32 values): D. Lemire, "Fast Random Integer
// Generation in an Interval", ACM TOMACS 29(1), 2019.
func (r *Rand) Below(n uint32) uint32 {
	x := r.Uint64() >> 32 * uint64(n)
	if uint32(x) < n {
		x = r.redraw(n, x)
	}
	return uint32(x >> 32)
}

// redraw finishes Below where the scaled half-word x may be a surplus one.
func (r *Rand) redraw(n uint32, x uint64) uint64 {
	surplus := -n % n // 2^32 mod n
	for uint32(x) < surplus {
		x = r.Uint64() >> 32 * uint64(n)
	}
	return x
}

// Float64 returns a value uniform on the multiples of 2^-53 in [0, 1).
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) * 0x1p-53 }
