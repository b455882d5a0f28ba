package exact

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"pigpen/env"
)

const (
	// solveBytes is the most memory that the equilibrium of a game may take.
	solveBytes = 6 << 30
	// evaluateBytes and evaluateSeconds are the most memory, and time on two cores,
	// that an evaluation of three or more players may take.
	evaluateBytes   = 2 << 30
	evaluateSeconds = 60
	// soonBytes and soonSeconds are the most memory, and time on two cores, of an
	// equilibrium that is solved soon.
	soonBytes   = 2 << 30
	soonSeconds = 20
)

// Needs are the memory and time that a computation takes.
type Needs struct {
	Bytes float64
	// Time is an estimate for a machine of 2020 and the given number of workers.
	Time time.Duration
}

// NeedsOf returns what [Solve] needs for g.
func NeedsOf(g env.Game, o Options) Needs {
	if g.Players() <= 2 {
		n := float64(g.Target())
		points := math.Pow(n, float64(g.Players())) * n / 2
		return Needs{Bytes: 8 * 2 * math.Pow(n, float64(g.Players())), Time: seconds(10e-9 * points * sweepsOf(g))}
	}
	b := newMultiTable(rulesOf(g), make([]env.Player, g.Players()))
	return Needs{Bytes: b.bytes(true), Time: b.estimate(o)}
}

func sweepsOf(g env.Game) float64 {
	switch r := rulesOf(g); {
	case !r.wipes:
		return 1
	case r.players <= 2:
		return r.likelySweeps()
	default:
		return 1.5 * r.optimalSweeps()
	}
}

// estimate returns the time that the table takes on this machine.
func (b *multiTable) estimate(o Options) time.Duration {
	return seconds(b.coreSeconds() / float64(min(o.numWorkers(), runtime.NumCPU())))
}

// coreSeconds returns the seconds that the table takes on one core.
func (b *multiTable) coreSeconds() float64 {
	turns := float64(b.roles) * b.rows() * float64(b.target)
	perTurn := float64(b.width) - float64(b.target)/2
	gains := float64(len(b.at(0).gains))
	return turns * perTurn * (25 + 5*gains) * 1e-9 * sweepsOf(b.game)
}

func seconds(s float64) time.Duration {
	return time.Duration(min(s, math.MaxInt64/1e10) * float64(time.Second))
}

// Solves reports whether [Solve] solves g; see [Solvable].
func Solves(g env.Game) bool { return Solvable(g) == nil }

// Solvable returns nil if [Solve] solves g: a game of one or two players, or of more if
// it takes at most 6 GiB. Else the error wraps [ErrPlayers] and says what fits.
func Solvable(g env.Game) error {
	if g.Players() <= 2 {
		return nil
	}
	needs := NeedsOf(g, Options{})
	if needs.Bytes <= solveBytes {
		return nil
	}
	fits := "one or two players are solved at every target"
	c := g.Config()
	for t := g.Target() - 1; t >= g.Variant().Target.Min; t-- {
		c.Target = t
		if smaller, err := env.New(c); err == nil && NeedsOf(smaller, Options{}).Bytes <= solveBytes {
			fits = fmt.Sprintf("a target of up to %d takes no more than %d GiB", t, int64(solveBytes)>>30)
			break
		}
	}
	return fmt.Errorf("%w: to solve %v takes %s of memory; %s", ErrPlayers, g, Bytes(needs.Bytes), fits)
}

// SolvesSoon reports whether [Solve] is expected to take at most 20 seconds on two cores,
// and 2 GiB. It is true of one and two players, and the same on every machine. A game with
// [env.Wipe] may turn out to have no equilibrium that Solve finds.
func SolvesSoon(g env.Game) bool {
	if g.Players() <= 2 {
		return true
	}
	b := newMultiTable(rulesOf(g), make([]env.Player, g.Players()))
	return b.bytes(true) <= soonBytes && b.coreSeconds()/2 <= soonSeconds
}

// Bytes writes an amount of memory for people, as in "1.5 GiB".
func Bytes(n float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for n >= 1024 && i < len(units)-1 {
		n /= 1024
		i++
	}
	if i > 0 && n < 10 {
		return fmt.Sprintf("%.1f %s", n, units[i])
	}
	return fmt.Sprintf("%.0f %s", n, units[i])
}

// Evaluates reports whether [Evaluate], [Compare] and [BestResponse] apply to g: a game
// of one or two players, or of more if that takes at most 2 GiB, and about a minute on two
// cores.
func Evaluates(g env.Game) bool { return evaluable(g) == nil }

// Responds returns nil if [BestResponse] of g has the values and decisions of every state.
// It has none where three and more players play to the end of a round. Else the error wraps
// [ErrPlayers].
func Responds(g env.Game) error {
	if g.Players() > 2 && g.Variant().Ending == env.AfterRound {
		return fmt.Errorf("%w: of a best response in %v only the win probability is computed; with two players its decisions are, too", ErrPlayers, g)
	}
	return evaluable(g)
}

// evaluable returns nil if Evaluates(g), else an error that wraps [ErrPlayers].
func evaluable(g env.Game) error {
	n := g.Players()
	if n <= 2 {
		return nil
	}
	b := newMultiTable(rulesOf(g), append(make([]env.Player, n-1), new(Solution)))
	bytes, seconds := b.bytes(false), b.coreSeconds()/2
	if b.afterRound {
		seconds += b.finalFuturesSeconds(n)
	}
	if bytes > evaluateBytes || seconds > evaluateSeconds {
		return fmt.Errorf("%w: to evaluate policies of %v takes %s of memory and about %.0f seconds; it is simulated", ErrPlayers, g, Bytes(bytes), seconds)
	}
	return nil
}

// finalFuturesSeconds returns the seconds that the last rounds take on two cores if the players have
// policies that bank scores far beyond the target now and then, such as one that tosses a coin.
func (b *multiTable) finalFuturesSeconds(players int) float64 {
	const beyond = 100 // points beyond width that such a policy may bank
	scores := float64(b.width + beyond)
	return 1.25e-6 * float64(b.target) * math.Pow(scores, float64(players))
}
