package exact

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

// A call is one that reports progress; it returns a figure of its result.
type call struct {
	name string
	do   func(ctx context.Context, g env.Game, o Options) (float64, error)
}

func calls() []call {
	perfect := func(ctx context.Context, g env.Game, o Options) (float64, error) {
		s, err := Solve(ctx, g, o)
		if err != nil {
			return 0, err
		}
		return s.tables[0].afterPass[0][0][0], nil
	}
	return []call{
		{"Solve", perfect},
		{"Solve and Prepare", func(ctx context.Context, g env.Game, o Options) (float64, error) {
			o.Prepare = true
			return perfect(ctx, g, o)
		}},
		{"Prepare", func(ctx context.Context, g env.Game, o Options) (float64, error) {
			s, err := Solve(context.Background(), g, Options{})
			if err != nil {
				return 0, err
			}
			if err := s.Prepare(ctx, o); err != nil {
				// It can be asked all the same.
				return 0, errors.Join(err, s.Prepare(context.Background(), Options{}))
			}
			return float64(s.LastRoll()), nil
		}},
		{"BestResponse", func(ctx context.Context, g env.Game, o Options) (float64, error) {
			s, err := BestResponse(ctx, g, holdAt(20), o)
			if err != nil {
				return 0, err
			}
			return s.WinMean(), nil
		}},
		{"Evaluate", func(ctx context.Context, g env.Game, o Options) (float64, error) {
			e, err := Evaluate(ctx, g, []env.Player{uneven{}, holdAt(25)}, o)
			return e.Turns, err
		}},
		{"Compare", func(ctx context.Context, g env.Game, o Options) (float64, error) {
			c, err := Compare(ctx, g, holdAt(20), holdAt(25), o)
			return c.Turns(), err
		}},
		{"Compare a solution", func(ctx context.Context, g env.Game, o Options) (float64, error) {
			s, err := Solve(context.Background(), g, Options{})
			if err != nil {
				return 0, err
			}
			c, err := Compare(ctx, g, s, holdAt(25), o)
			return c.Turns(), err
		}},
	}
}

func progressGames() []env.Game {
	var games []env.Game
	for _, variant := range []string{"pig", "pig-last-round", "pig-snake-eyes"} {
		games = append(games, env.Must(env.New(env.Config{Variant: variant, Target: 30})))
	}
	return games
}

// TestProgress holds that what is reported rises from near 0 to 1, by one
// goroutine at a time, and changes no bit of the result.
func TestProgress(t *testing.T) {
	for _, g := range progressGames() {
		for _, c := range calls() {
			want, err := c.do(t.Context(), g, Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 3} {
				var told []float64
				var busy atomic.Int32
				got, err := c.do(t.Context(), g, Options{Workers: workers, Progress: func(done float64) {
					if busy.Add(1) != 1 {
						t.Errorf("%s(%v): two goroutines report at once", c.name, g)
					}
					told = append(told, done)
					busy.Add(-1)
				}})
				if err != nil || !sameBits(got, want) {
					t.Errorf("%s(%v) with %d workers and progress returns %v, %v, want %v as without", c.name, g, workers, got, err, want)
				}
				if len(told) < g.Target() || !(told[0] >= 0 && told[0] < 0.1) || told[len(told)-1] != 1 {
					t.Errorf("%s(%v) with %d workers reports %d times, from %v to %v; want many times, from near 0 to 1", c.name, g, workers, len(told), told[0], told[len(told)-1])
				}
				for i := 1; i < len(told); i++ {
					if !(told[i] >= told[i-1]) {
						t.Fatalf("%s(%v) with %d workers reports %v after %v", c.name, g, workers, told[i], told[i-1])
					}
				}
			}
		}
	}
}

// TestCancel ends each call in the midst of the work. With one worker nothing
// more may be reported then: the call has returned before the pairs of another
// sum, or the actions of another score, were worked out.
func TestCancel(t *testing.T) {
	for _, g := range progressGames() {
		for _, c := range calls() {
			for _, at := range []float64{0, 0.3, 0.6, 0.9} {
				ctx, cancel := context.WithCancel(t.Context())
				after := 0
				_, err := c.do(ctx, g, Options{Workers: 1, Progress: func(done float64) {
					if ctx.Err() != nil {
						after++
					}
					if done >= at && done < 1 {
						cancel()
					}
				}})
				ended := ctx.Err() != nil
				cancel()
				if ended && (!errors.Is(err, context.Canceled) || after > 0) {
					t.Errorf("%s(%v) ended at %v returns %v and reports %d times more; want context.Canceled and none", c.name, g, at, err, after)
				}
				if !ended && !(at > 0.3 && g.Variant().ID == "pig-snake-eyes") { // whose few sweeps may end sooner than thought
					t.Errorf("%s(%v) reports nothing in [%v, 1)", c.name, g, at)
				}
			}
		}
	}
}

// TestEstimate holds that where sweeps are repeated, the part that is reported
// is near that of the sweeps.
func TestEstimate(t *testing.T) {
	racedetector.Skip(t)
	g := env.Must(env.New(env.Config{Variant: "pig-snake-eyes", Target: 45}))
	for _, c := range calls() {
		if c.name == "Prepare" || c.name == "Compare a solution" {
			continue // which have a part without sweeps
		}
		var told []float64 // after each sweep, as long as there are sweeps
		reports := 0
		if _, err := c.do(t.Context(), g, Options{Workers: 1, Progress: func(done float64) {
			if reports++; reports%(2*g.Target()-1) == 0 {
				told = append(told, done)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		for i, done := range told {
			if is := float64(i+1) / float64(len(told)); math.Abs(done-is) > 0.2 {
				t.Errorf("%s: after %d sweeps of %d it reports %.2f, want about %.2f", c.name, i+1, len(told), done, is)
			}
		}
	}
}

// TestPart divides work in parts whose fractions fit together.
func TestPart(t *testing.T) {
	var told []float64
	o := Options{Progress: func(done float64) { told = append(told, done) }}
	const parts = 7
	for i := range parts {
		part := o.Part(float64(i)/parts, float64(i+1)/parts)
		for _, done := range []float64{0, 0.5, 1} {
			part.Progress(done)
		}
	}
	for i, done := range told {
		want := (float64(i/3) + float64(i%3)/2) / parts
		if math.Abs(done-want) > 1e-15 || i > 0 && done < told[i-1] {
			t.Errorf("report %d is %v, want %v and no less than %v", i, done, want, told[max(0, i-1)])
		}
	}
	if last := told[len(told)-1]; last != 1 {
		t.Errorf("the last report is %v, want 1", last)
	}
	if (Options{}).Part(0, 0.5).Progress != nil {
		t.Error("a part of work that is not reported has a Progress")
	}
}
