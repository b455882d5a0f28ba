package policies_test

import (
	"math"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// TestJudge reviews choices in piglet to 2: holding at 0, 0, 1 costs 4/35 (see
// TestAdvisePiglet) and holding at 0, 1, 1 4/15: it is worth 1 - P(1,1,0) = 1/3, and
// rolling (1 + 1 - P(1,0,0))/2 = 3/5, where P(1,1,0) = 2/3 and P(1,0,0) = 4/5.
func TestJudge(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "piglet", Target: 2}))
	v := valuer(t, g, nil)
	even, behind := scored(1, 0, 0), scored(1, 0, 1)
	r := policies.Judge(v, []policies.Choice{{even, env.Hold}, {even, env.Roll}, {behind, env.Hold}, {behind, env.Roll}})
	if r.Right != 2 || r.Accuracy() != 0.5 || len(r.Choices) != 4 {
		t.Errorf("%d of %d choices are right", r.Right, len(r.Choices))
	}
	lossEven, lossBehind := 4.0/35, 3.0/5-1.0/3
	if c := r.Choices[0]; c.State != behind || math.Abs(c.Loss-lossBehind) > 1e-12 || math.Abs(c.Roll-3.0/5) > 1e-12 || math.Abs(c.Hold-1.0/3) > 1e-12 {
		t.Errorf("the costliest choice: %+v", c)
	}
	if c := r.Choices[1]; c.State != even || math.Abs(c.Loss-lossEven) > 1e-12 {
		t.Errorf("the second costliest choice: %+v", c)
	}
	if math.Abs(r.Loss-lossEven-lossBehind) > 1e-12 {
		t.Errorf("%v is given away, want %v", r.Loss, lossEven+lossBehind)
	}
	if none := policies.Judge(v, nil); !math.IsNaN(none.Accuracy()) || none.Loss != 0 {
		t.Errorf("no choices: %+v", none)
	}
}
