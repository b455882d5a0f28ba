package agents

import "pigpen/env"

// MonteCarlo is on-policy every-visit Monte Carlo control (R. Sutton, A. Barto,
// "Reinforcement Learning", 2nd ed., sections 5.3 and 5.4) by self-play: after
// a game, the estimate of every decision in it moves towards what the player
// who made it has earned since. A game cut off by the step limit has no return, and
// no estimate moves.
type MonteCarlo struct {
	values
	decided []decision // of the episode under way
}

// A decision is a cell, the seat that chose it, and what the step earned that
// seat before the end of the game.
type decision struct {
	cell   int
	reward float32
	seat   int8
}

var monteCarloTextbook = Recipe{
	Name: Textbook, Doc: "every visit, one episode after the other",
	Settings:      textbookSettings("n^-0.7", "game"),
	MaxPlayers:    env.MaxPlayers,
	Reached:       []Reached{{2, 198, 0.301}, {2, 792, 0.375}, {2, 1980, 0.411}, {3, 198, 0.245}},
	DefaultSteps:  textbookSteps,
	BytesPerEntry: func(Settings, int) int { return bytesPerEntry },
	Make:          func(c Config) Agent { return newTextbook(c, &MonteCarlo{values: newValues(c.Index, c.Settings)}) },
}

// Episode plays and learns from one; see [episodic].
func (mc *MonteCarlo) Episode(m *env.Match) {
	mc.begin(m)
	mc.decided = mc.decided[:0]
	s := m.Current()
	alone := m.Game().Players() == 1
	for m.Live() {
		i := mc.index.Of(s)
		a := mc.choose(m, i)
		d := decision{cell: 2*i + int(a), seat: s.Seat}
		if _, _, err := m.Step(a); err != nil {
			panic(err) // choose returns legal actions only
		}
		if alone {
			d.reward = float32(m.Reward(0))
		}
		mc.decided = append(mc.decided, d)
	}
	mc.end(m)
	if !s.Over {
		return
	}
	var returns [env.MaxPlayers]float32
	for seat := range m.Game().Players() {
		returns[seat] = float32(m.Game().Return(*s, seat))
	}
	for k := len(mc.decided) - 1; k >= 0; k-- {
		d := mc.decided[k]
		returns[d.seat] += d.reward
		mc.update(d.cell, returns[d.seat])
	}
}
