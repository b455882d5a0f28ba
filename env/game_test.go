package env_test

import (
	"errors"
	"fmt"
	"testing"

	"pigpen/env"
)

func TestNewErrors(t *testing.T) {
	type test struct {
		config env.Config
		is     error
		text   string
	}
	var ids string
	for i, v := range env.Variants() {
		if i > 0 {
			ids += ", "
		}
		ids += v.ID
	}
	tests := []test{
		{env.Config{Variant: "pgi"}, env.ErrUnknownVariant, `env: unknown variant "pgi"; the variants are ` + ids},
		{env.Config{Variant: "pigg"}, env.ErrUnknownVariant, `env: unknown variant "pigg"; the variants are ` + ids},
		{env.Config{Variant: "backgammon"}, env.ErrUnknownVariant, `env: unknown variant "backgammon"; the variants are ` + ids},
		{env.Config{Players: 11}, env.ErrConfig, fmt.Sprintf("env: bad configuration: pig is for %d to 10 players, not 11", pigMinPlayers(t))},
		{env.Config{Target: 1}, env.ErrConfig, "env: bad configuration: the target of pig is from 2 to 1000 points, not 1"},
		{env.Config{Target: -5}, env.ErrConfig, "env: bad configuration: the target of pig is from 2 to 1000 points, not -5"},
		{env.Config{Target: 1001}, env.ErrConfig, "env: bad configuration: the target of pig is from 2 to 1000 points, not 1001"},
		{env.Config{Options: map[string]bool{"zeal": true, "speed": true}}, env.ErrConfig, `env: bad configuration: pig has no option "speed"; it has no options`},
	}
	// What every variant must refuse, by its own numbers.
	for _, v := range env.Variants() {
		for _, players := range []int{v.MinPlayers - 1, v.MaxPlayers + 1, -1} {
			if players != 0 { // which asks for the default
				tests = append(tests, test{env.Config{Variant: v.ID, Players: players}, env.ErrConfig,
					fmt.Sprintf("env: bad configuration: %s is for %d to %d players, not %d", v.ID, v.MinPlayers, v.MaxPlayers, players)})
			}
		}
		r := v.Target
		text := fmt.Sprintf("env: bad configuration: the target of %s is from %d to %d %s, not %d", v.ID, r.Min, r.Max, v.Unit, r.Max+1)
		if r.Min == r.Max {
			text = fmt.Sprintf("env: bad configuration: the target of %s is always %d %s, not %d", v.ID, r.Max, v.Unit, r.Max+1)
		}
		tests = append(tests, test{env.Config{Variant: v.ID, Target: r.Max + 1}, env.ErrConfig, text})
	}
	for _, test := range tests {
		g, err := env.New(test.config)
		if !errors.Is(err, test.is) || err.Error() != test.text {
			t.Errorf("New(%+v): error %v, want %s", test.config, err, test.text)
		}
		if g != (env.Game{}) {
			t.Errorf("New(%+v) = %v, want the zero Game beside the error", test.config, g)
		}
	}
}

func pigMinPlayers(t *testing.T) int {
	t.Helper()
	v, err := env.Lookup("pig")
	if err != nil {
		t.Fatal(err)
	}
	return v.MinPlayers
}

// TestVariants checks that the list makes sense as a whole.
func TestVariants(t *testing.T) {
	owner := make(map[string]string)
	for _, v := range env.Variants() {
		for _, name := range append([]string{v.ID}, v.Aliases...) {
			if other, taken := owner[name]; taken {
				t.Errorf("%q names both %s and %s", name, other, v.ID)
			}
			owner[name] = v.ID
			if found, err := env.Lookup(name); found != v || err != nil {
				t.Errorf("Lookup(%q) = %v, %v, want %s", name, found, err, v.ID)
			}
		}
		if v.Title == "" || v.Summary == "" || v.Unit == "" {
			t.Errorf("%s lacks a summary or a unit", v.ID)
		}
		if v.MinPlayers < 1 || v.MinPlayers > env.DefaultPlayers || v.MaxPlayers < env.DefaultPlayers || v.MaxPlayers > env.MaxPlayers {
			t.Errorf("%s is for %d to %d players, want %d among them and at most %d", v.ID, v.MinPlayers, v.MaxPlayers, env.DefaultPlayers, env.MaxPlayers)
		}
		if r := v.Target; r.Min < 1 || r.Default < r.Min || r.Max < r.Default {
			t.Errorf("%s: target %+v, want 1 <= Min <= Default <= Max", v.ID, r)
		}
		g := env.Must(env.New(env.Config{Variant: v.ID}))
		if g.Players() != env.DefaultPlayers || g.Target() != v.Target.Default || g.Variant() != v {
			t.Errorf("New(%q) = %v, want its defaults", v.ID, g)
		}
		for _, o := range v.Options {
			if on := g.Config().Options[o.Name]; on != o.Default {
				t.Errorf("New(%q) has %s = %t, want the default %t", v.ID, o.Name, on, o.Default)
			}
		}
	}
}

func TestGameIsComparable(t *testing.T) {
	games := make(map[env.Game]env.Config)
	for _, c := range []env.Config{{}, {Players: 3}, {Target: 50}, {Players: 3, Target: 50}} {
		g := env.Must(env.New(c))
		if other, ok := games[g]; ok {
			t.Errorf("New(%+v) == New(%+v)", c, other)
		}
		games[g] = c
	}
	for _, c := range []env.Config{{}, {Variant: "pig"}, {Players: 2}, {Target: 100}, {Variant: "pig", Players: 2, Target: 100, Options: map[string]bool{}}} {
		if _, ok := games[env.Must(env.New(c))]; !ok {
			t.Errorf("New(%+v) is not == New(%+v)", c, env.Config{})
		}
	}
	if len(games) != 4 {
		t.Errorf("%d games as map keys, want 4", len(games))
	}
}

func TestOutcomeOfErrors(t *testing.T) {
	for _, v := range env.Variants() {
		g := env.Must(env.New(env.Config{Variant: v.ID}))
		for _, test := range []struct {
			faces func() []int
			text  string
		}{
			{func() []int { return nil }, fmt.Sprintf("env: %s rolls %d dice, not 0", v.ID, v.Dice)},
			{func() []int { return append(g.Faces(0), 1) }, fmt.Sprintf("env: %s rolls %d dice, not %d", v.ID, v.Dice, v.Dice+1)},
			{func() []int { return withFace(g.Faces(0), 0) }, fmt.Sprintf("env: a die of %s shows 1 to %d, not 0", v.ID, v.Faces)},
			{func() []int { return withFace(g.Faces(0), v.Faces+1) }, fmt.Sprintf("env: a die of %s shows 1 to %d, not %d", v.ID, v.Faces, v.Faces+1)},
		} {
			if _, err := g.OutcomeOf(g.Start(0), test.faces()...); err == nil || err.Error() != test.text {
				t.Errorf("OutcomeOf(%v) of %s: error %v, want %s", test.faces(), v.ID, err, test.text)
			}
		}
	}
}

// withFace puts a face on the last die.
func withFace(faces []int, face int) []int {
	faces[len(faces)-1] = face
	return faces
}

func TestPanics(t *testing.T) {
	g := pigGame(2, 100)
	for _, test := range []struct {
		name string
		call func()
		want string
	}{
		{"Start(-1)", func() { g.Start(-1) }, "env: Start(-1) of a game with 2 players"},
		{"Start(2)", func() { g.Start(2) }, "env: Start(2) of a game with 2 players"},
		{"Faces(-1)", func() { g.Faces(-1) }, "env: Faces(-1) of a game with 6 rolls"},
		{"Faces(6)", func() { g.Faces(6) }, "env: Faces(6) of a game with 6 rolls"},
		{"NewMatch of nothing", func() { env.NewMatch(env.Game{}, env.MatchOptions{}) }, "env: NewMatch of the zero Game"},
		{"NewMatch with a negative limit", func() { env.NewMatch(g, env.MatchOptions{StepLimit: -1}) }, "env: NewMatch with options {StepLimit:-1 First:0}"},
		{"NewMatch with an unknown beginner", func() { env.NewMatch(g, env.MatchOptions{First: 7}) }, "env: NewMatch with options {StepLimit:0 First:7}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != test.want {
					t.Errorf("panic(%v), want %s", got, test.want)
				}
			}()
			test.call()
		})
	}
}

func TestStrings(t *testing.T) {
	for _, test := range []struct {
		value fmt.Stringer
		want  string
	}{
		{pigGame(2, 100), "pig, 2 players, target 100"},
		{pigGame(10, 7), "pig, 10 players, target 7"},
		{env.Hold, "hold"},
		{env.Roll, "roll"},
		{env.Action(2), "Action(2)"},
		{env.Actions(0), "nothing"},
		{env.RollOnly, "roll"},
		{env.HoldOrRoll, "hold or roll"},
		{env.Actions(0xfc), "nothing"},
		{env.Gain, "gain"},
		{env.Bust, "bust"},
		{env.Wipe, "wipe"},
		{env.Stop, "stop"},
		{env.Effect(9), "Effect(9)"},
		{env.Outcome{Effect: env.Gain, Points: 5}, "gain 5"},
		{env.Outcome{Effect: env.Bust}, "bust"},
		{env.AtTarget, "at target"},
		{env.AfterRound, "after round"},
		{env.Ending(7), "Ending(7)"},
	} {
		if got := test.value.String(); got != test.want {
			t.Errorf("%T.String() = %q, want %q", test.value, got, test.want)
		}
	}
	for _, v := range env.Variants() {
		for _, o := range v.Options {
			g := env.Must(env.New(env.Config{Variant: v.ID, Players: 2, Options: map[string]bool{o.Name: !o.Default}}))
			want := fmt.Sprintf("%s, 2 players, target %d, %s=%t", v.ID, v.Target.Default, o.Name, !o.Default)
			if g.String() != want {
				t.Errorf("String() = %q, want %q", g.String(), want)
			}
		}
	}
}
