package env_test

import (
	"errors"
	"testing"

	"pigpen/env"
)

// TestDoubleTrouble checks which rolls must be followed by another, by the dice.
func TestDoubleTrouble(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "double-trouble"}))
	s := env.State{Scores: [env.MaxPlayers]int16{40, 30}, TurnTotal: 7}
	for _, test := range []struct {
		a, b int
		want env.State
	}{
		{1, 1, env.State{Scores: [env.MaxPlayers]int16{0, 30}, Seat: 1}},
		{1, 4, env.State{Scores: [env.MaxPlayers]int16{40, 30}, Seat: 1}},
		{5, 1, env.State{Scores: [env.MaxPlayers]int16{40, 30}, Seat: 1}},
		{5, 4, env.State{Scores: [env.MaxPlayers]int16{40, 30}, TurnTotal: 16}},
		{2, 2, env.State{Scores: [env.MaxPlayers]int16{40, 30}, TurnTotal: 11, MustRoll: true}},
		{6, 6, env.State{Scores: [env.MaxPlayers]int16{40, 30}, TurnTotal: 19, MustRoll: true}},
	} {
		for _, from := range []env.State{s, {Scores: s.Scores, TurnTotal: 7, MustRoll: true}} {
			o, err := g.OutcomeOf(from, test.a, test.b)
			if err != nil {
				t.Fatal(err)
			}
			next := g.AfterRoll(from, o)
			if next != test.want {
				t.Errorf("%d and %d in %+v lead to %+v, want %+v", test.a, test.b, from, next, test.want)
			}
			want := env.HoldOrRoll
			if next.MustRoll || next.TurnTotal == 0 {
				want = env.RollOnly
			}
			if legal := g.Legal(next); legal != want {
				t.Errorf("after %d and %d %v is legal, want %v", test.a, test.b, legal, want)
			}
		}
	}
	// Doubles that reach the target win.
	s.Scores[0], s.TurnTotal = 80, 14
	o, err := g.OutcomeOf(s, 3, 3)
	if want := (env.State{Scores: [env.MaxPlayers]int16{100, 30}, Over: true}); err != nil || g.AfterRoll(s, o) != want {
		t.Errorf("3 and 3 at 80 + 14 lead to %+v, %v, want %+v", g.AfterRoll(s, o), err, want)
	}
}

// TestMustRollIsHeld checks that holding after doubles is refused, and says why, by every
// environment.
func TestMustRollIsHeld(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "double-trouble"}))
	m := env.NewMatch(g, env.MatchOptions{})
	v := env.NewVec(g, env.VecOptions{Games: 1})
	b := v.NewBatch()
	roll := func(seed uint64) bool {
		m.Reset(seed)
		if _, _, err := m.Step(env.Roll); err != nil {
			t.Fatal(err)
		}
		return m.State().MustRoll
	}
	seed := uint64(0)
	for !roll(seed) {
		seed++
	}
	if err := v.Seed([]uint64{seed}, []bool{true}); err != nil {
		t.Fatal(err)
	}
	if err := v.ResetGames([]bool{true}, b); err != nil {
		t.Fatal(err)
	}
	if err := v.Step([]env.Action{env.Roll}, b); err != nil {
		t.Fatal(err)
	}
	if b.Legal[0] || !b.Legal[1] || !v.State(0).MustRoll {
		t.Errorf("after doubles holding is legal: %t, and rolling: %t, in %+v", b.Legal[0], b.Legal[1], v.State(0))
	}
	const reason = "hold after a roll that must be followed by another; roll again"
	_, _, matchErr := m.Step(env.Hold)
	for _, err := range []error{matchErr, v.Step([]env.Action{env.Hold}, b)} {
		if illegal := new(env.IllegalActionError); !errors.As(err, &illegal) || illegal.Reason() != reason || !errors.Is(err, env.ErrIllegal) {
			t.Errorf("Step(Hold) after doubles: %v, want %q", err, reason)
		}
	}
}

// TestMustRollIsValidated checks that only games with such rolls have such states.
func TestMustRollIsValidated(t *testing.T) {
	s := env.State{TurnTotal: 4, MustRoll: true}
	for variant, valid := range map[string]bool{"double-trouble": true, "pig-snake-eyes": false} {
		if err := env.Must(env.New(env.Config{Variant: variant})).Validate(s); (err == nil) != valid || err != nil && !errors.Is(err, env.ErrState) {
			t.Errorf("%s: Validate(%+v) = %v", variant, s, err)
		}
	}
	s.TurnTotal = 0
	if err := env.Must(env.New(env.Config{Variant: "double-trouble"})).Validate(s); !errors.Is(err, env.ErrState) {
		t.Errorf("Validate(%+v) = %v, want ErrState", s, err)
	}
}
