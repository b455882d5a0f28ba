package policies

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"pigpen/env"
	"pigpen/policies/exact"
)

// DefaultStepLimit is the number of decisions after which a simulated game or a
// training episode is truncated. Games of reasonable policies end long before it;
// games of policies that never hold may not end at all.
const DefaultStepLimit = 100_000

// MaxGames is the largest number of games of a simulation.
const MaxGames = 1_000_000_000

// SimulateOptions configure [Simulate].
type SimulateOptions struct {
	// Games is the number of games, in [1, MaxGames]. In game i the policy has
	// seat i mod players.
	Games int
	// Seed seeds the dice: game i uses the seed env.SeedAt(Seed, i).
	Seed uint64
	// Workers is the number of goroutines, at least 1. At most max(64, GOMAXPROCS)
	// are started. The result does not depend on it.
	Workers int
	// StepLimit is the number of steps after which a game is truncated; 0 is no limit.
	StepLimit int
	// Progress, if not nil, is called each time that a worker has played some games,
	// with the fraction of all games that have been played, in (0, 1], which never
	// decreases. Calls do not overlap, and other workers may wait for one to return.
	Progress func(done float64)
}

// shareUnit is the least common multiple of 1 to env.MaxPlayers, so that
// shareUnit times the share of a win is an integer.
const shareUnit = 2520

// normal975 is the standard normal distribution's 97.5% quantile.
const normal975 = 1.959963984540054

// A Tally counts games of a policy.
type Tally struct {
	Games int
	// Truncated games reached the step limit and count as not won.
	Truncated int
	shares    int64 // wins times shareUnit
	// turns sums over the games the number of turns that the policy began, and
	// turnsSquared the square of that number.
	turns, turnsSquared int64
}

// Wins returns the number of games won; a win shared by m players counts 1/m.
func (t Tally) Wins() float64 { return float64(t.shares) / shareUnit }

// WinRate returns Wins divided by Games, or 0 without games.
func (t Tally) WinRate() float64 {
	if t.Games == 0 {
		return 0
	}
	return t.Wins() / float64(t.Games)
}

// CI95 returns the Wilson score interval that holds the win probability with
// 95% confidence: E. B. Wilson, "Probable Inference, the Law of Succession,
// and Statistical Inference", JASA 22, 1927. Without games it is [0, 1].
func (t Tally) CI95() [2]float64 {
	if t.Games == 0 {
		return [2]float64{0, 1}
	}
	const z = normal975
	n, p := float64(t.Games), t.WinRate()
	// The conversions keep a compiler from fusing products into sums, which
	// would change the last digit from machine to machine.
	scale := 1 + z*z/n
	center := (p + z*z/(2*n)) / scale
	half := float64(z*math.Sqrt(float64(p*(1-p)/n)+z*z/(4*n*n))) / scale
	ci := [2]float64{max(0, center-half), min(1, center+half)}
	// Without wins the lower bound is 0 and without losses the upper bound is 1;
	// rounding would leave them slightly off.
	if t.shares == 0 {
		ci[0] = 0
	}
	if t.shares == int64(t.Games)*shareUnit {
		ci[1] = 1
	}
	return ci
}

// MeanTurns returns the mean number of turns per game that the policy began, and
// its 95% confidence interval: 1.96 standard errors to each side. Without games
// mean and both bounds are 0.
func (t Tally) MeanTurns() (mean float64, ci95 [2]float64) {
	if t.Games == 0 {
		return 0, ci95
	}
	n := float64(t.Games)
	mean = float64(t.turns) / n
	deviations := float64(t.turnsSquared) - float64(float64(t.turns)*float64(t.turns))/n
	half := float64(normal975 * math.Sqrt(max(0, deviations)/n/max(1, n-1)))
	return mean, [2]float64{mean - half, mean + half}
}

// Add returns the tally of the games of t and u together.
func (t Tally) Add(u Tally) Tally {
	return Tally{
		Games: t.Games + u.Games, Truncated: t.Truncated + u.Truncated, shares: t.shares + u.shares,
		turns: t.turns + u.turns, turnsSquared: t.turnsSquared + u.turnsSquared,
	}
}

// gamesPerTask is the number of games that a worker takes at a time.
const gamesPerTask = 1024

// Simulate plays o.Games games of g in which p has each seat in turn and against has
// all other seats. It returns the tallies of p by seat, which do not depend on
// o.Workers. The error says which argument is invalid, or is ctx.Err() if ctx ends
// first.
func Simulate(ctx context.Context, g env.Game, p, against Policy, o SimulateOptions) ([]Tally, error) {
	return simulate(ctx, g, []Policy{p, against}, o, func(m *env.Match, i int, tally []Tally) {
		seat := i % g.Players()
		tally[seat] = tally[seat].Add(play(m, p, against, seat))
	})
}

// simulate plays o.Games games of g by the given policies. playGame plays game i, whose dice m
// has been seeded with, and adds it to the tallies by seat.
func simulate(ctx context.Context, g env.Game, by []Policy, o SimulateOptions, playGame func(m *env.Match, i int, tally []Tally)) ([]Tally, error) {
	if o.Games < 1 || o.Workers < 1 {
		return nil, errors.New("policies: a simulation needs at least one game and one worker")
	}
	if o.Games > MaxGames {
		return nil, fmt.Errorf("policies: %d games; a simulation has %d at most", o.Games, MaxGames)
	}
	if o.StepLimit < 0 {
		return nil, fmt.Errorf("policies: step limit %d is negative", o.StepLimit)
	}
	for _, p := range by {
		if p == nil {
			return nil, errors.New("policies: a policy of a simulation is nil")
		}
		if t, ok := p.(interface{ Index() StateIndex }); ok && t.Index().game != g {
			return nil, fmt.Errorf("%w: a table for %v in a simulation of %v", ErrGame, t.Index().game, g)
		}
	}
	for _, p := range by {
		if s, ok := p.(*exact.Solution); ok {
			if err := s.Prepare(ctx, exact.Options{Workers: o.Workers}); err != nil {
				return nil, err
			}
		}
	}
	var (
		next  atomic.Int64
		wg    sync.WaitGroup
		mu    sync.Mutex
		total = make([]Tally, g.Players())
		// played counts games for o.Progress; playing guards it.
		played  int
		playing sync.Mutex
	)
	progress := func(games int) {
		if o.Progress == nil {
			return
		}
		playing.Lock()
		defer playing.Unlock()
		played += games
		o.Progress(float64(played) / float64(o.Games))
	}
	for range min(o.Workers, (o.Games-1)/gamesPerTask+1, max(64, runtime.GOMAXPROCS(0))) {
		wg.Go(func() {
			tally := make([]Tally, g.Players())
			m := env.NewMatch(g, env.MatchOptions{StepLimit: o.StepLimit})
			for ctx.Err() == nil {
				from := int(next.Add(gamesPerTask)) - gamesPerTask
				if from >= o.Games {
					break
				}
				to := min(from+gamesPerTask, o.Games)
				for i := from; i < to && ctx.Err() == nil; i++ {
					m.Reset(env.SeedAt(o.Seed, uint64(i)))
					playGame(m, i, tally)
				}
				if ctx.Err() == nil {
					progress(to - from)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for seat := range total {
				total[seat] = total[seat].Add(tally[seat])
			}
		})
	}
	wg.Wait()
	return total, ctx.Err()
}

// play finishes the game on m with p in one seat and against in the others.
func play(m *env.Match, p, against Policy, seat int) Tally {
	tally := Tally{Games: 1}
	for {
		s := m.State()
		mover := against
		if int(s.Seat) == seat {
			mover = p
			if s.TurnTotal == 0 {
				tally.turns++
			}
		}
		over, truncated, err := m.Step(env.Choose(mover, s, m.Rand()))
		if err != nil {
			panic(err) // Choose returns legal actions only
		}
		if over || truncated {
			break
		}
	}
	tally.turnsSquared = tally.turns * tally.turns
	if m.Current().Over {
		tally.shares = int64(math.Round(m.Game().WinShare(m.State(), seat) * shareUnit))
	} else {
		tally.Truncated = 1
	}
	return tally
}
