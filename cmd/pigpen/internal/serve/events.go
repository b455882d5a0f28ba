package serve

import (
	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// The effects of an action, as replies number them.
const (
	effectNone = iota // the step took no action
	effectHold
	effectRoll // with the number of an [env.Effect] added
)

// effectNames returns the name of each effect.
func effectNames() []string {
	names := []string{effectNone: "none", effectHold: env.Hold.String()}
	for e := env.Gain; e <= env.Again; e++ {
		names = append(names, e.String())
	}
	return names
}

// eventResults describes the fields of [eventFields].
var eventResults = []result{{"movers", "|i1"}, {"effects", "|u1"}, {"points", "<i2"}, {"dice", "|u1"}}

// eventFields returns what a reply says of the events of a step, one for each game.
func eventFields(g env.Game, events []env.StepEvent) []wire.Field {
	n := g.Variant().Dice
	movers, effects, points, dice := make([]int8, len(events)), make([]uint8, len(events)), make([]int16, len(events)), make([]uint8, n*len(events))
	for i, e := range events {
		movers[i], points[i] = e.Seat, e.Points
		switch {
		case e.Seat < 0:
			effects[i] = effectNone
		case e.Action == env.Hold:
			effects[i] = effectHold
		default:
			effects[i] = effectRoll + uint8(e.Outcome.Effect)
			for k, face := range g.Faces(int(e.RollNumber)) {
				dice[i*n+k] = uint8(face)
			}
		}
	}
	return []wire.Field{
		named("movers", list(movers)), named("effects", list(effects)), named("points", list(points)), named("dice", rows(dice, n)),
	}
}
