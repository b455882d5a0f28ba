package main

import (
	"errors"
	"fmt"

	"pigpen/env"
	"pigpen/policies"
)

// An importedTable is a table that is filled from outside.
type importedTable struct {
	table *policies.Table
	game  env.Game
	given []byte // bit i%8 of byte i/8 is 1 where entry i has been decided
	count int    // of these bits

	reading *task // is told how many decisions there are
}

func newImportedTable(index policies.StateIndex) *importedTable {
	t := &importedTable{table: policies.NewTable(index), game: index.Game(), given: make([]byte, index.Size()/8+1)}
	for i := range index.Turns() {
		t.table.Set(i, true)
	}
	return t
}

// decide enters one decision.
func (t *importedTable) decide(observation []int16, action env.Action) error {
	if action >= env.NumActions {
		return fmt.Errorf("action %d; an action is 0 (hold) or 1 (roll)", uint8(action))
	}
	if columns := t.game.NumColumns(); len(observation) != columns {
		return fmt.Errorf("an observation of %v has %d columns, not %d", t.game, columns, len(observation))
	}
	state, err := t.game.StateOf(observation)
	if err != nil {
		return err
	}
	if action == env.Hold && state.TurnTotal == 0 {
		return errors.New("it holds before the first roll of the turn; a turn begins with a roll")
	}
	index := t.table.Index()
	i := index.Of(&state)
	roll := action == env.Roll
	if t.given[i>>3]>>(i&7)&1 == 0 {
		t.given[i>>3] |= 1 << (i & 7)
		t.count++
		t.table.Set(i, roll)
		if t.count%toldDecisions == 0 {
			t.reading.update(unknown, humanCount(float64(t.count))+" decisions")
		}
	} else if t.table.Rolls(i) != roll {
		return fmt.Errorf("the state %v, or one that the table (%s states) does not tell from it, has come before with the other action", observation, index.Abstraction())
	}
	return nil
}

// toldDecisions is the number of decisions between updates of the progress.
const toldDecisions = 10_000
