package policies_test

import (
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/internal/policytest"
)

// checkRolls checks every entry of a table.
func checkRolls(t *testing.T, what string, table *policies.Table, rolls func(i int) bool) {
	t.Helper()
	index := table.Index()
	for i := range index.Size() {
		if got := table.Rolls(i); got != rolls(i) {
			t.Fatalf("%s: Rolls(%d) = %t, want %t", what, i, got, !got)
		}
	}
}

// TestTable sets every entry of a table alone, which must leave all others.
func TestTable(t *testing.T) {
	index := policytest.Index(t, pig(2, 3), policies.FullAbstraction)
	table := policies.NewTable(index)
	if table.Index() != index {
		t.Errorf("Index() = %v, want %v", table.Index(), index)
	}
	checkRolls(t, "a new table", table, func(int) bool { return false })
	for set := range index.Size() {
		table.Set(set, true)
		table.Set(set, true)
		checkRolls(t, "one set", table, func(i int) bool { return i == set })
		table.Set(set, false)
		table.Set(set, false)
		checkRolls(t, "none set", table, func(int) bool { return false })
	}
	for i := range index.Size() {
		table.Set(i, true)
	}
	for cleared := range index.Size() {
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
	for _, abstraction := range []policies.Abstraction{policies.FullAbstraction, policies.SummaryAbstraction} {
		index := policytest.Index(t, g, abstraction)
		table := policies.NewTable(index)
		allStates(g, func(s env.State) { table.Set(index.Of(&s), want.RollChance(s) == 1) })
		allStates(g, func(s env.State) {
			for shift := range g.Players() {
				s := seated(g, s, shift)
				if got := table.RollChance(s); got != want.RollChance(s) {
					t.Fatalf("%s states: RollChance(%+v) = %v, want %v", abstraction, s, got, want.RollChance(s))
				}
			}
		})
	}
}
