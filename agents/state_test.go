package agents

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

// TestStateGoesOn checks that an agent restored from a state goes on as
// the original does, byte for byte, with another number of workers, from many
// points: between and within passes, blocks and rounds.
func TestStateGoesOn(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		t.Parallel()
		for _, c := range courses(r) {
			config := Config{Index: c.index, Seed: 5, StepLimit: 1000}
			if _, ok := r.Setting("epsilon-halving"); ok {
				config.Settings = Settings{"epsilon": "0.8", "epsilon-halving": "1000"} // falls with the decisions
			}
			fresh := func() Agent { return newAgent(r, config) }
			points := sized([]int{0, 21, c.calls - 10}, []int{0, 1, 5, 21, c.calls - 11, c.calls - 10, c.calls - 9, c.calls + 9})
			states := make(map[int][]byte)
			whole := fresh()
			for call := range c.calls + 10 {
				if slices.Contains(points, call) {
					states[call] = savedState(t, whole)
				}
				whole.Learn(2)
			}
			want := follow(t, whole, 0, always(1))
			for _, point := range points {
				// One agent has learned something else before; it must not show.
				for _, restored := range []Agent{fresh(), whole} {
					if err := restored.ReadState(bytes.NewReader(states[point])); err != nil {
						t.Fatalf("%v: ReadState after %d calls of Learn: %v", c.index.Game(), point, err)
					}
					if again := savedState(t, restored); !bytes.Equal(again, states[point]) {
						t.Fatalf("%v: the state after %d calls of Learn is another when it is restored", c.index.Game(), point)
					}
					got := follow(t, restored, c.calls+10-point, changing)
					if got.played = want.played; !got.equal(want) {
						t.Errorf("%v: restored after %d calls of Learn, an agent comes to something else", c.index.Game(), point)
					}
				}
			}
		}
	})
}

// TestStateSize checks that a state is as long as the agent says.
func TestStateSize(t *testing.T) {
	for _, a := range stateAgents() {
		if n := len(savedState(t, a)); a.StateSize() != int64(n) {
			t.Errorf("%T: StateSize() = %d, and WriteState writes %d bytes", a, a.StateSize(), n)
		}
	}
}

// put returns b with some bytes overwritten, little-endian.
func put(b []byte, at int, x any) []byte {
	b = slices.Clone(b)
	if _, err := binary.Encode(b[at:], binary.LittleEndian, x); err != nil {
		panic(err)
	}
	return b
}

// A damage is a state that must be refused.
type damage struct {
	what  string
	state []byte
}

// damages returns states of the agent that are no good.
func damages(t testing.TB, a Agent) []damage {
	good := savedState(t, a)
	list := []damage{
		{"nothing", nil},
		{"one byte", good[:1]},
		{"a byte short", good[:len(good)-1]},
		{"a byte too long", append(slices.Clone(good), 0)},
		{"twice as long", append(slices.Clone(good), good...)},
	}
	add := func(what string, at int, x any) { list = append(list, damage{what, put(good, at, x)}) }
	// addFloat adds states with a number that no agent learns.
	addFloat := func(what string, at int) {
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e36, -1e36} {
			add(fmt.Sprintf("%s %v", what, x), at, float32(x))
		}
	}
	switch a := a.(type) {
	case *curriculum:
		addFloat("first estimate", 4*8)
		addFloat("last estimate", 4*8+4*(len(a.value)-1))
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
		addFloat("count", 3*8)
		addFloat("last sum", 3*8+2*4*a.index.Size()-4)
		add("round -1", 0, int64(-1))
		add("played -1", 8, int64(-1))
		add("played all", 8, a.at.Batches)
		add("no batches", 16, int64(0))
		add("negative batches", 16, int64(-1))
		add("fewer batches than the first round", 16, int64(firstRound-1))
	case *textbook:
		match := len(good) - 8 - 6*len(a.q)
		addFloat("first estimate", match+8)
		addFloat("last estimate", match+8+4*(len(a.q)-1))
		add("another version of the match", 0, uint8(99))
		add("a match of another game", 1, uint64(1))
		add("steps of the match -1", 1+8+8+1+8, int64(-1))
		add("decisions -1", match, int64(-1))
		add("a count past the weights", len(good)-2, uint16(len(a.weights)))
	}
	return list
}

// stateAgent returns a new agent, on a small game, with few weights.
func stateAgent(r Recipe) Agent {
	s := make(Settings)
	if _, ok := r.Setting("step-size-floor"); ok {
		s["step-size"], s["step-size-floor"] = "1/n", "0.125"
	}
	return newAgent(r, Config{Index: pigIndex(2, 4), Settings: s, Seed: 1, StepLimit: 100})
}

// stateAgents returns one of each recipe that has learned a little.
func stateAgents() (all []Agent) {
	for _, k := range Kinds() {
		for _, r := range k.Recipes {
			a := stateAgent(r)
			for range 5 {
				a.Learn(1)
			}
			all = append(all, a)
		}
	}
	return all
}

// TestStateRefused checks what states are refused, and that the good one
// is taken after all of them.
func TestStateRefused(t *testing.T) {
	for _, a := range stateAgents() {
		t.Run(fmt.Sprintf("%T", a), func(t *testing.T) {
			good := savedState(t, a)
			for _, d := range damages(t, a) {
				if err := a.ReadState(bytes.NewReader(d.state)); !errors.Is(err, ErrState) {
					t.Errorf("%s: ReadState: %v, want %v", d.what, err, ErrState)
				}
			}
			if err := a.ReadState(bytes.NewReader(good)); err != nil || !bytes.Equal(savedState(t, a), good) {
				t.Errorf("ReadState of a good state after damaged ones: %v", err)
			}
		})
	}
}

// TestStateOfAnotherIndex checks that a state does not fit an agent with
// other states.
func TestStateOfAnotherIndex(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		one := newAgent(r, Config{Index: pigIndex(2, 4)})
		two := newAgent(r, Config{Index: pigIndex(2, 5)})
		if err := two.ReadState(bytes.NewReader(savedState(t, one))); !errors.Is(err, ErrState) {
			t.Errorf("ReadState of a state of another target: %v, want %v", err, ErrState)
		}
	})
}

// TestStateMemory checks that writing takes next to no memory, and reading no
// more than twice the agent's, whatever it is given.
func TestStateMemory(t *testing.T) {
	racedetector.Skip(t)
	took := func(do func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		index := pigIndex(2, 60)
		a := newAgent(r, Config{Index: index, Seed: 1})
		a.Learn(2)
		good := savedState(t, a)
		const buffers = 1 << 18
		if n := took(func() { a.WriteState(io.Discard) }); n > buffers {
			t.Errorf("WriteState of %d bytes takes %d bytes, want %d at most", len(good), n, buffers)
		}
		most := uint64(2*r.BytesPerEntry(r.Defaults(index.Game()), 1)*index.Size() + buffers)
		long := append(slices.Clone(good), make([]byte, 100*len(good))...)
		for what, b := range map[string][]byte{"a good one": good, "a short one": good[:len(good)/2], "a very long one": long} {
			var err error
			if n := took(func() { err = a.ReadState(bytes.NewReader(b)) }); n > most || (err == nil) != (what == "a good one") {
				t.Errorf("ReadState of %s takes %d bytes, want %d at most (error %v)", what, n, most, err)
			}
		}
	})
}

// FuzzState restores agents from whatever bytes: they are refused, or taken
// and written again as they were, and then the agent works and tells its estimates.
func FuzzState(f *testing.F) {
	for kind, a := range stateAgents() {
		f.Add(kind, savedState(f, a))
		for _, d := range damages(f, a) {
			f.Add(kind, d.state)
		}
		good := savedState(f, a)
		f.Add(kind, put(good, len(good)-40, math.Float32bits(float32(math.NaN()))))
		if a, ok := a.(*rounds); ok { // means that overflow
			n := a.index.Size()
			counts := put(good, 3*8, slices.Repeat([]float32{1e-30}, n))
			f.Add(kind, put(counts, 3*8+4*n, slices.Repeat([]float32{1e30}, n)))
		}
	}
	var recipes []Recipe
	for _, k := range Kinds() {
		recipes = append(recipes, k.Recipes...)
	}
	f.Fuzz(func(t *testing.T, kind int, b []byte) {
		a := stateAgent(recipes[uint(kind)%uint(len(recipes))])
		if err := a.ReadState(bytes.NewReader(b)); err != nil {
			if !errors.Is(err, ErrState) {
				t.Errorf("ReadState: %v, want %v", err, ErrState)
			}
			return
		}
		if again := savedState(t, a); !bytes.Equal(again, b) {
			t.Errorf("a state that was taken is written again as\n%x, not\n%x", again, b)
		}
		a.Metrics()
		a.Greedy()
		a.(Estimator).Estimates()
		a.Learn(1)
		a.(Estimator).Estimates()
	})
}

// TestStateOfSummary has agents that see the summary of states go on as well.
func TestStateOfSummary(t *testing.T) {
	index := indexOf(env.Must(env.New(env.Config{Variant: "pig", Players: 4, Target: 10})), policies.SummaryAbstraction)
	for name, r := range textbooks() {
		config := Config{Index: index, Seed: 1, StepLimit: 100}
		one, two := newAgent(r, config), newAgent(r, config)
		follow(t, one, 500, always(1))
		if err := two.ReadState(bytes.NewReader(savedState(t, one))); err != nil {
			t.Fatal(err)
		}
		if !follow(t, one, 500, always(1)).equal(follow(t, two, 500, always(1))) {
			t.Errorf("%s: a restored agent comes to something else", name)
		}
	}
}
