package env

// A StepEvent is what a step did in one game of a [Batch].
type StepEvent struct {
	// Event has Seat -1, RollNumber -1 and otherwise zeros if the step took no action
	// in the game: if the game was idle or done, began an episode, or ignored an illegal
	// Hold, and in a [SoloVec] if the other players had ended the game before.
	Event
	// Points is the number of points, at least 0, that the action moved: those that it
	// gained (Gain, Again), banked (Hold, Stop) or lost, which are the turn total (Bust), and
	// the banked score too (Wipe).
	Points int16
}

// noEvent tells that a step took no action in a game.
var noEvent = StepEvent{Event: Event{Seat: -1, RollNumber: -1}}

// eventOf returns what action a, which must be legal, does in s if r is the generator
// of the dice.
func (g *Game) eventOf(s State, r Rand, a Action) StepEvent {
	m := Match{game: *g, rand: r, state: s, live: true}
	if _, _, err := m.Step(a); err != nil {
		panic(err) // the action is legal
	}
	e := StepEvent{Event: m.last, Points: s.TurnTotal}
	if a == Roll {
		switch e.Outcome.Effect {
		case Gain, Again:
			e.Points = e.Outcome.Points
		case Wipe:
			e.Points += s.Scores[s.Seat]
		}
	}
	return e
}

// writeEvents writes b.Events for a step that is about to be made, unless it is nil. The
// events follow from states and generators before the step, so that engines need not
// record them.
func (v *Vec) writeEvents(actions []Action, which []bool, b *Batch) {
	for i := range b.Events {
		b.Events[i] = noEvent
		if which != nil && !which[i] || !v.engine.live(i) {
			continue
		}
		if s := v.engine.state(i); s.legal().Has(actions[i]) {
			b.Events[i] = v.game.eventOf(s, v.engine.dice(i), actions[i])
		}
	}
}
