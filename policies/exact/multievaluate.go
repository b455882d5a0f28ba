package exact

import (
	"context"
	"slices"

	"pigpen/env"
)

// compareMulti is Compare for three and more players: seats has the policy in the first
// place and the other in the rest. It adds each seat of the policy to c by add, in order.
func compareMulti(ctx context.Context, g env.Game, seats []env.Player, o Options, c *Comparison, add func(e Evaluation, seat int)) (Comparison, error) {
	n := g.Players()
	if g.Variant().Ending != env.AfterRound {
		b, err := newMulti(ctx, g, seats, false, o)
		if err != nil {
			return Comparison{}, err
		}
		for seat := range n {
			// Only who moves matters: the policy is in this seat if the role as many
			// places before it begins.
			add(b.start((n-seat)%n), 0)
		}
		return *c, nil
	}
	for seat := range n {
		players := slices.Clone(seats)
		players[0], players[seat] = players[seat], players[0]
		b, err := newMulti(ctx, g, players, false, o.Part(float64(seat)/float64(n), float64(seat+1)/float64(n)))
		if err != nil {
			return Comparison{}, err
		}
		add(b.start(0), seat)
	}
	return *c, nil
}
