package agents

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

func TestParseStepSize(t *testing.T) {
	for _, test := range []struct {
		text string
		want StepSize
		form string // of String
	}{
		{"1/n", StepSize{Scale: 1, Power: 1}, "1/n"},
		{"n^-1", StepSize{Scale: 1, Power: 1}, "1/n"},
		{"n^-0.7", StepSize{Scale: 1, Power: 0.7}, "n^-0.7"},
		{"n^-1e-3", StepSize{Scale: 1, Power: 0.001}, "n^-0.001"},
		{"0.1", StepSize{Scale: 0.1}, "0.1"},
		{".5", StepSize{Scale: 0.5}, "0.5"},
		{"1", StepSize{Scale: 1}, "1"},
		{"1e-9", StepSize{Scale: 1e-9}, "1e-09"},
	} {
		got, err := ParseStepSize(test.text)
		if got != test.want || err != nil {
			t.Errorf("ParseStepSize(%q) = %+v, %v, want %+v", test.text, got, err, test.want)
		}
		if form := got.String(); form != test.form {
			t.Errorf("ParseStepSize(%q).String() = %q, want %q", test.text, form, test.form)
		}
		if again, err := ParseStepSize(got.String()); again != got || err != nil {
			t.Errorf("ParseStepSize(%q) = %+v, %v, want %+v", got.String(), again, err, got)
		}
	}
	for _, text := range []string{
		"", "0", "-0.1", "1.1", "NaN", "Inf", "0.1x", " 0.1", "1e-400", "2/n", "1/N", "1/n ",
		"n^-", "n^-0", "n^-1.5", "n^--0.5", "n^-NaN", "n^0.7", "N^-0.7",
	} {
		got, err := ParseStepSize(text)
		want := fmt.Sprintf("agents: bad setting: step-size %q; write a number in (0, 1], 1/n, or n^-P with P in (0, 1]", text)
		if got != (StepSize{}) || !errors.Is(err, ErrSetting) || err.Error() != want {
			t.Errorf("ParseStepSize(%q) = %+v, %v, want error %s", text, got, err, want)
		}
	}
}

func TestWeights(t *testing.T) {
	for _, test := range []struct {
		name string
		step StepSize
		last int // index of the last weight
		want func(n int) float64
		by   float64 // how far a weight may be off
	}{
		{"constant", StepSize{Scale: 0.1}, 1, func(int) float64 { return float64(float32(0.1)) }, 0},
		{"constant above its floor", StepSize{Scale: 0.5, Floor: 0.25}, 1, func(int) float64 { return 0.5 }, 0},
		{"constant below its floor", StepSize{Scale: 0.25, Floor: 0.5}, 1, func(int) float64 { return 0.5 }, 0},
		{"1/n", StepSize{Scale: 1, Power: 1}, maxUpdates, func(n int) float64 { return float64(float32(1 / float64(n))) }, 0},
		{"1/n, floor 1/8", StepSize{Scale: 1, Power: 1, Floor: 0.125}, 8, func(n int) float64 { return float64(float32(1 / float64(n))) }, 0},
		{"n^-0.7", StepSize{Scale: 1, Power: 0.7}, maxUpdates, func(n int) float64 { return math.Pow(float64(n), -0.7) }, 1e-7},
		{"n^-0.01", StepSize{Scale: 1, Power: 0.01}, maxUpdates, func(n int) float64 { return math.Pow(float64(n), -0.01) }, 1e-7},
		// Falls by less than a float32 tells apart, in places.
		{"n^-0.001", StepSize{Scale: 1, Power: 0.001}, maxUpdates, func(n int) float64 { return math.Pow(float64(n), -0.001) }, 1e-7},
		// 100000^-0.6 is 0.001.
		{"n^-0.6, floor 0.001", StepSize{Scale: 1, Power: 0.6, Floor: 0.001}, maxUpdates, func(n int) float64 { return math.Pow(float64(n), -0.6) }, 1e-7},
		// 10000^-0.75 is 0.001.
		{"n^-0.75, floor 0.001", StepSize{Scale: 1, Power: 0.75, Floor: 0.001}, 10000, func(n int) float64 { return math.Pow(float64(n), -0.75) }, 1e-7},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := test.step.weights()
			if d := len(w) - 1 - test.last; d < 0 || d > 1 {
				t.Fatalf("weights() of %+v go up to %d, want %d", test.step, len(w)-1, test.last)
			}
			if w[0] != w[1] {
				t.Errorf("weights() of %+v: %v, %v, want index 0 to repeat index 1", test.step, w[0], w[1])
			}
			for n := 1; n < len(w); n++ {
				if got, want := float64(w[n]), max(test.want(n), test.step.Floor); math.Abs(got-want) > test.by && w[n] != float32(want) {
					t.Fatalf("weights()[%d] of %+v = %v, want %v", n, test.step, got, want)
				}
				if w[n] > w[n-1] {
					t.Fatalf("weights()[%d] of %+v = %v, more than %v before it", n, test.step, w[n], w[n-1])
				}
			}
		})
	}
}

// TestUpdateSaturates checks that updates past the last weight take that one.
func TestUpdateSaturates(t *testing.T) {
	v := newValues(pigIndex(2, 2), tuning{StepSize: StepSize{Scale: 1, Power: 1}}.of(qLearningTextbook))
	v.updates[0] = maxUpdates - 1
	for range 3 {
		v.q[0] = 0
		v.update(0, 1)
		if want := float32(1.0 / maxUpdates); v.q[0] != want || v.updates[0] != maxUpdates {
			t.Errorf("update(0, 1) = %v, update %d, want %v, update %d", v.q[0], v.updates[0], want, maxUpdates)
		}
	}
}

func TestInversePower(t *testing.T) {
	for n := 1; n <= maxUpdates; n += 1 + n/7 {
		for _, p := range []float64{0, 1e-10, 1e-3, 0.1, 0.25, 1.0 / 3, 0.5, 0.501, 0.6, 0.7, 0.77, 0.9, 0.999, 1 - 1e-12, 1} {
			want := math.Pow(float64(n), -p)
			if got := inversePower(n, p); math.Abs(got/want-1) > 1e-8 {
				t.Errorf("inversePower(%d, %v) = %v, want %v", n, p, got, want)
			}
		}
	}
}

func TestEpsilonAt(t *testing.T) {
	for _, test := range []struct {
		epsilon Epsilon
		after   int64
		want    float64
	}{
		{Epsilon{Start: 0.2}, 0, 0.2},
		{Epsilon{Start: 0.2}, math.MaxInt64, 0.2},
		{Epsilon{Start: 0.4, Halving: 1000}, 0, 0.4},
		{Epsilon{Start: 0.4, Halving: 1000}, 1000, 0.2},
		{Epsilon{Start: 0.4, Halving: 1000}, 3000, 0.1},
		{Epsilon{Start: 0.4, Floor: 0.125, Halving: 1000}, 1000, 0.2},
		{Epsilon{Start: 0.4, Floor: 0.125, Halving: 1000}, 3000, 0.125},
		{Epsilon{Start: 0.4, Floor: 0.125, Halving: 1000}, math.MaxInt64, 0.125},
		{Epsilon{Start: 0.1, Floor: 0.5, Halving: 1000}, 0, 0.1}, // a floor above does not raise it
		{Epsilon{}, 5, 0},
	} {
		if got := test.epsilon.At(test.after); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("%+v.At(%d) = %v, want %v", test.epsilon, test.after, got, test.want)
		}
	}
}
