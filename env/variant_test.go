package env_test

import (
	"errors"
	"strings"
	"testing"

	"pigpen/env"
)

// ownVariant returns a variant that is not one of env.Variants.
func ownVariant() *env.Variant {
	return &env.Variant{
		ID: "own", MinPlayers: 3, MaxPlayers: 4, Target: env.Range{Min: 2, Max: 9, Default: 5}, Dice: 1, Faces: 2,
		Roll: func(dice []int, _ int, _ env.Options) env.Outcome {
			if dice[0] == 1 {
				return env.Outcome{Effect: env.Bust}
			}
			return env.Outcome{Effect: env.Gain, Points: 1}
		},
	}
}

// TestOwnVariant makes games of a variant that another module might define.
func TestOwnVariant(t *testing.T) {
	own := ownVariant()
	g, err := env.New(env.Config{Variant: "own"}, own)
	if err != nil || g.Variant() != own || g.Players() != 3 || g.Target() != 5 {
		t.Errorf("New(own) = %v, %v, want a game of 3 players to 5", g, err)
	}
	if _, err := env.New(env.Config{Variant: "own"}); !errors.Is(err, env.ErrUnknownVariant) {
		t.Errorf("New without the variant: %v, want %v", err, env.ErrUnknownVariant)
	}
	if _, err := env.New(env.Config{Variant: "nope"}, own); err == nil || !strings.Contains(err.Error(), "own, pig,") {
		t.Errorf("New(nope) says %v, want a list of own, pig and the others", err)
	}
	if g, err := env.New(env.Config{}, own); err != nil || g.Variant().ID != "pig" {
		t.Errorf("New of no name = %v, %v, want pig", g, err)
	}
}

// rolling makes every roll of a variant have one outcome.
func rolling(o env.Outcome) func(v *env.Variant) {
	return func(v *env.Variant) { v.Roll = func([]int, int, env.Options) env.Outcome { return o } }
}

// TestCheck changes one field of a variant at a time to what it cannot be.
func TestCheck(t *testing.T) {
	if err := ownVariant().Check(); err != nil {
		t.Fatal(err)
	}
	for _, v := range env.Variants() {
		if err := v.Check(); err != nil {
			t.Error(err)
		}
	}
	for _, test := range []struct {
		text   string
		change func(v *env.Variant)
	}{
		{"the ID is empty", func(v *env.Variant) { v.ID = "" }},
		{"0 to 4 players", func(v *env.Variant) { v.MinPlayers = 0 }},
		{"3 to 11 players", func(v *env.Variant) { v.MaxPlayers = 11 }},
		{"5 to 4 players", func(v *env.Variant) { v.MinPlayers = 5 }},
		{"targets 2 to 1001", func(v *env.Variant) { v.Target.Max = 1001 }},
		{"10 by default", func(v *env.Variant) { v.Target.Default = 10 }},
		{"the ending Ending(9)", func(v *env.Variant) { v.Ending = 9 }},
		{"3 options", func(v *env.Variant) { v.Options = make([]env.Option, 3) }},
		{"0 dice", func(v *env.Variant) { v.Dice = 0 }},
		{"40 dice of 2 faces", func(v *env.Variant) { v.Dice = 40 }},
		{"no Roll", func(v *env.Variant) { v.Roll = nil }},
		{"1 names for 2 faces", func(v *env.Variant) { v.FaceNames = []string{"tails"} }},
		{"1 face weights for 2 faces", func(v *env.Variant) { v.FaceWeights = []int{1} }},
		{"weight 0", func(v *env.Variant) { v.FaceWeights = []int{1, 0} }},
		{"weight -3", func(v *env.Variant) { v.FaceWeights = []int{-3, 1} }},
		{"outcomes that depend on the score", func(v *env.Variant) { v.ByHeld, v.Ending = true, env.AfterRound }},
		{"the effect 5,", rolling(env.Outcome{Effect: env.Again + 1})},
		{"the effect again, which needs the ending at target", func(v *env.Variant) {
			v.Ending = env.AfterRound
			rolling(env.Outcome{Effect: env.Again, Points: 1})(v)
		}},
		{"a bust with 3 points", rolling(env.Outcome{Effect: env.Bust, Points: 3})},
		{"a gain of 0 points", rolling(env.Outcome{})},
		{"a gain of 1001 points", rolling(env.Outcome{Points: 1001})},
		{"no roll gains points for a player with 0", rolling(env.Outcome{Effect: env.Stop})},
		{"fewer than 1 of 20 rolls end the turn", func(v *env.Variant) {
			v.Ending = env.AfterRound
			rolling(env.Outcome{Points: 1})(v)
		}},
		{"the power of 2 is 2^31", func(v *env.Variant) { v.Dice, v.FaceWeights = 2, []int{1 << 15, 1 << 15} }},
	} {
		v := ownVariant()
		test.change(v)
		_, err := env.New(env.Config{Variant: v.ID, Players: 3}, v)
		if v.ID == "" {
			err = v.Check()
		}
		if !errors.Is(err, env.ErrVariant) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("New says %v, want an ErrVariant with %q", err, test.text)
		}
	}
}
