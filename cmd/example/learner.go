package crooked

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
)

// Recipe is a learner that looks for the best turn total at which to hold, the same in all
// states: a bandit with an arm for each, which pulls the arm of the highest upper
// confidence bound (P. Auer et al., "Finite-time Analysis of the Multiarmed Bandit
// Problem", Machine Learning 47, 2002). A pull is a game between that arm and the one
// that has won most often.
var Recipe = agents.Recipe{
	Name: "bandit",
	Doc:  "the best turn total at which to hold",
	Settings: []agents.Setting{
		{Name: "arms", Domain: agents.Integers{Min: 2, Max: 100}, Default: "30", Doc: "the highest turn total that is tried"},
		{Name: "exploration", Domain: agents.Numbers{Min: 0, Max: 10}, Default: "0.5", Doc: "width of the confidence bounds"},
	},
	MaxPlayers:    2,
	BytesPerEntry: func(agents.Settings, int) int { return 1 },
	Make: func(c agents.Config) agents.Agent {
		return &bandit{
			index: c.Index, exploration: c.Settings.Number("exploration"), limit: c.StepLimit, seed: c.Seed,
			arms: make([]arm, c.Settings.Integer("arms")),
		}
	},
}

// Learner is the kind of agent that follows Recipe.
var Learner = agents.Kind{Name: "bandit", Doc: "a bandit over thresholds", Recipes: []agents.Recipe{Recipe}}

// An arm counts the games of a player who holds at its number plus 1.
type arm struct{ Wins, Games uint64 }

type bandit struct {
	index       policies.StateIndex
	exploration float64
	limit       int
	seed        uint64
	arms        []arm
	games       uint64 // of all arms
}

// gamesPerLearn is the number of games of one call of Learn.
const gamesPerLearn = 500

// Learn plays games. It learns on one goroutine, whatever workers is.
func (b *bandit) Learn(int) agents.Played {
	g, played := b.index.Game(), agents.Played{Episodes: gamesPerLearn}
	m := env.NewMatch(g, env.MatchOptions{StepLimit: b.limit})
	for range gamesPerLearn {
		tried := b.choose()
		seat := int(b.games % 2)
		holdAt := [2]int{b.best() + 1, b.best() + 1}
		holdAt[seat] = tried + 1
		m.Reset(env.SeedAt(b.seed, b.games))
		for m.Live() {
			s, a := m.State(), env.Roll
			if int(s.TurnTotal) >= holdAt[s.Seat] {
				a = env.Hold
			}
			if _, _, err := m.Step(a); err != nil {
				panic(err) // the action is legal
			}
			played.Steps++
		}
		b.games++
		b.arms[tried].Games++
		if g.WinShare(m.State(), seat) > 0 {
			b.arms[tried].Wins++
		}
	}
	return played
}

// choose returns the arm of the highest upper confidence bound.
func (b *bandit) choose() int {
	best, bound := 0, -1.0
	for i, a := range b.arms {
		if a.Games == 0 {
			return i
		}
		n := float64(a.Games)
		if u := float64(a.Wins)/n + b.exploration*math.Sqrt(math.Log(float64(b.games))/n); u > bound {
			best, bound = i, u
		}
	}
	return best
}

// best returns the arm that was tried most often.
func (b *bandit) best() int {
	best := 0
	for i, a := range b.arms {
		if a.Games > b.arms[best].Games {
			best = i
		}
	}
	return best
}

// Greedy returns the table that holds at the best turn total.
func (b *bandit) Greedy() *policies.Table {
	t := policies.NewTable(b.index)
	for i, s := range b.index.All() {
		t.Set(i, int(s.TurnTotal) <= b.best())
	}
	return t
}

// Metrics returns the part of the arms that have been tried.
func (b *bandit) Metrics() agents.Metrics {
	tried := 0
	for _, a := range b.arms {
		if a.Games > 0 {
			tried++
		}
	}
	return agents.Metrics{Coverage: float64(tried) / float64(len(b.arms))}
}

// StateSize returns the size of the state: the number of games, and of wins and games of each arm.
func (b *bandit) StateSize() int64 { return int64(8 + 16*len(b.arms)) }

// WriteState writes the state.
func (b *bandit) WriteState(w io.Writer) error {
	if err := binary.Write(w, binary.LittleEndian, b.games); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, b.arms)
}

// ReadState reads what WriteState has written.
func (b *bandit) ReadState(r io.Reader) error {
	if err := binary.Read(r, binary.LittleEndian, &b.games); err != nil {
		return fmt.Errorf("%w: %w", agents.ErrState, err)
	}
	if err := binary.Read(r, binary.LittleEndian, b.arms); err != nil {
		return fmt.Errorf("%w: %w", agents.ErrState, err)
	}
	return nil
}
