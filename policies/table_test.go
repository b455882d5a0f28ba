package policies_test

import (
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// checkRolls checks every entry of a table.
func checkRolls(t *testing.T, what string, table *policies.Table, rolls func(i int) bool) {
	t.Helper()
	l := table.Layout()
	for i := range l.Entries() {
		if got := table.Rolls(i); got != rolls(i) {
			t.Fatalf("%s: Rolls(%d) = %t, want %t", what, i, got, !got)
		}
	}
}

// TestTable sets every entry of a table alone, which must leave all others.
func TestTable(t *testing.T) {
	l := layout(t, pig(2, 3), policies.FullStates)
	table := policies.NewTable(l)
	if table.Layout() != l {
		t.Errorf("Layout() = %v, want %v", table.Layout(), l)
	}
	checkRolls(t, "a new table", table, func(int) bool { return false })
	for set := range l.Entries() {
		table.Set(set, true)
		table.Set(set, true)
		checkRolls(t, "one set", table, func(i int) bool { return i == set })
		table.Set(set, false)
		table.Set(set, false)
		checkRolls(t, "none set", table, func(int) bool { return false })
	}
	for i := range l.Entries() {
		table.Set(i, true)
	}
	for cleared := range l.Entries() {
		table.Set(cleared, false)
		checkRolls(t, "one cleared", table, func(i int) bool { return i != cleared })
		table.Set(cleared, true)
	}
}

// TestTableRollChance compares a table that copies hold-3 in every state with
// hold-3.
func TestTableRollChance(t *testing.T) {
	g := pig(3, 6)
	want := named(t, "hold-3", g)
	for _, states := range []policies.States{policies.FullStates, policies.SummaryStates} {
		l := layout(t, g, states)
		table := policies.NewTable(l)
		allStates(g, func(s env.State) { table.Set(l.Index(&s), want.RollChance(s) == 1) })
		allStates(g, func(s env.State) {
			for shift := range g.Players() {
				s := seated(g, s, shift)
				if got := table.RollChance(s); got != want.RollChance(s) {
					t.Fatalf("%s states: RollChance(%+v) = %v, want %v", states, s, got, want.RollChance(s))
				}
			}
		})
	}
}
