package policies

import "math"

// TallyOf returns the tally of so many games with so many wins.
func TallyOf(games int, wins float64) Tally {
	return Tally{Games: games, shares: int64(math.Round(wins * shareUnit))}
}

// WithTurns returns the tally of one game with its number of turns set.
func (t Tally) WithTurns(turns int) Tally {
	t.turns, t.turnsSquared = int64(turns), int64(turns)*int64(turns)
	return t
}
