package serve

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// TestActEverywhere asks for every state of small games, all at once and some
// singly, and compares with the policy itself.
func TestActEverywhere(t *testing.T) {
	for _, format := range formats {
		for _, config := range []env.Config{{Target: 12}, {Variant: "pig-last-round", Target: 5}, {Variant: "pig-snake-eyes", Target: 10}, {Target: 9, Players: 1}} {
			for _, name := range []string{"optimal", "race", "random", "estimates"} {
				t.Run(fmt.Sprintf("%s/%s %d/%s", format, config.Variant, config.Players, name), func(t *testing.T) {
					t.Parallel()
					c := newClient(t, format, "race")
					c.Game = env.Must(env.New(config))
					if name == "estimates" {
						c.Policy.Policy = estimated(c.Game)
					} else {
						var err error
						c.Policy.Policy, err = policies.Named(t.Context(), name, c.Game, exact.Options{})
						must(err)
					}
					actEverywhere(t, c)
				})
			}
		}
	}
}

// estimated returns a table of g with values, of which some are not known.
func estimated(g env.Game) policies.ValuedTable {
	index, err := policies.NewStateIndex(g, policies.FullAbstraction)
	must(err)
	p := policies.ValuedTable{Table: policies.NewTable(index), Estimates: policies.NewValues(index)}
	for i := range index.Size() {
		p.Set(i, i%3 == 0)
		roll := float32(i) / 16
		if i%7 == 1 {
			roll = float32(math.NaN())
		}
		p.Estimates.Set(i, -roll/3, roll)
	}
	return p
}

// valueKindOf returns what hello tells of the values of p.
func valueKindOf(p policies.Policy) any {
	switch p.(type) {
	case *exact.Solution:
		return "exact"
	case policies.ValuedTable:
		return "estimated"
	}
	return nil
}

func actEverywhere(t *testing.T, c *client) {
	if got, want := c.ask("hello")["values"], valueKindOf(c.Policy.Policy); got != want {
		t.Errorf("hello says that the values are %v, want %v", got, want)
	}
	index, err := policies.NewStateIndex(c.Game, policies.FullAbstraction)
	must(err)
	var all []int16
	var actions, chances, holds, rolls []float64
	valuer, valued := c.Policy.Policy.(policies.Valuer)
	for _, s := range index.All() {
		if c.Game.Validate(s) != nil {
			continue // the index has more numbers than there are states
		}
		all = c.Game.Observe(all, s, int(s.Seat))
		chance := 1.0
		if s.TurnTotal > 0 {
			chance = c.Policy.Policy.RollChance(s)
		}
		chances = append(chances, chance)
		actions = append(actions, float64(likelier(chance)))
		if valued {
			hold, roll := valuer.Values(s)
			holds, rolls = append(holds, hold), append(rolls, roll)
		}
	}
	columns := c.Game.NumColumns()
	fields := []field{{"observations", rows(all, columns)}}
	if valued {
		fields = append(fields, field{"values", true})
	}
	a := c.ask("act", fields...)
	if !alike(a["actions"], actions) || !alike(a["roll_chance"], chances) {
		t.Fatalf("the batch answers %v, want actions %v, chances %v", a, actions, chances)
	}
	if valued && (!alike(a["win_hold"], holds) || !alike(a["win_roll"], rolls)) {
		t.Fatalf("the batch answers %v, want values %v, %v", a, holds, rolls)
	}
	for i := 0; i < len(actions); i += 1 + len(actions)/500 { // some of them singly
		fields[0] = field{"observation", list(all[i*columns : (i+1)*columns])}
		a := c.ask("act", fields...)
		legal := []any{0.0, 1.0}
		if all[i*columns+1] == 0 {
			legal = []any{1.0}
		}
		if a["action"] != actions[i] || a["action_name"] != env.Action(actions[i]).String() || !alike(a["roll_chance"], chances[i:i+1]) && a["roll_chance"] != chances[i] || !slices.Equal(a["legal"].([]any), legal) {
			t.Fatalf("act %v: %v, want action %v, chance %v, legal %v", fields[0], a, actions[i], chances[i], legal)
		}
		if !valued {
			continue
		}
		same := func(got any, want float64) bool {
			if list, ok := got.([]float64); ok { // a single null
				got = list[0]
			}
			return math.IsNaN(want) && got == nil || got == want
		}
		if hold, roll := a["win_hold"], a["win_roll"]; !same(hold, holds[i]) || !same(roll, rolls[i]) {
			t.Fatalf("act %v: %v, want values %v, %v", fields[0], a, holds[i], rolls[i])
		}
	}
}

// TestActWithoutValues checks the error where a policy has no values, which policies have.
func TestActWithoutValues(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "race")
		const want = "the values of race are not known; those of optimal are, and of files that pigpen train --values has written"
		if got := c.refused(CodeBadRequest, "act", field{"observation", []int{0, 5, 0}}, field{"values", true}); got != want {
			t.Errorf("%s: the error is %q, want %q", format, got, want)
		}
	}
}

// TestActEmpty decides in no state at all.
func TestActEmpty(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "optimal")
		a := c.ask("act", field{"observations", list([]int16{})}, field{"values", true})
		for _, name := range []string{"actions", "roll_chance", "win_hold", "win_roll"} {
			if !alike(a[name], nil) {
				t.Errorf("%s: %s of no states are %v", format, name, a[name])
			}
		}
	}
}

// TestActSample draws actions: as often as the chance says, by the seed, and
// differently in each batch.
func TestActSample(t *testing.T) {
	const n = 4000
	states := make([]int16, 0, 3*n)
	for range n {
		states = append(states, 0, 20, 0)
	}
	batch := []field{{"observations", rows(states, 3)}, {"sample", true}}
	draws := func(seed uint64) [][]float64 {
		c := newClient(t, "msgpack", "random")
		c.Seed, c.rand = seed, env.NewRand(seed)
		var list [][]float64
		for range 2 {
			list = append(list, c.ask("act", batch...)["actions"].([]float64))
		}
		single := []float64{}
		for range 200 {
			single = append(single, c.ask("act", field{"observation", []int{0, 20, 0}}, field{"sample", true})["action"].(float64))
		}
		return append(list, single)
	}
	first, again, other := draws(1), draws(1), draws(2)
	for k := range first {
		rolls := 0.0
		for _, a := range first[k] {
			rolls += a
		}
		if mean, n := rolls/float64(len(first[k])), float64(len(first[k])); math.Abs(mean-0.5) > 2.5/math.Sqrt(n) {
			t.Errorf("%v of %v draws with chance 1/2 roll", rolls, n)
		}
		if !slices.Equal(first[k], again[k]) || slices.Equal(first[k], other[k]) {
			t.Errorf("draws %d do not depend on the seed alone", k)
		}
	}
	if slices.Equal(first[0], first[1]) {
		t.Error("two batches draw the same")
	}
}

// TestActSampleTable draws the actions of a table that rolls with a chance in one state.
func TestActSampleTable(t *testing.T) {
	const n = 4000
	c := newClient(t, "jsonl", "random")
	index, err := policies.NewStateIndex(c.Game, policies.FullAbstraction)
	must(err)
	table := policies.NewTable(index)
	state, err := c.Game.StateOf([]int16{0, 20, 0})
	must(err)
	table.SetChance(index.Of(&state), 0.25)
	c.Policy.Policy = table
	var states []int16
	for i := range n {
		states = append(states, 0, int16(20+i%2), 0)
	}
	a := c.ask("act", field{"observations", rows(states, 3)}, field{"sample", true})
	rolls := 0.0
	for i, action := range a["actions"].([]float64) {
		if i%2 == 1 && action != 0 {
			t.Fatal("it rolls where it always holds")
		}
		rolls += action
	}
	if math.Abs(rolls/(n/2)-0.25) > 0.03 {
		t.Errorf("%v of %d draws with chance 1/4 roll", rolls, n/2)
	}
	for _, action := range c.ask("act", field{"observations", rows(states, 3)})["actions"].([]float64) {
		if action != 0 {
			t.Fatal("it rolls undrawn, with chance 1/4")
		}
	}
}
