package policies

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"pigpen/env"
	"pigpen/policies/exact"
)

// A SeatReport says what each seat of a game wins if each is played by a policy of its
// own. As JSON it is what the commands print.
type SeatReport struct {
	// Seats names the policy in each seat.
	Seats []string `json:"seats"`
	// Method is [ExactMethod] or [SimulationMethod], as in a [Report].
	Method string `json:"method"`
	// WinBySeat is the win probability of each seat.
	WinBySeat []float64 `json:"win_by_seat"`
	// Turns and Decisions are the expected numbers of all seats in a game; nil if the
	// method is simulation or a game may never end.
	Turns     *float64 `json:"expected_turns,omitempty"`
	Decisions *float64 `json:"expected_decisions,omitempty"`
	// Residual is that of the exact method; nil if the method is simulation.
	Residual *float64 `json:"residual,omitempty"`
	// Simulated is nil if no games were played.
	Simulated *SeatSimulation `json:"simulated,omitempty"`
}

// A SeatSimulation is the result of games that were played, with each seat's wins in all
// of them.
type SeatSimulation struct {
	Games int `json:"games"`
	// Truncated games reached [DefaultStepLimit] and count as won by nobody.
	Truncated int        `json:"truncated"`
	BySeat    []Estimate `json:"by_seat"`
}

// EvaluateSeats reports what each seat of e.Game wins if it is played by the policy of
// that place, which the report calls by the name of that place. Opponent is not used. The
// error is ctx.Err(), or that of package exact or of [SimulateSeats].
func (e *Evaluator) EvaluateSeats(ctx context.Context, names []string, seats []Policy) (SeatReport, error) {
	r := SeatReport{Seats: names, Method: SimulationMethod}
	if exact.Evaluates(e.Game) && !(e.SimulateOnly && e.Games > 0) {
		r.Method = ExactMethod
		update, end := e.watch(ExactStage, names[0])
		defer end()
		v, err := exact.Evaluate(ctx, e.Game, seats, exact.Options{Workers: e.Workers, Progress: update})
		if err != nil {
			return SeatReport{}, err
		}
		r.WinBySeat, r.Turns, r.Decisions, r.Residual = v.Win, finite(v.Turns), finite(v.Decisions), &v.Residual
		end()
	}
	if e.Games == 0 {
		return r, nil
	}
	workers := e.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	update, end := e.watch(SimulationStage, names[0])
	defer end()
	tallies, err := SimulateSeats(ctx, e.Game, seats, SimulateOptions{
		Games: e.Games, Seed: e.Seed, Workers: workers, StepLimit: DefaultStepLimit, Progress: update,
	})
	if err != nil {
		return SeatReport{}, err
	}
	r.Simulated = &SeatSimulation{Games: e.Games, Truncated: tallies[0].Truncated}
	var rates []float64
	for _, t := range tallies {
		rates = append(rates, t.WinRate())
		r.Simulated.BySeat = append(r.Simulated.BySeat, estimate(e.Game, t))
	}
	if r.Method == SimulationMethod {
		r.WinBySeat = rates
	}
	return r, nil
}

// SimulateSeats plays o.Games games of g in which each seat is played by the policy of
// that place, and returns the tallies by seat, each of all games. They do not depend on
// o.Workers. The error is as that of [Simulate], or says that there are not as many
// policies as seats.
func SimulateSeats(ctx context.Context, g env.Game, seats []Policy, o SimulateOptions) ([]Tally, error) {
	if len(seats) != g.Players() {
		return nil, fmt.Errorf("policies: %d policies for the %d seats of %v", len(seats), g.Players(), g)
	}
	return simulate(ctx, g, seats, o, func(m *env.Match, _ int, tally []Tally) {
		turns := make([]int64, len(seats))
		over, truncated := false, false
		for !over && !truncated {
			s := m.State()
			if s.TurnTotal == 0 {
				turns[s.Seat]++
			}
			var err error
			if over, truncated, err = m.Step(env.Choose(seats[s.Seat], s, m.Rand())); err != nil {
				panic(err) // Choose returns legal actions only
			}
		}
		for seat := range seats {
			t := Tally{Games: 1, turns: turns[seat], turnsSquared: turns[seat] * turns[seat]}
			if m.Current().Over {
				t.shares = int64(math.Round(g.WinShare(m.State(), seat) * shareUnit))
			} else {
				t.Truncated = 1
			}
			tally[seat] = tally[seat].Add(t)
		}
	})
}
