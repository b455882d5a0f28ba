package env_test

import (
	"strings"
	"testing"

	"pigpen/env"
)

// never is a player who always holds.
type never struct{}

func (never) RollChance(env.State) float64 { return 0 }

// TestStepEvents compares the events of a Vec and of a SoloVec, whole and split into
// shards, with those of a Match in each game, and their points with the scores before
// the step and after it.
func TestStepEvents(t *testing.T) {
	forEachGame(t, func(t *testing.T, g env.Game) {
		const n = 12
		o := env.VecOptions{Games: n, StepLimit: 60, First: env.FirstRandom, IgnoreIllegal: true}
		solo := env.SoloVecOptions{VecOptions: o, Rotate: true}
		if g.Players() > 1 {
			solo.Opponents = []env.Player{never{}}
		}
		small, err := env.NewSmallShards(g, o, 3)
		if err != nil {
			t.Fatal(err)
		}
		smallSolo, err := env.NewSmallSoloShards(g, solo, 3)
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]interface {
			games
			StepSome(actions []env.Action, which []bool, b *env.Batch) error
		}{"Vec": env.NewVec(g, o), "SoloVec": newSoloVec(t, g, solo), "ShardedVec": small, "sharded SoloVec": smallSolo} {
			seen := map[env.Effect]bool{}
			b := v.NewBatch()
			b.Events = make([]env.StepEvent, n)
			if err := v.Reset(3, b); err != nil {
				t.Fatal(err)
			}
			coins := env.NewRand(5)
			actions, which := make([]env.Action, n), make([]bool, n)
			legal, before := make([]env.Actions, n), make([]env.State, n)
			for step := range 300 {
				for i := range n {
					actions[i], which[i] = env.Action(min(1, coins.Below(4))), coins.Below(8) > 0
					legal[i], before[i] = legalOf(b, i), v.State(i)
				}
				if err := v.StepSome(actions, which, b); err != nil {
					t.Fatal(err)
				}
				for i, e := range b.Events {
					s := before[i]
					if !which[i] || !legal[i].Has(actions[i]) || s.Over {
						if e != (env.StepEvent{Event: env.Event{Seat: -1, RollNumber: -1}}) {
							t.Fatalf("%s: step %d: game %d took no action, and the event is %+v", name, step, i, e)
						}
						continue
					}
					if e.Seat != s.Seat || e.Action != actions[i] || e.BeganTurn != (s.TurnTotal == 0) {
						t.Fatalf("%s: step %d: action %v in %+v: event %+v", name, step, actions[i], s, e)
					}
					after, want := g.AfterHold(s), int(s.TurnTotal)
					if actions[i] == env.Roll {
						o, err := g.OutcomeOf(s, g.Faces(int(e.RollNumber))...)
						if err != nil || o != e.Outcome {
							t.Fatalf("%s: step %d: roll %d has the outcome %v, %v; event %+v", name, step, e.RollNumber, o, err, e)
						}
						seen[o.Effect] = true
						after = g.AfterRoll(s, o)
						switch o.Effect {
						case env.Gain, env.Again:
							want = int(o.Points)
						case env.Wipe:
							want = int(s.Scores[s.Seat] + s.TurnTotal)
						}
					}
					if int(e.Points) != want {
						t.Fatalf("%s: step %d: event %+v in %+v has %d points, want %d", name, step, e, s, e.Points, want)
					}
					// In a SoloVec the others have then moved, which changes no score of the mover's.
					now := v.State(i)
					if now != after && (!strings.Contains(name, "Solo") || now.Scores[s.Seat] != after.Scores[s.Seat]) {
						t.Fatalf("%s: step %d: event %+v in %+v leads to %+v, and the game is in %+v", name, step, e, s, after, now)
					}
				}
			}
			for _, effect := range []env.Effect{env.Gain, g.Outcomes(g.Start(0))[0].Effect} {
				if !seen[effect] {
					t.Errorf("%s: no event has the effect %v", name, effect)
				}
			}
		}
	})
}

// TestStepEventValues checks what a bust, a wipe and a stop move.
func TestStepEventValues(t *testing.T) {
	for _, test := range []struct {
		variant string
		banked  int16
		total   int16
		faces   []int
		want    string
		points  int16
	}{
		{"pig", 20, 30, []int{1}, "bust", 30},
		{"pig", 20, 30, []int{4}, "gain 4", 4},
		{"pig-snake-eyes", 20, 30, []int{1, 1}, "wipe", 50},
		{"pig-snake-eyes", 20, 0, []int{1, 1}, "wipe", 20},
		{"pig-snake-eyes", 20, 30, []int{1, 5}, "bust", 30},
		{"cochon", 1, 2, []int{2, 3, 4}, "stop", 2},
		{"cochon", 1, 0, []int{2, 3, 4}, "stop", 0},
	} {
		g := env.Must(env.New(env.Config{Variant: test.variant}))
		s := g.Start(0)
		s.Scores[0], s.TurnTotal = test.banked, test.total
		found := false
		for seed := uint64(0); !found; seed++ {
			e := g.EventOf(s, env.NewRand(seed), env.Roll)
			faces := g.Faces(int(e.RollNumber))
			for k, face := range test.faces {
				found = (k == 0 || found) && faces[k] == face
			}
			if found && (e.Outcome.String() != test.want || e.Points != test.points) {
				t.Errorf("%s: %v with %d and %d: %v, %d points, want %s, %d", test.variant, faces, test.banked, test.total, e.Outcome, e.Points, test.want, test.points)
			}
		}
	}
}
