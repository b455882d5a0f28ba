package agents

import (
	"math"
	"strconv"
	"strings"

	"pigpen/env"
)

// The settings of schedules, which several recipes have. Each recipe gives its own
// defaults.
var (
	stepSizeSetting = Setting{
		Name: "step-size", Domain: stepSizes{}, Doc: "weight of the n-th sample",
	}
	stepSizeFloorSetting = Setting{
		Name: "step-size-floor", Domain: Numbers{0, 1}, Doc: "least weight of a sample",
	}
	epsilonSetting = Setting{
		Name: "epsilon", Domain: Numbers{0, 1}, Doc: "chance of exploring",
	}
	epsilonHalvingSetting = Setting{
		Name: "epsilon-halving", Domain: Integers{0, math.MaxInt64}, Default: "0",
		Doc: "decisions after which epsilon has halved, harmonically; 0 keeps it constant",
	}
	epsilonFloorSetting = Setting{
		Name: "epsilon-floor", Domain: Numbers{0, 1}, Default: "0", Doc: "least epsilon", Needs: "epsilon-halving",
	}
)

// constantStepSize holds if every sample has the same weight, so that the floor of a
// schedule would only get in its way.
var constantStepSize = Condition{
	Doc:   "with a constant step size",
	Holds: func(_ env.Game, s Settings) bool { return s.StepSize().Power == 0 },
}

// stepSizes are the texts that [ParseStepSize] reads.
type stepSizes struct{}

// Parse implements [Domain].
func (stepSizes) Parse(text string) (value string, ok bool) {
	s, err := ParseStepSize(text)
	return s.String(), err == nil
}

// String implements [Domain].
func (stepSizes) String() string { return "a number in (0, 1], 1/n, or n^-P with P in (0, 1]" }

// StepSize returns the step size that the settings "step-size" and, if there is one,
// "step-size-floor" describe.
func (s Settings) StepSize() StepSize {
	size, err := ParseStepSize(s.Text("step-size"))
	if err != nil {
		panic(err) // Resolve has checked it
	}
	if _, ok := s["step-size-floor"]; ok {
		size.Floor = s.Number("step-size-floor")
	}
	return size
}

// Epsilon returns the schedule that the setting "epsilon" and, if there are such,
// "epsilon-halving" and "epsilon-floor" describe.
func (s Settings) Epsilon() Epsilon {
	e := Epsilon{Start: s.Number("epsilon")}
	if _, ok := s["epsilon-halving"]; ok {
		e.Halving = s.Integer("epsilon-halving")
	}
	if _, ok := s["epsilon-floor"]; ok {
		e.Floor = s.Number("epsilon-floor")
	}
	return e
}

// A StepSize gives the n-th update of an estimate its weight: n^-Power, which
// is a constant 1 for Power 0, times Scale, and never less than Floor.
//
// Scale 1 and Power 1 average all samples. Powers in (1/2, 1) forget early
// ones and still converge (E. Even-Dar, Y. Mansour, "Learning Rates for
// Q-learning", JMLR 5, 2003). A constant or a floor keeps on following.
type StepSize struct {
	Scale float64 // in (0, 1]; 1 unless Power is 0
	Power float64 // in [0, 1]
	Floor float64 // in [0, 1]
}

// ParseStepSize reads "0.1" (constant), "1/n" or "n^-0.7". The error wraps
// [ErrSetting].
func ParseStepSize(text string) (StepSize, error) {
	bad := &SettingError{stepSizeSetting.Name, text, stepSizes{}}
	if text == "1/n" {
		return StepSize{Scale: 1, Power: 1}, nil
	}
	digits, power := strings.CutPrefix(text, "n^-")
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(x > 0 && x <= 1) {
		return StepSize{}, bad
	}
	if power {
		return StepSize{Scale: 1, Power: x}, nil
	}
	return StepSize{Scale: x}, nil
}

// String returns the form that [ParseStepSize] reads; the floor is not part
// of it.
func (s StepSize) String() string {
	switch s.Power {
	case 0:
		return strconv.FormatFloat(s.Scale, 'g', -1, 64)
	case 1:
		return "1/n"
	}
	return "n^-" + strconv.FormatFloat(s.Power, 'g', -1, 64)
}

// maxUpdates is the number of updates that are told apart: later ones weigh
// as much as this one.
const maxUpdates = math.MaxUint16

// weights returns the weight of the n-th update at index n, for n from 1 to
// the first whose weight no longer falls, at most maxUpdates. Index 0 repeats
// index 1.
func (s StepSize) weights() []float32 {
	w := []float32{0}
	for n := 1; n <= maxUpdates; n++ {
		x := float32(max(s.Floor, s.Scale*inversePower(n, s.Power)))
		if n > 1 && x == w[n-1] && (s.Power == 0 || x == float32(s.Floor)) {
			break
		}
		w = append(w, x)
	}
	w[0] = w[1]
	return w
}

// inversePower returns n^-p for p in [0, 1], to about 1e-9. It multiplies
// square roots of square roots, one for each binary digit of p: these are
// rounded alike on every machine, which math.Pow is not, so that training
// gives the same bytes everywhere.
func inversePower(n int, p float64) float64 {
	if p == 1 {
		return 1 / float64(n)
	}
	result, root := 1.0, 1/float64(n)
	for digits := 0; p > 0 && digits < 32; digits++ {
		p *= 2
		root = math.Sqrt(root)
		if p >= 1 {
			p--
			result *= root
		}
	}
	return result
}

// An Epsilon is the chance of exploring, which falls harmonically with the
// decisions made: after t of them it is Start/(1 + t/Halving), and never less
// than Floor. It does not depend on how long the training will be, so that a
// longer one begins like a shorter one.
type Epsilon struct {
	Start   float64 // in [0, 1]
	Floor   float64 // in [0, 1]
	Halving int64   // decisions after which Start has halved; 0 keeps it constant
}

// At returns the chance after t decisions.
func (e Epsilon) At(t int64) float64 {
	if e.Halving == 0 {
		return e.Start
	}
	return max(min(e.Floor, e.Start), e.Start/(1+float64(t)/float64(e.Halving)))
}
