package main

import (
	"math"

	"pigpen/agents"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/train"
)

// sweepResult is what a sweep prints as JSON. Figures that are not known are null.
type sweepResult struct {
	Variant string          `json:"variant"`
	Players int             `json:"players"`
	Target  int             `json:"target"`
	Options map[string]bool `json:"options,omitempty"`
	Agent   string          `json:"agent"`
	Recipe  string          `json:"recipe"`
	States  string          `json:"states"`
	Program string          `json:"program"`
	Against string          `json:"against,omitempty"`
	Method  string          `json:"method"`
	Seeds   []uint64        `json:"seeds"`
	Varying []string        `json:"varying"`
	Points  []sweepPoint    `json:"points"`
	Best    sweepTraining   `json:"best"`
	// References are as those of one training.
	References  []policies.Report `json:"references,omitempty"`
	Interrupted bool              `json:"interrupted"`
	PolicyFile  string            `json:"policy_file"`
	Kept        string            `json:"kept,omitempty"`
}

// sweepPoint is a point of the grid. SD and Interval are of the win probability of the
// seeds or, with one player, of the expected turns.
type sweepPoint struct {
	Settings       agents.Settings `json:"settings"`
	Ended          int             `json:"ended"`
	WinMean        *float64        `json:"win_mean"`
	ExpectedTurns  *float64        `json:"expected_turns"`
	SD             *float64        `json:"sd"`
	Interval       []float64       `json:"ci95"`
	Exploitability *float64        `json:"exploitability"`
	BestSeed       *uint64         `json:"best_seed"`
	Trainings      []sweepTraining `json:"trainings"`
}

// sweepTraining is a training that has ended.
type sweepTraining struct {
	Seed           uint64          `json:"seed"`
	Settings       agents.Settings `json:"settings,omitempty"` // of the best
	Steps          int64           `json:"steps"`
	Episodes       int64           `json:"episodes"`
	WinMean        *float64        `json:"win_mean"`
	ExpectedTurns  *float64        `json:"expected_turns"`
	Exploitability *float64        `json:"exploitability"`
}

// known returns x, or nil if it is NaN.
func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func trainingOf(t train.Trained) sweepTraining {
	return sweepTraining{
		Seed: t.Seed, Steps: t.Steps, Episodes: t.Episodes,
		WinMean: known(t.Score.WinMean), ExpectedTurns: known(t.Score.Turns), Exploitability: known(t.Score.Exploitability),
	}
}

// alone reports whether the game has one player, who has nobody to win against.
func (s *sweep) alone() bool { return s.first.Game.Players() == 1 }

// spread returns the spread of what policies are ranked by.
func (s *sweep) spread(p train.PointSummary) train.Spread {
	if s.alone() {
		return p.Turns
	}
	return p.Wins
}

// jsonResult returns the result as it is printed.
func (s *sweep) jsonResult() sweepResult {
	g, best := s.first.Game.Config(), s.result.Trained[s.result.Best]
	r := sweepResult{
		Variant: g.Variant, Players: g.Players, Target: g.Target, Options: g.Options,
		Agent: s.first.Agent.Name, Recipe: s.first.Recipe.Name, States: string(s.first.Abstraction), Program: version,
		Method: s.method(), Seeds: s.Seeds, Varying: append([]string{}, s.varying...),
		Interrupted: s.result.Interrupted, PolicyFile: s.saved.path, Kept: s.saved.kept, Best: trainingOf(best), References: s.references,
	}
	if !s.alone() {
		r.Against = s.rival.name
	}
	r.Best.Settings = s.Points[best.Index/len(s.Seeds)].Settings
	for i, p := range s.Summaries(s.result) {
		spread := s.spread(p)
		point := sweepPoint{
			Settings: s.Points[i].Settings, Ended: p.Ended, WinMean: known(p.Wins.Mean), ExpectedTurns: known(p.Turns.Mean),
			SD: known(spread.SD), Exploitability: known(p.Exploitability), Trainings: []sweepTraining{},
		}
		if known(spread.Low) != nil {
			point.Interval = []float64{spread.Low, spread.High}
		}
		if p.Best >= 0 {
			point.BestSeed = &s.result.Trained[p.Best].Seed
		}
		for _, t := range s.result.Trained {
			if t.Index/len(s.Seeds) == i {
				point.Trainings = append(point.Trainings, trainingOf(t))
			}
		}
		r.Points = append(r.Points, point)
	}
	return r
}

// method returns how policies are scored.
func (s *sweep) method() string {
	if exact.Evaluates(s.first.Game) {
		return policies.ExactMethod
	}
	return policies.SimulationMethod
}
