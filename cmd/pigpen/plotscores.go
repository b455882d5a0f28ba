package main

import (
	"fmt"
	"math"
	"strings"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/env"
	"pigpen/policies"
)

// A scorePanel is a part of a game's states that one panel of a picture shows: those in
// which each other player has the same score.
type scorePanel struct {
	other int16 // score of each other player
	after int16 // seats that act after the mover, in games that end after a round
}

// lastRounds returns the numbers of seats that act after the mover which have panels of
// their own: most and none, or none where the game has no last round.
func lastRounds(g env.Game) []int16 {
	if g.Variant().Ending == env.AfterRound && g.Players() > 1 {
		return []int16{int16(g.Players() - 1), 0}
	}
	return []int16{0}
}

// observation returns that of the player to move.
func (p scorePanel) observation(g env.Game, own, turn int16) []int16 {
	o := []int16{own, turn}
	for range g.Players() - 1 {
		o = append(o, p.other)
	}
	if len(o) < g.NumColumns() {
		o = append(o, p.after)
	}
	return o
}

// title tells what the states of a panel have in common.
func (p scorePanel) title(g env.Game) string {
	if g.Players() == 1 {
		return ""
	}
	return fmt.Sprintf("%s: %d", otherScore(g), p.other) + p.round(g)
}

// round tells who acts after the mover in games that end after a round.
func (p scorePanel) round(g env.Game) string {
	switch {
	case len(lastRounds(g)) == 1:
		return ""
	case p.after == 0:
		return ", last in the round"
	}
	return ", first in the round"
}

// otherScore names the score of the others.
func otherScore(g env.Game) string {
	if g.Players() == 2 {
		return "other score"
	}
	return "score of each other"
}

// grid returns values of the states of the panel by own score and by turn total, up to
// and without the given number. value is asked for states in which both actions are legal
// and to which rolls can lead.
func (p scorePanel) grid(g env.Game, turns int, value func(env.State) float64) charts.Grid {
	reach := policies.NewReach(g)
	grid := make(charts.Grid, g.Target())
	for own := range grid {
		grid[own] = make([]float64, turns)
		for turn := range grid[own] {
			grid[own][turn] = math.NaN()
			s, err := g.StateOf(p.observation(g, int16(own), int16(turn)))
			if err == nil && !s.Over && g.Legal(s) == env.HoldOrRoll && reach.Turn(own, turn) {
				grid[own][turn] = value(s)
			}
		}
	}
	return grid
}

// gameCaption tells the game of a picture.
func gameCaption(g env.Game, more ...string) string {
	return strings.Join(append([]string{g.String()}, more...), "; ")
}
