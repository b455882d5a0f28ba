// Package policytest has games, tables and comparisons for the tests of policies and
// of their files.
package policytest

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// SmallGames returns games of every variant with small tables: few players,
// low targets, each option also switched.
func SmallGames() (games []env.Game) {
	for _, v := range env.Variants() {
		options := []map[string]bool{nil}
		for _, o := range v.Options {
			options = append(options, map[string]bool{o.Name: !o.Default})
		}
		targets := []int{v.Target.Min, min(v.Target.Min+3, v.Target.Max)}
		players := min(4, v.MaxPlayers)
		if v.Ending == env.AfterRound {
			// An index goes on beyond the target: even these are long.
			targets, players = targets[:1], 3
		}
		for n := v.MinPlayers; n <= players; n++ {
			for _, target := range slices.Compact(targets) {
				for _, o := range options {
					games = append(games, env.Must(env.New(env.Config{Variant: v.ID, Players: n, Target: target, Options: o})))
				}
			}
		}
	}
	return games
}

// Index returns the index of the states of g, which must be possible.
func Index(t testing.TB, g env.Game, abstraction policies.Abstraction) policies.StateIndex {
	t.Helper()
	index, err := policies.NewStateIndex(g, abstraction)
	if err != nil {
		t.Fatalf("NewStateIndex(%v, %s): %v", g, abstraction, err)
	}
	return index
}

// Patterned returns a table that rolls in every entry whose number is one
// more than a multiple of 3, and in the last.
func Patterned(index policies.StateIndex) *policies.Table {
	table := policies.NewTable(index)
	for i := 1; i < index.Size(); i += 3 {
		table.Set(i, true)
	}
	table.Set(index.Size()-1, true)
	return table
}

// Mixed returns a table as [Patterned] does, in which every fifth entry has a chance
// between 0 and 1 that depends on its number.
func Mixed(index policies.StateIndex) *policies.Table {
	table := Patterned(index)
	for i := 2; i < index.Size(); i += 5 {
		table.SetChance(i, float64(1+i%7)/8+1e-9)
	}
	return table
}

// Valued returns values over index that depend on the number of the entry: finite ones of
// either sign, and in every fourth entry, of either action, none.
func Valued(index policies.StateIndex) *policies.Values {
	v := policies.NewValues(index)
	nan := float32(math.NaN())
	for i := range index.Size() {
		hold, roll := float32(i)/64-1, 1/float32(i+1)
		if i%4 == 1 {
			hold = nan
		}
		if i%4 == 2 {
			roll = nan
		}
		v.Set(i, hold, roll)
	}
	return v
}

// Bytes returns what a policy file of f holds.
func Bytes(t testing.TB, f policies.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := policies.Write(&b, f); err != nil {
		t.Fatalf("Write: %v", err)
	}
	return b.Bytes()
}

// Difference tells how got differs from want, or is "" if it does not.
func Difference(got, want policies.File) string {
	if g, w := got.Table.Index(), want.Table.Index(); g != w {
		return fmt.Sprintf("index %v, %s, want %v, %s", g.Game(), g.Abstraction(), w.Game(), w.Abstraction())
	}
	a, b := got.Provenance, want.Provenance
	if !maps.Equal(a.Settings, b.Settings) {
		return fmt.Sprintf("settings %q, want %q", a.Settings, b.Settings)
	}
	a.Settings, b.Settings = nil, nil
	if fmt.Sprintf("%#v", a) != fmt.Sprintf("%#v", b) {
		return fmt.Sprintf("provenance %#v, want %#v", a, b)
	}
	if (got.Values == nil) != (want.Values == nil) {
		return fmt.Sprintf("values %t, want %t", got.Values != nil, want.Values != nil)
	}
	index := want.Table.Index()
	for i := range index.Size() {
		if want.Values == nil {
			break
		}
		hold, roll := got.Values.At(i)
		wantHold, wantRoll := want.Values.At(i)
		if same := func(a, b float32) bool { return a == b || a != a && b != b }; !same(hold, wantHold) || !same(roll, wantRoll) {
			return fmt.Sprintf("values %v and %v in entry %d, want %v and %v", hold, roll, i, wantHold, wantRoll)
		}
	}
	for i := range index.Size() {
		if g, w := got.Table, want.Table; g.Rolls(i) != w.Rolls(i) || g.Chance(i) != w.Chance(i) {
			return fmt.Sprintf("Rolls(%d) = %t with chance %v, want %t with %v", i, g.Rolls(i), g.Chance(i), w.Rolls(i), w.Chance(i))
		}
	}
	return ""
}
