package policies

import (
	"context"
	"math"
	"runtime"

	"pigpen/env"
	"pigpen/policies/exact"
)

// The methods of a [Report].
const (
	// ExactMethod computes win probabilities by dynamic programming.
	ExactMethod = "exact"
	// SimulationMethod estimates them by playing games.
	SimulationMethod = "simulation"
)

// A Report says how well a policy plays against an opponent. As JSON it is what the
// commands print.
type Report struct {
	Policy string `json:"policy"`
	// Against names the policy in all other seats; empty with one player.
	Against string `json:"against,omitempty"`
	// Method is [ExactMethod] where package exact evaluates policies of the game, else
	// [SimulationMethod].
	Method string `json:"method"`
	// WinBySeat is the win probability in each seat, all others played by Against;
	// WinMean is its mean.
	WinBySeat []float64 `json:"win_by_seat"`
	WinMean   float64   `json:"win_mean"`
	// ExactFigures are nil if the method is simulation.
	*ExactFigures
	// Simulated is nil if no games were played.
	Simulated *Simulation `json:"simulated,omitempty"`
}

// ExactFigures are the figures that only the exact method has.
type ExactFigures struct {
	// Exploitability is the best response's win probability, the mean of all
	// seats, less an even share; nil with one player, or if it was left out.
	Exploitability *float64 `json:"exploitability,omitempty"`
	// Turns and Decisions are the expected numbers of all seats in a game, the mean
	// over the policy's seats; nil if a game may never end.
	Turns     *float64 `json:"expected_turns,omitempty"`
	Decisions *float64 `json:"expected_decisions,omitempty"`
	// FewestTurns is the expected number under perfect play; nil unless the game
	// has one player.
	FewestTurns *float64 `json:"fewest_turns,omitempty"`
	// Residual is the largest residual of the values behind the report.
	Residual float64 `json:"residual"`
}

// A Simulation is the result of games that were played, in all and by seat of the
// policy.
type Simulation struct {
	Estimate
	BySeat []Estimate `json:"by_seat"`
}

// An Estimate is a [Tally] in the form of a report.
type Estimate struct {
	Games   int     `json:"games"`
	Wins    float64 `json:"wins"`
	WinRate float64 `json:"win_rate"`
	// CI95 is the Wilson interval of WinRate.
	CI95 [2]float64 `json:"ci95"`
	// Truncated games reached [DefaultStepLimit] and count as not won.
	Truncated int `json:"truncated"`
	// Turns is the mean number of turns in a game; nil unless the game has one
	// player, who cannot lose.
	Turns *TurnEstimate `json:"turns,omitempty"`
}

// A TurnEstimate is a mean number of turns with its 95% confidence interval.
type TurnEstimate struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

func estimate(g env.Game, t Tally) Estimate {
	e := Estimate{Games: t.Games, Wins: t.Wins(), WinRate: t.WinRate(), CI95: t.CI95(), Truncated: t.Truncated}
	if g.Players() == 1 {
		e.Turns = new(TurnEstimate)
		e.Turns.Mean, e.Turns.CI95 = t.MeanTurns()
	}
	return e
}

// A Stage is a part of an evaluation that may take long.
type Stage int

const (
	// ExactStage evaluates the policy and its best response.
	ExactStage Stage = iota
	// SimulationStage plays games.
	SimulationStage
)

// An Evaluator scores policies of one game against one opponent. It must not be used
// by several goroutines at once. Opponent may be changed between calls of Evaluate.
type Evaluator struct {
	Game         env.Game
	Opponent     Policy
	OpponentName string
	// Games is the number of games that are played besides the exact method, or
	// instead of it where it does not apply; 0 is none.
	Games int
	// SimulateOnly says not to use the exact method where there are games to play.
	SimulateOnly bool
	// Seed is the seed of the games.
	Seed uint64
	// Workers is the number of goroutines; 0 is one for each processor. It does
	// not change a report.
	Workers int
	// WinsOnly says to leave out the best response, so that exact reports have no
	// exploitability, which takes most of the time.
	WinsOnly bool
	// SamePolicy says that every call of Evaluate is for the same policy, so that
	// its best response is computed once.
	SamePolicy bool
	// Watch, if not nil, is called as a stage of the evaluation of the named policy
	// begins. It returns a function that is called with the part of the stage that
	// is done, in [0, 1], and one that is called as the stage ends.
	Watch func(stage Stage, policy string) (update func(done float64), end func())

	fewestTurns float64         // by perfect play with one player; 0 if not yet known
	best        *exact.Solution // best response to the policy, if SamePolicy
}

// watch calls e.Watch, if any.
func (e *Evaluator) watch(stage Stage, policy string) (update func(done float64), end func()) {
	if e.Watch == nil {
		return nil, func() {}
	}
	return e.Watch(stage, policy)
}

// Evaluate scores p, which the report calls name. The error is ctx.Err(), or that of
// package exact or of [Simulate].
func (e *Evaluator) Evaluate(ctx context.Context, name string, p Policy) (Report, error) {
	r := Report{Policy: name, Against: e.OpponentName, Method: SimulationMethod}
	if e.Game.Players() == 1 {
		r.Against = ""
	}
	if exact.Evaluates(e.Game) && !(e.SimulateOnly && e.Games > 0) {
		r.Method = ExactMethod
		if err := e.exact(ctx, p, &r); err != nil {
			return Report{}, err
		}
	}
	if e.Games > 0 {
		if err := e.simulate(ctx, p, &r); err != nil {
			return Report{}, err
		}
	}
	return r, nil
}

// exact fills in the exact figures of r.
func (e *Evaluator) exact(ctx context.Context, p Policy, r *Report) error {
	update, end := e.watch(ExactStage, r.Policy)
	defer end()
	o := exact.Options{Workers: e.Workers, Progress: update}
	comparing, responding := o.Part(0, 0.5), o.Part(0.5, 1)
	alone := e.Game.Players() == 1
	if e.WinsOnly && !alone {
		comparing = o
	}
	c, err := exact.Compare(ctx, e.Game, p, e.Opponent, comparing)
	if err != nil {
		return err
	}
	r.WinBySeat, r.WinMean = c.WinBySeat, c.WinMean()
	r.ExactFigures = &ExactFigures{Residual: c.Residual, Turns: finite(c.Turns()), Decisions: finite(c.Decisions())}
	if alone {
		if e.fewestTurns == 0 {
			perfect, err := exact.Solve(ctx, e.Game, responding)
			if err != nil {
				return err
			}
			e.fewestTurns = perfect.FewestTurns()
		}
		fewest := e.fewestTurns
		r.FewestTurns = &fewest
		return nil
	}
	if e.WinsOnly {
		return nil
	}
	best := e.best
	if best == nil {
		if best, err = exact.BestResponse(ctx, e.Game, p, responding); err != nil {
			return err
		}
		if e.SamePolicy {
			e.best = best
		}
	}
	r.Exploitability = finite(best.Exploitability())
	r.Residual = max(r.Residual, best.Residual())
	return nil
}

// simulate plays the games and fills in their figures in r.
func (e *Evaluator) simulate(ctx context.Context, p Policy, r *Report) error {
	workers := e.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	update, end := e.watch(SimulationStage, r.Policy)
	defer end()
	seats, err := Simulate(ctx, e.Game, p, e.Opponent, SimulateOptions{
		Games: e.Games, Seed: e.Seed, Workers: workers, StepLimit: DefaultStepLimit, Progress: update,
	})
	if err != nil {
		return err
	}
	r.Simulated = new(Simulation)
	var total Tally
	var rates []float64
	mean := 0.0
	for _, t := range seats {
		total = total.Add(t)
		rates = append(rates, t.WinRate())
		mean += t.WinRate() / float64(len(seats))
		r.Simulated.BySeat = append(r.Simulated.BySeat, estimate(e.Game, t))
	}
	r.Simulated.Estimate = estimate(e.Game, total)
	if r.Method == SimulationMethod {
		r.WinBySeat, r.WinMean = rates, mean
	}
	return nil
}

// finite returns &x, or nil if x is infinite.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}
