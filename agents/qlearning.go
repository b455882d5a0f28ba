package agents

import "pigpen/env"

// QLearning is tabular Q-learning (C. Watkins, 1989; R. Sutton, A. Barto,
// "Reinforcement Learning", 2nd ed., section 6.5) by self-play, undiscounted.
//
// After a decision in state s that is followed by a decision of the same
// player in s', Q(s,a) moves towards max Q(s',·). With two players a decision
// may instead be followed by one of the opponent in s'; then, since what one
// wins the other loses, it moves towards -max Q(s',·) (M. Littman, "Markov
// Games as a Framework for Multi-Agent Reinforcement Learning", ICML 1994).
// With more players that does not hold: a decision waits until the same player
// decides again. At the end of the game Q(s,a) moves towards the return. One
// player alone is rewarded by the turn, and that is added. Where
// a step limit cut the game off, the state it stands in is valued like any
// other; decisions still waiting then are dropped.
type QLearning struct{ values }

var qLearningTextbook = Recipe{
	Name: Textbook, Doc: "one episode after the other",
	// With more players, exploring starts learn for states that do not come up.
	Settings:   textbookSettings("n^-0.6", "exploring", Case{manyPlayers, "game"}),
	MaxPlayers: env.MaxPlayers,
	Reached: []Reached{
		{2, 198, 0.449}, {2, 792, 0.458}, {2, 1980, 0.470},
		{3, 198, 0.322}, {3, 792, 0.373}, {3, 3960, 0.394}, {4, 792, 0.304}, {6, 792, 0.227},
	},
	DefaultSteps:  textbookSteps,
	BytesPerEntry: func(Settings, int) int { return bytesPerEntry },
	Make:          func(c Config) Agent { return newTextbook(c, &QLearning{newValues(c.Index, c.Settings)}) },
}

var manyPlayers = Condition{
	Doc:   "with three or more players",
	Holds: func(g env.Game, _ Settings) bool { return g.Players() > 2 },
}

// noCell marks a seat without a decision that waits for its update.
const noCell = -1

// Episode plays and learns from one; see [episodic].
func (q *QLearning) Episode(m *env.Match) {
	q.begin(m)
	var waiting [env.MaxPlayers]int // by seat, the cell of a decision to be valued
	for seat := range waiting {
		waiting[seat] = noCell
	}
	players := m.Game().Players()
	s := m.Current()
	reward := float32(0) // of the last step, where that did not end the game
	for {
		i := q.index.Of(s)
		value := q.best(s, i)
		q.updateCell(&waiting[s.Seat], reward+value)
		if players == 2 {
			q.updateCell(&waiting[1-s.Seat], -value)
		}
		if !m.Live() {
			break
		}
		seat, a := s.Seat, q.choose(m, i)
		waiting[seat] = 2*i + int(a)
		terminated, _, err := m.Step(a)
		if err != nil {
			panic(err) // choose returns legal actions only
		}
		if terminated {
			for seat := range players {
				q.updateCell(&waiting[seat], float32(m.Reward(seat)))
			}
			break
		}
		if players == 1 {
			reward = float32(m.Reward(0))
		}
	}
	q.end(m)
}

// updateCell moves the cell of a waiting decision, if there is one, towards value.
func (q *QLearning) updateCell(waiting *int, value float32) {
	if *waiting != noCell {
		q.update(*waiting, value)
		*waiting = noCell
	}
}
