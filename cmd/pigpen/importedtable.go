package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// An importedTable is a table that is filled from outside.
type importedTable struct {
	table *policies.Table
	game  env.Game
	given []byte // bit i%8 of byte i/8 is 1 where entry i has been decided
	count int    // of these bits
	// chances has the entries that neither always roll nor always hold, until finish.
	chances map[int]float64

	reading *task // is told how many decisions there are
}

func newImportedTable(index policies.StateIndex) *importedTable {
	t := &importedTable{table: policies.NewTable(index), game: index.Game(), given: make([]byte, index.Size()/8+1), chances: make(map[int]float64)}
	for i := range index.Turns() {
		t.table.Set(i, true)
	}
	return t
}

// decide enters one decision: an action and, unless it is nil, the chance of rolling. One
// that is strictly between 0 and 1 counts; else the action does.
func (t *importedTable) decide(observation []int16, action env.Action, rollChance *float64) error {
	if action >= env.NumActions {
		return fmt.Errorf("action %d; an action is 0 (hold) or 1 (roll)", uint8(action))
	}
	chance := exact.Certain(action == env.Roll)
	if rollChance != nil && !(*rollChance >= 0 && *rollChance <= 1) {
		return fmt.Errorf("roll_chance %v; a chance of rolling is in [0, 1]", *rollChance)
	} else if rollChance != nil && *rollChance > 0 && *rollChance < 1 {
		chance = *rollChance
	}
	if columns := t.game.NumColumns(); len(observation) != columns {
		return fmt.Errorf("an observation of %v has %d columns, not %d", t.game, columns, len(observation))
	}
	state, err := t.game.StateOf(observation)
	if err != nil {
		return err
	}
	if chance < 1 && state.TurnTotal == 0 {
		return errors.New("it holds before the first roll of the turn; a turn begins with a roll")
	}
	index := t.table.Index()
	i := index.Of(&state)
	if t.given[i>>3]>>(i&7)&1 == 1 {
		if before := t.chanceOf(i); before != chance {
			what := "the other action"
			if before+chance != 1 || before*chance != 0 {
				what = "another chance of rolling"
			}
			return fmt.Errorf("the state %v, or one that the table (%s states) does not tell from it, has come before with %s", observation, index.Abstraction(), what)
		}
		return nil
	}
	t.given[i>>3] |= 1 << (i & 7)
	t.count++
	t.table.Set(i, chance >= 0.5)
	if chance > 0 && chance < 1 {
		t.chances[i] = chance
	}
	if t.count%toldDecisions == 0 {
		t.reading.update(unknown, humanCount(float64(t.count))+" decisions")
	}
	return nil
}

// chanceOf returns the chance of rolling that has been entered for entry i.
func (t *importedTable) chanceOf(i int) float64 {
	if chance, ok := t.chances[i]; ok {
		return chance
	}
	return t.table.Chance(i)
}

// finish enters the chances. It is called once, after all decisions.
func (t *importedTable) finish() {
	for _, i := range slices.Sorted(maps.Keys(t.chances)) {
		t.table.SetChance(i, t.chances[i])
	}
	t.chances = nil
}

// toldDecisions is the number of decisions between updates of the progress.
const toldDecisions = 10_000
