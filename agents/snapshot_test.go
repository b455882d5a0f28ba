package agents

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// TestSnapshotGoesOn checks that an agent restored from a snapshot goes on as
// the original does, byte for byte, with another number of workers, from many
// points: between and within passes, blocks and rounds.
func TestSnapshotGoesOn(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		t.Parallel()
		for _, c := range courses(r) {
			config := Config{Layout: c.layout, Settings: r.Defaults, Seed: 5, StepLimit: 1000}
			config.Settings.Epsilon = Epsilon{Start: 0.8, Halving: 1000} // falls with the decisions
			fresh := func() Agent { return r.New(config) }
			points := sized([]int{0, 21, c.calls - 10}, []int{0, 1, 5, 21, c.calls - 11, c.calls - 10, c.calls - 9, c.calls + 9})
			snapshots := make(map[int][]byte)
			whole := fresh()
			for call := range c.calls + 10 {
				if slices.Contains(points, call) {
					snapshots[call] = snapshotOf(t, whole)
				}
				whole.Learn(2)
			}
			want := follow(t, whole, 0, always(1))
			for _, point := range points {
				// One agent has learned something else before; it must not show.
				for _, restored := range []Agent{fresh(), whole} {
					if err := restored.UnmarshalBinary(snapshots[point]); err != nil {
						t.Fatalf("%v: UnmarshalBinary after %d calls of Learn: %v", c.layout.Game(), point, err)
					}
					if again := snapshotOf(t, restored); !bytes.Equal(again, snapshots[point]) {
						t.Fatalf("%v: the snapshot after %d calls of Learn is another when it is restored", c.layout.Game(), point)
					}
					got := follow(t, restored, c.calls+10-point, changing)
					if got.played = want.played; !got.equal(want) {
						t.Errorf("%v: restored after %d calls of Learn, an agent comes to something else", c.layout.Game(), point)
					}
				}
			}
		}
	})
}

// TestSnapshotAppends checks that AppendBinary appends.
func TestSnapshotAppends(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		a := r.New(Config{Layout: pigLayout(2, 4), Settings: r.Defaults})
		a.Learn(1)
		prefix := []byte("prefix")
		b, err := a.AppendBinary(prefix)
		if err != nil || !bytes.Equal(b, append(prefix, snapshotOf(t, a)...)) {
			t.Errorf("AppendBinary(%q) does not append (error %v)", prefix, err)
		}
	})
}

// put returns b with some bytes overwritten, little-endian.
func put(b []byte, at int, x any) []byte {
	b = slices.Clone(b)
	if _, err := binary.Encode(b[at:], binary.LittleEndian, x); err != nil {
		panic(err)
	}
	return b
}

// A damage is a snapshot that must be refused.
type damage struct {
	what     string
	snapshot []byte
}

// damages returns snapshots of the agent that are no good.
func damages(t testing.TB, a Agent) []damage {
	good := snapshotOf(t, a)
	list := []damage{
		{"nothing", nil},
		{"one byte", good[:1]},
		{"a byte short", good[:len(good)-1]},
		{"a byte too long", append(slices.Clone(good), 0)},
		{"twice as long", append(slices.Clone(good), good...)},
	}
	add := func(what string, at int, x any) { list = append(list, damage{what, put(good, at, x)}) }
	switch a := a.(type) {
	case *curriculum:
		// Pass, sum, block, steps; then the estimates and the counts.
		add("pass -1", 0, int64(-1))
		add("pass 41", 0, int64(41))
		add("a pass that overflows", 0, int64(math.MaxInt64))
		add("sum -1", 8, int64(-1))
		add("a sum too high", 8, a.highest()+1)
		add("block -1", 16, int64(-1))
		add("a block past the pass", 16, int64(1)<<a.at.Pass)
		add("steps -1", 24, int64(-1))
		add("a count past the weights", len(good)-2, uint16(len(a.weights)))
	case *rounds:
		add("round -1", 0, int64(-1))
		add("played -1", 8, int64(-1))
		add("played all", 8, a.at.Chunks)
		add("no chunks", 16, int64(0))
		add("negative chunks", 16, int64(-1))
		add("fewer chunks than the first round", 16, int64(firstRound-1))
	case *textbook:
		match := len(good) - 8 - 6*len(a.q)
		add("another version of the match", 0, uint8(99))
		add("a match of another game", 1, uint64(1))
		add("steps of the match -1", 1+8+8+1+8, int64(-1))
		add("decisions -1", match, int64(-1))
		add("a count past the weights", len(good)-2, uint16(len(a.weights)))
	}
	return list
}

// snapshotAgent returns a new agent, on a small game, with few weights.
func snapshotAgent(r Recipe) Agent {
	s := r.Defaults
	s.StepSize = StepSize{Scale: 1, Power: 1, Floor: 0.125}
	return r.New(Config{Layout: pigLayout(2, 4), Settings: s, Seed: 1, StepLimit: 100})
}

// snapshotAgents returns one of each recipe that has learned a little.
func snapshotAgents() (all []Agent) {
	for _, k := range Kinds() {
		for _, r := range k.Recipes {
			a := snapshotAgent(r)
			for range 5 {
				a.Learn(1)
			}
			all = append(all, a)
		}
	}
	return all
}

// TestSnapshotRefused checks what snapshots are refused, and that the good one
// is taken after all of them.
func TestSnapshotRefused(t *testing.T) {
	for _, a := range snapshotAgents() {
		t.Run(fmt.Sprintf("%T", a), func(t *testing.T) {
			good := snapshotOf(t, a)
			for _, d := range damages(t, a) {
				if err := a.UnmarshalBinary(d.snapshot); !errors.Is(err, ErrSnapshot) {
					t.Errorf("%s: UnmarshalBinary: %v, want %v", d.what, err, ErrSnapshot)
				}
			}
			if err := a.UnmarshalBinary(good); err != nil || !bytes.Equal(snapshotOf(t, a), good) {
				t.Errorf("UnmarshalBinary of a good snapshot after damaged ones: %v", err)
			}
		})
	}
}

// TestSnapshotOfAnotherLayout checks that a snapshot does not fit an agent with
// other states.
func TestSnapshotOfAnotherLayout(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		one := r.New(Config{Layout: pigLayout(2, 4), Settings: r.Defaults})
		two := r.New(Config{Layout: pigLayout(2, 5), Settings: r.Defaults})
		if err := two.UnmarshalBinary(snapshotOf(t, one)); !errors.Is(err, ErrSnapshot) {
			t.Errorf("UnmarshalBinary of a snapshot of another target: %v, want %v", err, ErrSnapshot)
		}
	})
}

// TestSnapshotMemory checks that reading takes no more memory than a few times
// the agent, whatever it is given.
func TestSnapshotMemory(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		l := pigLayout(2, 40)
		a := r.New(Config{Layout: l, Settings: r.Defaults, Seed: 1})
		good := snapshotOf(t, a)
		most := uint64(8 * r.BytesPerEntry(1) * l.Entries())
		long := append(slices.Clone(good), make([]byte, 100*len(good))...)
		for what, b := range map[string][]byte{"a good one": good, "a short one": good[:len(good)/2], "a very long one": long} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := a.UnmarshalBinary(b)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most || (err == nil) != (what == "a good one") {
				t.Errorf("UnmarshalBinary of %s takes %d bytes, want %d at most (error %v)", what, took, most, err)
			}
		}
	})
}

// FuzzSnapshot restores agents from whatever bytes: they are refused, or taken
// and written again as they were, and then the agent works.
func FuzzSnapshot(f *testing.F) {
	for kind, a := range snapshotAgents() {
		f.Add(kind, snapshotOf(f, a))
		for _, d := range damages(f, a) {
			f.Add(kind, d.snapshot)
		}
		good := snapshotOf(f, a)
		f.Add(kind, put(good, len(good)-40, math.Float32bits(float32(math.NaN()))))
	}
	var recipes []Recipe
	for _, k := range Kinds() {
		recipes = append(recipes, k.Recipes...)
	}
	f.Fuzz(func(t *testing.T, kind int, b []byte) {
		a := snapshotAgent(recipes[uint(kind)%uint(len(recipes))])
		if err := a.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, ErrSnapshot) {
				t.Errorf("UnmarshalBinary: %v, want %v", err, ErrSnapshot)
			}
			return
		}
		if again := snapshotOf(t, a); !bytes.Equal(again, b) {
			t.Errorf("a snapshot that was taken is written again as\n%x, not\n%x", again, b)
		}
		a.Gauges()
		a.Greedy()
		a.Learn(1)
	})
}

// TestSnapshotOfSummary has agents that see the summary of states go on as well.
func TestSnapshotOfSummary(t *testing.T) {
	l := layoutOf(env.Must(env.New(env.Config{Variant: "pig", Players: 4, Target: 10})), policies.SummaryStates)
	for name, r := range textbooks() {
		config := Config{Layout: l, Settings: r.Defaults, Seed: 1, StepLimit: 100}
		one, two := r.New(config), r.New(config)
		follow(t, one, 500, always(1))
		if err := two.UnmarshalBinary(snapshotOf(t, one)); err != nil {
			t.Fatal(err)
		}
		if !follow(t, one, 500, always(1)).equal(follow(t, two, 500, always(1))) {
			t.Errorf("%s: a restored agent comes to something else", name)
		}
	}
}
