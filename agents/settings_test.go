package agents

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"pigpen/env"
)

// TestSettingsAreDeclared checks what every recipe declares: names that flags and
// files can have, defaults in their one form, and the same domain and doc wherever a
// name is declared, since the command line has one flag for all.
func TestSettingsAreDeclared(t *testing.T) {
	first := make(map[string]Setting)
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		seen := []string{"recipe", "step-limit"} // which policy files hold beside them
		for _, s := range r.Settings {
			if s.Name == "" || s.Doc == "" || s.Domain == nil || slices.Contains(seen, s.Name) {
				t.Errorf("setting %+v: want a name of its own, a doc and a domain", s)
				continue
			}
			seen = append(seen, s.Name)
			known, ok := first[s.Name]
			if !ok {
				first[s.Name], known = s, s
			}
			if !reflect.DeepEqual(known.Domain, s.Domain) || known.Doc != s.Doc || known.Needs != s.Needs {
				t.Errorf("setting %s is %v, %q, and %v, %q in another recipe", s.Name, s.Domain, s.Doc, known.Domain, known.Doc)
			}
			defaults := []string{s.Default}
			for _, c := range s.Cases {
				defaults = append(defaults, c.Default)
				if c.On.Doc == "" || c.On.Holds == nil {
					t.Errorf("setting %s has a case without a condition", s.Name)
				}
			}
			for _, text := range defaults {
				if value, ok := s.Domain.Parse(text); !ok || value != text {
					t.Errorf("default %q of setting %s is read as %q, %t, want itself", text, s.Name, value, ok)
				}
			}
			if _, ok := r.Setting(s.Needs); s.Needs != "" && !ok {
				t.Errorf("setting %s needs %s, which the recipe does not have", s.Name, s.Needs)
			}
		}
		for players := 1; players <= env.MaxPlayers; players++ {
			if g := game("pig", players, 10); r.Plays(g) == nil && len(r.Defaults(g)) != len(r.Settings) {
				t.Errorf("Defaults(%v) = %v, want a value for each of %d settings", g, r.Defaults(g), len(r.Settings))
			}
		}
	})
	var names []string
	for _, s := range AllSettings() {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	if want := slices.Sorted(maps.Keys(first)); !slices.Equal(names, want) {
		t.Errorf("AllSettings() has %q, want %q", names, want)
	}
}

func TestDomains(t *testing.T) {
	for _, test := range []struct {
		domain Domain
		text   string
		want   string // "" if it is refused
	}{
		{Numbers{0, 1}, "0", "0"}, {Numbers{0, 1}, "-0", "0"}, {Numbers{0, 1}, "1.0", "1"}, {Numbers{0, 1}, ".5", "0.5"},
		{Numbers{0, 1}, "1e-5", "1e-05"}, {Numbers{0, 1}, "1.0000001", ""}, {Numbers{0, 1}, "-1e-300", ""},
		{Numbers{0, 1}, "NaN", ""}, {Numbers{0, 1}, "", ""}, {Numbers{0, 1}, "x", ""}, {Numbers{-2, 2}, "-2", "-2"},
		{Numbers{0, math.Inf(1)}, "1e400", ""},
		{Integers{1, 9}, "1", "1"}, {Integers{1, 9}, "09", "9"}, {Integers{1, 9}, "0", ""}, {Integers{1, 9}, "10", ""},
		{Integers{1, 9}, "1.5", ""}, {Integers{1, 9}, "", ""}, {Integers{0, math.MaxInt64}, "9223372036854775808", ""},
		{Words{"a", "b"}, "b", "b"}, {Words{"a", "b"}, "B", ""}, {Words{"a", "b"}, "", ""},
		{stepSizes{}, "n^-1", "1/n"}, {stepSizes{}, "2", ""}, {stepSizes{}, "0.10", "0.1"},
	} {
		if got, ok := test.domain.Parse(test.text); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%v: Parse(%q) = %q, %t, want %q", test.domain, test.text, got, ok, test.want)
		}
	}
	for want, d := range map[string]Domain{
		"a number in [0, 0.5]":                              Numbers{0, 0.5},
		"a whole number from 1 to 9":                        Integers{1, 9},
		"a whole number, at least 2":                        Integers{2, math.MaxInt64},
		"game or exploring":                                 Words{"game", "exploring"},
		"one, two or three":                                 Words{"one", "two", "three"},
		"a number in (0, 1], 1/n, or n^-P with P in (0, 1]": stepSizes{},
	} {
		if d.String() != want {
			t.Errorf("String() of %#v = %q, want %q", d, d, want)
		}
	}
}

// TestResolve checks defaults that depend on other settings and on the game, and the
// errors, with a recipe of another package's kind.
func TestResolve(t *testing.T) {
	r := Recipe{Name: "plain", Settings: []Setting{
		{Name: "mode", Domain: Words{"slow", "fast"}, Default: "slow"},
		{Name: "rate", Domain: Numbers{0, 1}, Default: "0.5", Cases: []Case{
			{Condition{"for one player", func(g env.Game, _ Settings) bool { return g.Players() == 1 }}, "0.25"},
			{Condition{"with --mode fast", func(_ env.Game, s Settings) bool { return s.Text("mode") == "fast" }}, "1"},
		}},
		{Name: "steps", Domain: Integers{1, 9}, Default: "3"},
	}}
	for _, test := range []struct {
		players     int
		given, want Settings
	}{
		{2, nil, Settings{"mode": "slow", "rate": "0.5", "steps": "3"}},
		{2, Settings{"mode": "fast"}, Settings{"mode": "fast", "rate": "1", "steps": "3"}},
		{1, Settings{"mode": "fast"}, Settings{"mode": "fast", "rate": "0.25", "steps": "3"}}, // the first case
		{1, Settings{"rate": "0.750", "steps": "+4"}, Settings{"mode": "slow", "rate": "0.75", "steps": "4"}},
	} {
		got, err := r.Resolve(game("pig", test.players, 10), test.given)
		if err != nil || !maps.Equal(got, test.want) {
			t.Errorf("Resolve for %d players of %v = %v, %v, want %v", test.players, test.given, got, err, test.want)
		}
		if n, x := got.Integer("steps"), got.Number("rate"); n < 3 || x <= 0 {
			t.Errorf("of %v, Integer is %d and Number is %v", got, n, x)
		}
	}
	for text, given := range map[string]Settings{
		`agents: bad setting: rate "2"; write a number in [0, 1]`:          {"rate": "2"},
		`agents: bad setting: mode "medium"; write slow or fast`:           {"mode": "medium"},
		`agents: bad setting: steps "0"; write a whole number from 1 to 9`: {"steps": "0"},
		`agents: bad setting: the recipe plain has no setting speed`:       {"speed": "1"},
	} {
		if got, err := r.Resolve(game("pig", 2, 10), given); got != nil || !errors.Is(err, ErrSetting) || err.Error() != text {
			t.Errorf("Resolve of %v = %v, %v, want error %s", given, got, err, text)
		}
	}
}

// TestRecipeCheck checks that recipes which cannot make agents are refused, as those
// of other packages may be.
func TestRecipeCheck(t *testing.T) {
	whole := qLearningTextbook
	g := game("pig", 3, 10)
	for text, change := range map[string]func(r *Recipe){
		"":                                       func(*Recipe) {},
		"agents: no such recipe: it has no name": func(r *Recipe) { r.Name = "" },
		"agents: no such recipe: textbook has no Make or no BytesPerEntry":                      func(r *Recipe) { r.Make = nil },
		"agents: no such recipe for pig, 3 players, target 10: textbook is for up to 2 players": func(r *Recipe) { r.MaxPlayers = 2 },
	} {
		r := whole
		change(&r)
		err := r.Check(g, nil)
		if text == "" && err != nil || text != "" && (!errors.Is(err, ErrRecipe) || err.Error() != text) {
			t.Errorf("Check() = %v, want %q", err, text)
		}
		if a, err := r.New(Config{Index: indexOf(g, "full")}); (err == nil) != (text == "") || (a == nil) != (err != nil) {
			t.Errorf("New() = %v, %v, want an error: %t", a, err, text != "")
		}
	}
	unlimited := whole
	unlimited.MaxPlayers, unlimited.BytesPerEntry = 0, nil
	if err := unlimited.Plays(game("pig", env.MaxPlayers, 10)); err != nil {
		t.Errorf("Plays with MaxPlayers 0: %v", err)
	}
	if err := unlimited.Check(g, nil); !errors.Is(err, ErrRecipe) {
		t.Errorf("Check() without BytesPerEntry = %v, want %v", err, ErrRecipe)
	}
}
