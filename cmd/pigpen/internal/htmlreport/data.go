package htmlreport

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"

	"pigpen/env"
	"pigpen/policies"
)

// pageData is what the page's script reads; see engine.js.
type pageData struct {
	Name     string   `json:"name"`
	Players  int      `json:"players"`
	Target   int      `json:"target"`
	Unit     string   `json:"unit"`
	Faces    int      `json:"faces"`
	FaceName []string `json:"faceNames,omitempty"`
	// AfterRound tells that the game ends after a round; then Width is the number of scores
	// that tables distinguish, else the target.
	AfterRound bool `json:"afterRound"`
	Width      int  `json:"width"`
	// Others has the number of other scores that tables distinguish, by round: 0 for the
	// player who acts last in a round, 1 for the first.
	Others []int      `json:"others"`
	Rolls  []pageRoll `json:"rolls"`
	// Outcomes has the outcome of each roll, by the score that the mover holds or, where
	// that makes no difference, once.
	Outcomes [][]pageOutcome `json:"outcomes"`
	Policy   *pageTable      `json:"policy"`
	Optimal  *pageTable      `json:"optimal,omitempty"`
	// Values has for each round the win probability at the start of a turn, as float32 in
	// base64, by own score and then the score of each other.
	Values   []string    `json:"values,omitempty"`
	Playable bool        `json:"playable"`
	Learning []pageCurve `json:"learning,omitempty"`

	json  []byte
	mixed bool // the policy has chances other than 0 and 1
	// differences is the number of decisions that are not those of the optimum, of points,
	// the states that rolls lead to.
	differences, points int
}

type pageRoll struct {
	Faces  []int `json:"faces"`
	Weight int   `json:"weight"`
}

// A pageOutcome is the name of an effect, and points.
type pageOutcome [2]any

type pageCurve struct {
	Name           string     `json:"name"`
	X              []float64  `json:"x"`
	Win            []*float64 `json:"win"`
	Exploitability []*float64 `json:"exploitability"`
}

// A pageTable has the decisions of a policy: the chances that there are, with noChoice, and
// runs of their indices in base64.
type pageTable struct {
	Chances []float64 `json:"chances"`
	Runs    string    `json:"runs"`
}

// rounds returns the numbers of seats that act after the mover for which the page shows
// decisions and values: that of the last in a round and, where rounds matter, of the first.
func rounds(g env.Game) []int {
	if g.Variant().Ending == env.AfterRound {
		return []int{0, g.Players() - 1}
	}
	return []int{0}
}

// valueBytes returns the size of the values on the page.
func valueBytes(g env.Game) int {
	return len(rounds(g)) * base64.StdEncoding.EncodedLen(4*g.Target()*g.Target())
}

// data returns what the script reads. The error wraps [ErrTooLarge].
func (r *Report) data() (*pageData, error) {
	g := r.Game
	v := g.Variant()
	d := &pageData{
		Name: r.Name, Players: g.Players(), Target: g.Target(), Unit: v.Unit, Faces: v.Faces, FaceName: v.FaceNames,
		AfterRound: v.Ending == env.AfterRound, Width: g.Target(),
	}
	if d.AfterRound {
		d.Width += policies.BeyondTarget
	}
	for _, after := range rounds(g) {
		others := g.Target()
		if after == 0 {
			others = d.Width
		}
		d.Others = append(d.Others, others)
	}
	d.rules(g)
	if err := d.decisions(g, r.Policy, r.Optimal); err != nil {
		return nil, err
	}
	if r.Optimal != nil {
		for _, after := range rounds(g) {
			d.Values = append(d.Values, startValues(g, r.Optimal, after))
		}
		d.Playable = g.Players() == 2
	}
	for _, c := range r.Learning {
		d.Learning = append(d.Learning, pageCurve{c.Name, c.X, known(c.Win), known(c.Exploitability)})
	}
	if err := checkSize(d.size()); err != nil {
		return nil, err
	}
	var err error
	d.json, err = json.Marshal(d)
	return d, err
}

// size returns the size of the long texts.
func (d *pageData) size() (n int) {
	for _, t := range []*pageTable{d.Policy, d.Optimal} {
		if t != nil {
			n += len(t.Runs) + 20*len(t.Chances)
		}
	}
	for _, v := range d.Values {
		n += len(v)
	}
	return n
}

// known returns the values that are no NaN, and nil for the others.
func known(values []float64) []*float64 {
	list := make([]*float64, len(values))
	for i := range values {
		if !math.IsNaN(values[i]) {
			list[i] = &values[i]
		}
	}
	return list
}

// rules sets what rolls there are and what they do.
func (d *pageData) rules(g env.Game) {
	for i := range g.Rolls() {
		d.Rolls = append(d.Rolls, pageRoll{g.Faces(i), g.RollWeight(i)})
	}
	scores := 1
	if g.Variant().ByHeld {
		scores = g.Target()
	}
	for held := range scores {
		s := g.Start(0)
		s.Scores[0] = int16(held)
		var list []pageOutcome
		for _, roll := range d.Rolls {
			o, err := g.OutcomeOf(s, roll.Faces...)
			if err != nil {
				panic(err) // the faces are those of a roll
			}
			list = append(list, pageOutcome{o.Effect.String(), o.Points})
		}
		d.Outcomes = append(d.Outcomes, list)
	}
}

// observation returns that of a state in which all others have the same score.
func observation(g env.Game, own, turn, other, after int) []int16 {
	o := []int16{int16(own), int16(turn)}
	for range g.Players() - 1 {
		o = append(o, int16(other))
	}
	if len(o) < g.NumColumns() {
		o = append(o, int16(after))
	}
	return o
}

// decisions sets the decisions of a policy, and those of the optimum if it is not nil, by
// round, own score, turn total and score of each other: with two players, in the order of
// [policies.DecisionPoints]. The error wraps [ErrTooLarge].
func (d *pageData) decisions(g env.Game, p, optimum policies.Policy) error {
	policy, optimal := newRunEncoder(), newRunEncoder()
	reach := policies.NewReach(g)
	var s env.State
	for i, after := range rounds(g) {
		for own := range d.Target {
			for turn := 1; own+turn < d.Width; turn++ {
				for other := range d.Others[i] {
					chance, best := noChoice, noChoice
					o := observation(g, own, turn, other, after)
					if reach.Turn(own, turn) && g.ReadState(o, &s) == nil && g.Legal(s) == env.HoldOrRoll {
						chance = p.RollChance(s)
						if best = chance; optimum != nil {
							best = optimum.RollChance(s)
						}
						if reach.Decides(o) {
							d.points++
							if chance != best {
								d.differences++
							}
						}
					}
					policy.add(chance)
					optimal.add(best)
				}
			}
			if err := checkSize(policy.size() + optimal.size()); err != nil {
				return err
			}
		}
	}
	d.Policy = policy.table()
	if optimum != nil {
		d.Optimal = optimal.table()
	}
	for _, chance := range d.Policy.Chances {
		d.mixed = d.mixed || chance > 0 && chance < 1
	}
	return nil
}

// noChoice stands for a chance in a state that has none: hold is illegal there, or no rolls
// lead to it.
const noChoice = -1.0

// A runEncoder makes a [pageTable] of chances that are added in order.
type runEncoder struct {
	index   map[float64]int
	chances []float64
	runs    []run
}

func newRunEncoder() *runEncoder {
	return &runEncoder{index: map[float64]int{0: 0, 1: 1, noChoice: 2}, chances: []float64{0, 1, noChoice}}
}

// size returns the least number of bytes of the table.
func (e *runEncoder) size() int { return len(e.runs) + len(e.chances) }

// A run is a number of decisions with the same chance.
type run struct{ chance, length int }

// add adds a chance.
func (e *runEncoder) add(chance float64) {
	i, ok := e.index[chance]
	if !ok {
		i = len(e.chances)
		e.index[chance] = i
		e.chances = append(e.chances, chance)
	}
	if n := len(e.runs); n > 0 && e.runs[n-1].chance == i {
		e.runs[n-1].length++
		return
	}
	e.runs = append(e.runs, run{i, 1})
}

// table returns what was added.
func (e *runEncoder) table() *pageTable {
	var b []byte
	for _, r := range e.runs {
		b = binary.AppendUvarint(b, uint64(r.length)*uint64(len(e.chances))+uint64(r.chance))
	}
	return &pageTable{e.chances, base64.StdEncoding.EncodeToString(b)}
}

// startValues returns the win probabilities at the start of a turn.
func startValues(g env.Game, v policies.Valuer, after int) string {
	var b bytes.Buffer
	var s env.State
	for own := range g.Target() {
		for other := range g.Target() {
			value := math.NaN()
			if g.ReadState(observation(g, own, 0, other, after), &s) == nil && !s.Over {
				_, value = v.Values(s)
			}
			_ = binary.Write(&b, binary.LittleEndian, float32(value)) // a Buffer takes everything
		}
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}
