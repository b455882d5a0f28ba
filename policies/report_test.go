package policies_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pigpen/policies"
	"pigpen/policies/exact"
)

func evaluate(t *testing.T, e policies.Evaluator, name string) policies.Report {
	t.Helper()
	e.OpponentName = policies.Reference(e.Game)
	e.Opponent = named(t, e.OpponentName, e.Game)
	r, err := e.Evaluate(t.Context(), name, named(t, name, e.Game))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEvaluate compares reports of one, two and three players with what package
// exact and Simulate say.
func TestEvaluate(t *testing.T) {
	g := pig(2, 20)
	race, perfect := named(t, "race", g), named(t, policies.Optimal, g)
	c, err := exact.Compare(t.Context(), g, race, perfect, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	best, err := exact.BestResponse(t.Context(), g, race, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := evaluate(t, policies.Evaluator{Game: g, Games: 1001, Seed: 7}, "race")
	if r.Method != policies.ExactMethod || r.Against != policies.Optimal || !slices.Equal(r.WinBySeat, c.WinBySeat) || r.WinMean != c.WinMean() ||
		*r.Exploitability != best.Exploitability() || *r.Turns != c.Turns() || *r.Decisions != c.Decisions() || r.FewestTurns != nil {
		t.Errorf("of two players: %+v", r)
	}
	tallies := simulate(t, g, race, perfect, policies.SimulateOptions{Games: 1001, Seed: 7, Workers: 1, StepLimit: policies.DefaultStepLimit})
	if s := r.Simulated; s.Games != 1001 || len(s.BySeat) != 2 || s.BySeat[1].Wins != tallies[1].Wins() || s.WinRate != tallies[0].Add(tallies[1]).WinRate() || s.Estimate.Turns != nil {
		t.Errorf("of two players, simulated: %+v", s)
	}

	if r := evaluate(t, policies.Evaluator{Game: pig(1, 20)}, "hold-20"); r.Against != "" || r.Exploitability != nil || *r.FewestTurns > *r.Turns || *r.FewestTurns < 1 || r.Simulated != nil {
		t.Errorf("of one player: %+v", r)
	}

	g = pig(3, 20)
	r = evaluate(t, policies.Evaluator{Game: g}, "hold-9")
	c, err = exact.Compare(t.Context(), g, named(t, "hold-9", g), named(t, policies.Optimal, g), exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Method != policies.ExactMethod || r.Against != policies.Optimal || !slices.Equal(r.WinBySeat, c.WinBySeat) || *r.Turns != c.Turns() || !(*r.Exploitability > 0) || r.Simulated != nil {
		t.Errorf("of three players: %+v", r)
	}

	if wins := evaluate(t, policies.Evaluator{Game: g, WinsOnly: true}, "hold-9"); !slices.Equal(wins.WinBySeat, c.WinBySeat) || *wins.Turns != c.Turns() || wins.Exploitability != nil || wins.Residual != c.Residual {
		t.Errorf("of three players, wins only: %+v", wins)
	}

	r = evaluate(t, policies.Evaluator{Game: g, Games: 3000, Seed: 1, SimulateOnly: true}, policies.Optimal)
	if r.Method != policies.SimulationMethod || r.ExactFigures != nil || len(r.WinBySeat) != 3 || !near(r.WinMean, 1.0/3, 0.05) || r.WinBySeat[2] != r.Simulated.BySeat[2].WinRate {
		t.Errorf("of three players, simulated: %+v", r)
	}
}

// TestEvaluateStages watches an evaluation.
func TestEvaluateStages(t *testing.T) {
	var stages []policies.Stage
	last, ended := 0.0, 0
	evaluate(t, policies.Evaluator{Game: pig(2, 20), Games: 10, Watch: func(s policies.Stage, policy string) (func(float64), func()) {
		if policy != "race" || ended != len(stages) {
			t.Errorf("stage %d of %s begins when %d of %d have ended", s, policy, ended, len(stages))
		}
		stages, last = append(stages, s), 0
		return func(done float64) {
				if done < last || done > 1 {
					t.Errorf("stage %d is done to %v after %v", s, done, last)
				}
				last = done
			}, func() {
				if ended++; last != 1 {
					t.Errorf("stage %d ends at %v", s, last)
				}
			}
	}}, "race")
	if want := []policies.Stage{policies.ExactStage, policies.SimulationStage}; !slices.Equal(stages, want) || ended != 2 {
		t.Errorf("the stages are %v, and %d have ended; want %v", stages, ended, want)
	}
}

// TestReportJSON pins the keys of a report and their order.
func TestReportJSON(t *testing.T) {
	one := 1.0
	e := policies.Estimate{Games: 2, Turns: &policies.TurnEstimate{Mean: 1}}
	b, err := json.Marshal(policies.Report{
		Policy: "p", Against: "a", Method: policies.ExactMethod, WinBySeat: []float64{1},
		ExactFigures: &policies.ExactFigures{Exploitability: &one, Turns: &one, Decisions: &one, FewestTurns: &one},
		Simulated:    &policies.Simulation{Estimate: e, BySeat: []policies.Estimate{{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"policy":"p","against":"a","method":"exact","win_by_seat":[1],"win_mean":0,` +
		`"exploitability":1,"expected_turns":1,"expected_decisions":1,"fewest_turns":1,"residual":0,` +
		`"simulated":{"games":2,"wins":0,"win_rate":0,"ci95":[0,0],"truncated":0,"turns":{"mean":1,"ci95":[0,0]},` +
		`"by_seat":[{"games":0,"wins":0,"win_rate":0,"ci95":[0,0],"truncated":0}]}}`
	if string(b) != want {
		t.Errorf("as JSON a report is\n%s\nwant\n%s", b, want)
	}
}
