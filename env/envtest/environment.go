package envtest

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"pigpen/env"
)

// An Environment is what [TestEnvironment] drives; an adapter makes one of an
// [env.Match] or an [env.Solo].
type Environment interface {
	Game() env.Game
	State() env.State
	Reset(seed uint64) View
	ResetNext() View
	Step(a env.Action) (View, error)
	Clone() Environment
}

// A View is everything that an environment tells after a reset or a step.
type View struct {
	State       env.State
	Seat        int // whose observation it is
	Observation []int16
	Legal       env.Actions
	// Rewards are by seat, of those seats that the environment rewards; a
	// reset may leave them out.
	Rewards               map[int]float64
	Terminated, Truncated bool
}

// equal reports whether v and w tell the same.
func (v View) equal(w View) bool {
	return v.State == w.State && v.Seat == w.Seat && slices.Equal(v.Observation, w.Observation) && v.Legal == w.Legal &&
		maps.Equal(v.Rewards, w.Rewards) && v.Terminated == w.Terminated && v.Truncated == w.Truncated
}

const (
	// seeds is how many seeds TestEnvironment tries.
	seeds = 4
	// episodes is how many it plays in a row where one might happen to be
	// like another.
	episodes = 8
	// clones is at how many steps of an episode it is cloned.
	clones = 20
	// maxSteps is the number of steps in which an episode must end.
	maxSteps = 100_000
	// actionSeed is that of the actions, which must not be those of the dice.
	actionSeed = 1 << 40
)

// TestEnvironment checks that environments keep the contract of [env.Match]
// and [env.Solo]: what they show, what they refuse and that it changes
// nothing, that they repeat themselves exactly, and how episodes end. The
// environments that newEnv returns must be alike, begin no episode by
// themselves, and truncate an episode after stepLimit steps unless that is 0.
func TestEnvironment(t *testing.T, newEnv func(stepLimit int) Environment) {
	t.Run("episodes", func(t *testing.T) { testEpisodes(t, newEnv(0)) })
	t.Run("errors", func(t *testing.T) { testErrors(t, newEnv) })
	t.Run("determinism", func(t *testing.T) { testDeterminism(t, newEnv) })
	t.Run("clone", func(t *testing.T) { testClone(t, newEnv(0)) })
	t.Run("step limit", func(t *testing.T) { testStepLimit(t, newEnv) })
}

// actions returns the generator of an episode's actions.
func actions() *env.Rand {
	r := env.NewRand(actionSeed)
	return &r
}

// choose draws a legal action; it rolls three times out of four.
func choose(legal env.Actions, r *env.Rand) env.Action {
	if legal.Has(env.Hold) && r.Below(4) == 0 {
		return env.Hold
	}
	return env.Roll
}

// step takes an action that must be allowed.
func step(t *testing.T, e Environment, a env.Action) View {
	v, err := e.Step(a)
	if err != nil {
		t.Helper()
		t.Fatalf("Step(%v) in %+v: %v", a, e.State(), err)
	}
	return v
}

// play plays on from v until the episode ends and returns every view, v first.
func play(t *testing.T, e Environment, v View, r *env.Rand) []View {
	t.Helper()
	trace := []View{v}
	for v.Legal != 0 {
		v = step(t, e, choose(v.Legal, r))
		if trace = append(trace, v); len(trace) > maxSteps {
			t.Fatalf("an episode has not ended after %d steps", maxSteps)
		}
	}
	return trace
}

// playMany plays on from v to the end of the episode and then more of them.
func playMany(t *testing.T, e Environment, v View, r *env.Rand) []View {
	t.Helper()
	trace := play(t, e, v, r)
	for range episodes {
		trace = append(trace, play(t, e, e.ResetNext(), r)...)
	}
	return trace
}

// checkTrace reports where two traces part.
func checkTrace(t *testing.T, what string, got, want []View) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if !got[i].equal(want[i]) {
			t.Fatalf("%s: view %d is\n%+v, want\n%+v", what, i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d views, want %d", what, len(got), len(want))
	}
}

// testEpisodes checks each view of whole episodes.
func testEpisodes(t *testing.T, e Environment) {
	for seed := range uint64(seeds) {
		r := actions()
		v := e.Reset(seed)
		for range episodes {
			if over := v.State.Over; over && v.Legal != env.RollOnly {
				t.Fatalf("reset to the ended %+v: legal is %v, want %v", v.State, v.Legal, env.RollOnly)
			}
			for _, reward := range v.Rewards {
				if reward != 0 || v.Terminated || v.Truncated {
					t.Fatalf("a reset returned %+v, want no reward and no end", v)
				}
			}
			checkView(t, e, v)
			for v.Legal != 0 {
				before, a := v.State, choose(v.Legal, r)
				v = step(t, e, a)
				checkView(t, e, v)
				checkStep(t, e.Game(), before, a, v)
			}
			v = e.ResetNext()
		}
	}
}

// checkView checks what a view says against its state.
func checkView(t *testing.T, e Environment, v View) {
	g := e.Game()
	if v.State != e.State() {
		t.Fatalf("State() = %+v, want %+v", e.State(), v.State)
	}
	if want := g.Observe(nil, v.State, v.Seat); !slices.Equal(v.Observation, want) {
		t.Fatalf("observation of %+v is %v, want %v", v.State, v.Observation, want)
	}
	if v.State.Over || v.Truncated {
		return
	}
	if want := g.Legal(v.State); v.Legal != want {
		t.Fatalf("legal actions in %+v are %v, want %v", v.State, v.Legal, want)
	}
	if v.Seat != int(v.State.Seat) {
		t.Fatalf("seat %d is asked in %+v", v.Seat, v.State)
	}
}

// checkStep checks the rewards and the end in what a step returned.
func checkStep(t *testing.T, g env.Game, before env.State, a env.Action, v View) {
	if v.Truncated || v.Terminated != v.State.Over || v.Terminated != (v.Legal == 0) {
		t.Fatalf("Step(%v) = %+v, want terminated exactly when the game is over, and then no legal action", a, v)
	}
	if len(v.Rewards) == 0 {
		t.Fatalf("Step(%v) rewards nobody", a)
	}
	sum := 0.0
	for _, seat := range slices.Sorted(maps.Keys(v.Rewards)) {
		want := g.Return(v.State, seat)
		if g.Players() == 1 && before.TurnTotal == 0 {
			want = -1
		}
		if v.Rewards[seat] != want {
			t.Fatalf("Step(%v) from %+v to %+v: reward of seat %d is %v, want %v", a, before, v.State, seat, v.Rewards[seat], want)
		}
		sum += v.Rewards[seat]
	}
	if n := g.Players(); n > 1 && len(v.Rewards) == n && !near(sum, 0) {
		t.Fatalf("Step(%v): rewards %v sum to %v, want 0", a, v.Rewards, sum)
	}
}

// refuse takes every action that is not legal and checks that the error is
// the right one and the state stays.
func refuse(t *testing.T, e Environment, legal env.Actions, want error) {
	t.Helper()
	for _, a := range []env.Action{env.Hold, env.Roll, 2, 255} {
		if legal.Has(a) {
			continue
		}
		before := e.State()
		if _, err := e.Step(a); !errors.Is(err, want) {
			t.Fatalf("Step(%v) in %+v: error %v, want %v", a, before, err, want)
		}
		if e.State() != before {
			t.Fatalf("Step(%v), which is refused, led from %+v to %+v", a, before, e.State())
		}
	}
}

// testErrors plays the same episodes with and without steps that are refused.
func testErrors(t *testing.T, newEnv func(stepLimit int) Environment) {
	e := newEnv(0)
	refuse(t, e, 0, env.ErrNoEpisode)
	for seed := range uint64(seeds) {
		twin := newEnv(0)
		want := playMany(t, twin, twin.Reset(seed), actions())
		var got []View
		r := actions()
		v := e.Reset(seed)
		for range episodes + 1 {
			for got = append(got, v); v.Legal != 0; got = append(got, v) {
				refuse(t, e, v.Legal, env.ErrIllegal)
				v = step(t, e, choose(v.Legal, r))
			}
			refuse(t, e, 0, env.ErrNoEpisode)
			v = e.ResetNext()
		}
		checkTrace(t, "after refused steps", got, want)
	}
}

// testDeterminism checks that a seed fixes the episodes and that without one
// the dice go on.
func testDeterminism(t *testing.T, newEnv func(stepLimit int) Environment) {
	used := newEnv(0)
	var traces [][]View
	for seed := range uint64(seeds) {
		e := newEnv(0)
		trace := playMany(t, e, e.Reset(seed), actions())
		checkTrace(t, "the same seed in an environment that was used before", playMany(t, used, used.Reset(seed), actions()), trace)
		for other, t2 := range traces {
			if slices.EqualFunc(trace, t2, View.equal) {
				t.Errorf("Reset(%d) and Reset(%d) begin the same %d episodes", seed, other, episodes+1)
			}
		}
		traces = append(traces, trace)

		// With the same actions each time, only the dice tell episodes apart.
		first := play(t, used, used.Reset(seed), actions())
		again := true
		for range episodes {
			again = again && slices.EqualFunc(play(t, used, used.ResetNext(), actions()), first, View.equal)
		}
		if again {
			t.Errorf("after Reset(%d), ResetNext begins the first episode again and again", seed)
		}
	}
	fresh := newEnv(0)
	checkTrace(t, "ResetNext before any Reset, against Reset(0)", playMany(t, fresh, fresh.ResetNext(), actions()), traces[0])
}

// testClone clones at each of the first steps, lets the clone go its own way,
// and checks that the original does not notice; then that a clone does as the
// original.
func testClone(t *testing.T, e Environment) {
	for seed := range uint64(seeds) {
		want := play(t, e, e.Reset(seed), actions())
		wantNext := e.ResetNext()

		got := []View{e.Reset(seed)}
		r := actions()
		for v := got[0]; v.Legal != 0; got = append(got, v) {
			if len(got) <= clones {
				astray := env.NewRand(seed)
				play(t, e.Clone(), v, &astray)

				rest, clone := *r, e.Clone()
				checkTrace(t, "a clone", play(t, clone, v, &rest), want[len(got)-1:])
				checkTrace(t, "a clone's next episode", []View{clone.ResetNext()}, []View{wantNext})
			}
			v = step(t, e, choose(v.Legal, r))
		}
		checkTrace(t, "an environment with clones", got, want)
		checkTrace(t, "its next episode", []View{e.ResetNext()}, []View{wantNext})
	}
}

// testStepLimit plays an episode without limit, then with a limit at its very
// last step, where the end of the game goes before the limit, and with others
// before that.
func testStepLimit(t *testing.T, newEnv func(stepLimit int) Environment) {
	for seed := range uint64(seeds) {
		free := newEnv(0)
		whole := play(t, free, free.Reset(seed), actions())
		steps := len(whole) - 1
		e := newEnv(steps)
		checkTrace(t, "an episode that ends at the step limit", play(t, e, e.Reset(seed), actions()), whole)

		for _, limit := range []int{1, 2, steps / 2, steps - 1} {
			if limit < 1 || limit >= steps {
				continue
			}
			e := newEnv(limit)
			want := slices.Clone(whole[:limit+1])
			want[limit].Truncated, want[limit].Legal = true, 0
			checkTrace(t, "a truncated episode", play(t, e, e.Reset(seed), actions()), want)
			refuse(t, e, 0, env.ErrNoEpisode)
			if again := play(t, e, e.Reset(seed), actions()); len(again) != len(want) {
				t.Fatalf("step limit %d: the second episode has %d views, want %d", limit, len(again), len(want))
			}
		}
	}
}
