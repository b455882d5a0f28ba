package env_test

import "pigpen/env"

// holdAt rolls below a turn total and holds from it on.
type holdAt int16

func (h holdAt) RollChance(s env.State) float64 {
	if s.TurnTotal < int16(h) {
		return 1
	}
	return 0
}

func (h holdAt) HoldsAt(*env.State) (turnTotal int, ok bool) { return int(h), true }

// coin rolls with one chance everywhere.
type coin float64

func (c coin) RollChance(env.State) float64 { return float64(c) }

// spy decides as its Player does and keeps the states in which it was asked.
type spy struct {
	env.Player
	asked []env.State
}

func (s *spy) RollChance(state env.State) float64 {
	s.asked = append(s.asked, state)
	return s.Player.RollChance(state)
}

// pigGame returns the one-die game.
func pigGame(players, target int) env.Game {
	return env.Must(env.New(env.Config{Players: players, Target: target}))
}
