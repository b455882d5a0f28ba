package agents

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"pigpen/env"
	"pigpen/policies"
)

// dynaRecipe is a model-based learner for one or two players in the manner of Dyna
// (R. Sutton, "Integrated Architectures for Learning, Planning, and Reacting Based on
// Approximating Dynamic Programming", ICML 1990): it plays games, counts what rolls
// do, and plans with the counted frequencies as if they were the probabilities of the
// dice (certainty equivalence). It knows the rules of banking and of the end of the
// game, but nothing of the dice: it infers each outcome from the states before and
// after a roll.
//
// A plan makes expected updates from the end of the game backwards, as prioritized
// sweeping would order them (A. Moore, C. Atkeson, "Prioritized Sweeping", Machine
// Learning 13, 1993), so that a single sweep suffices, unless a roll can lower a banked
// score. Plans are made each time that the number of decisions has grown by planGrowth.
//
// The outcomes of a roll may depend on the points that the mover holds, banked and not.
// A chi-squared test on the agent's own counts decides whether one model serves all
// states or each number of points needs its own.
var dynaRecipe = Recipe{
	Name: "sweeps", Doc: "counts what rolls do, and plans backwards with the frequencies",
	Settings: []Setting{{
		Name: "model", Domain: Words{"auto", "by-points", "one"}, Default: "auto",
		Doc: "model of the dice, one for all states or one for each number of points held; auto tests the counts",
	}},
	MaxPlayers: 2,
	// The policy has one bit for each entry; counts and values are much fewer than
	// entries.
	BytesPerEntry: func(Settings, int) int { return 1 },
	DefaultSteps:  func(env.Game, Settings, int) int64 { return 3_000_000 },
	Make:          func(c Config) Agent { return newDyna(c) },
}

const (
	// planGrowth is the factor by which the number of decisions grows from one plan to
	// the next.
	planGrowth = 1.2
	// firstPlan is the number of decisions before the first plan.
	firstPlan = 100
	// mostGames is the largest number of games in a call of Learn.
	mostGames = 256
)

type dyna struct {
	afterstates
	config Config
	model  string // the setting
	at     dynaProgress
	// rolls are the counts of all rolls so far, and planned those at the last plan.
	rolls, planned rollCounts
	// value[k] is the value of the turn with key k, for the player whose turn it is,
	// according to the last plan.
	value    []float64
	policy   *policies.Table // of the last plan
	workers  []*dynaWorker
	planning time.Duration
}

// dynaProgress counts what was played.
type dynaProgress struct {
	Decisions, Games int64
	Planned          int64 // decisions at the last plan; 0 if there was none
}

// A dynaWorker has the working memory of one goroutine.
type dynaWorker struct {
	_     cacheLinePad
	match env.Match
	seen  []observed
	plan  turnPlanner
	_     cacheLinePad
}

func newDyna(c Config) *dyna {
	d := &dyna{afterstates: newAfterstates(c.Index), config: c, model: c.Settings.Text("model")}
	width := c.Index.Width()
	d.rolls, d.planned = newRollCounts(width), newRollCounts(width)
	turns := d.game.Target()
	if d.game.Players() == 2 {
		turns *= width
	}
	if d.game.Variant().Ending == env.AfterRound {
		turns *= d.game.Players()
	}
	d.value = make([]float64, turns)
	d.policy = d.firstPolicy()
	return d
}

// firstPolicy returns the policy before the first plan. It holds whenever that is legal.
func (d *dyna) firstPolicy() *policies.Table {
	t := policies.NewTable(d.index)
	for start := range d.index.Turns() {
		t.Set(start, true)
	}
	return t
}

// Learn implements [Agent]. It plays some games and plans if there is enough news. The
// number of games grows with those played before, so that short trainings end on time.
func (d *dyna) Learn(workers int) Played {
	d.addWorkers(workers)
	games := int(min(mostGames, 1+d.at.Games/64))
	play := func(w *dynaWorker, i int) Played {
		w.match.Reset(env.SeedAt(d.config.Seed, uint64(d.at.Games)+uint64(i)))
		d.play(w)
		return Played{Steps: int64(w.match.Steps()), Episodes: 1}
	}
	var played Played
	if games < 8 { // too few for more goroutines
		for i := range games {
			played = played.add(play(d.workers[0], i))
		}
	} else {
		played = inParallel(d.workers[:workers], games, play)
	}
	for _, w := range d.workers {
		for _, o := range w.seen {
			d.rolls.outcome[o.cell]++
			if o.ending >= 0 {
				d.rolls.ended[o.ending]++
			}
		}
		w.seen = w.seen[:0]
	}
	d.at.Decisions += played.Steps
	d.at.Games += played.Episodes
	if d.at.Decisions >= firstPlan && float64(d.at.Decisions) >= planGrowth*float64(d.at.Planned) {
		began := time.Now()
		d.at.Planned = d.at.Decisions
		d.planned.copyFrom(&d.rolls)
		m := d.dice(&d.planned)
		d.sweep(m, d.value, workers)
		d.policy = d.greedyFor(m, d.value)
		d.planning += time.Since(began)
	}
	return played
}

// PlanningTime implements [Planner].
func (d *dyna) PlanningTime() time.Duration { return d.planning }

// play plays the game on w.match and notes what the rolls did.
func (d *dyna) play(w *dynaWorker) {
	m := &w.match
	s := m.Current()
	start, last := d.index.Turn(s)
	for m.Live() {
		before := *s
		rolls := s.MustRoll || d.policy.Rolls(min(start+int(s.TurnTotal), last))
		if d.at.Planned == 0 { // nothing is known: draw the action
			rolls = s.TurnTotal == 0 || s.MustRoll || m.Rand().Below(env.NumActions) == uint32(env.Roll)
		}
		if !rolls {
			if _, _, err := m.Step(env.Hold); err != nil {
				panic(err) // the policy rolls where a turn begins
			}
		} else {
			if _, _, err := m.Step(env.Roll); err != nil {
				panic(err) // rolling is always legal
			}
			w.seen = append(w.seen, d.observe(&before, s))
		}
		if s.TurnTotal == 0 && m.Live() {
			start, last = d.index.Turn(s)
		}
	}
}

// Greedy implements [Agent]. It plans with all rolls so far.
func (d *dyna) Greedy() *policies.Table {
	if d.at.Planned == d.at.Decisions {
		return d.policy.Clone()
	}
	m, value, planned := d.newestPlan()
	if !planned {
		return d.policy.Clone()
	}
	return d.greedyFor(m, value)
}

// newestPlan returns the dice and the values of a plan with all rolls so far. planned is
// false if they are too few for a plan.
func (d *dyna) newestPlan() (m diceModel, value []float64, planned bool) {
	switch {
	case d.at.Decisions < firstPlan:
		return nil, nil, false
	case d.at.Planned == d.at.Decisions:
		return d.dice(&d.planned), d.value, true
	}
	m, value = d.dice(&d.rolls), slices.Clone(d.value)
	d.sweep(m, value, 1)
	return m, value, true
}

// Metrics implements [Agent]. The step size is that of an average over all rolls, and
// the coverage is 1 after the first roll, since a roll counts in every state.
func (d *dyna) Metrics() Metrics {
	rolls := int64(0)
	for _, n := range d.rolls.outcome {
		rolls += n
	}
	if rolls == 0 {
		return Metrics{}
	}
	return Metrics{StepSize: 1 / float64(rolls), Coverage: 1}
}

// parts returns the parts of the state, in the order in which they are written.
func (d *dyna) parts() []any {
	return []any{&d.at, d.rolls.outcome, d.rolls.ended[:], d.planned.outcome, d.planned.ended[:], d.value}
}

// StateSize implements [Agent].
func (d *dyna) StateSize() int64 { return sizeOf(d.parts()...) }

// WriteState implements [Agent].
func (d *dyna) WriteState(w io.Writer) error { return writeParts(w, d.parts()...) }

// ReadState implements [Agent].
func (d *dyna) ReadState(r io.Reader) error {
	if err := readParts(r, d.parts()...); err != nil {
		return err
	}
	if at := d.at; at.Decisions < 0 || at.Games < 0 || at.Games > at.Decisions || at.Planned < 0 || at.Planned > at.Decisions {
		return fmt.Errorf("%w: its progress is out of range, %+v", ErrState, at)
	}
	for _, n := range []*rollCounts{&d.rolls, &d.planned} {
		sum := int64(0)
		for _, counts := range [][]int64{n.outcome, n.ended[:]} {
			for _, count := range counts {
				if count < 0 || count > d.at.Decisions {
					return fmt.Errorf("%w: a count of %d", ErrState, count)
				}
			}
		}
		for _, count := range n.outcome {
			sum += count
		}
		if n == &d.planned && (sum == 0) != (d.at.Planned == 0) {
			return fmt.Errorf("%w: a plan of %d decisions with %d rolls", ErrState, d.at.Planned, sum)
		}
	}
	for _, x := range d.value {
		if !(math.Abs(x) < math.MaxInt32) {
			return fmt.Errorf("%w: a value of %v", ErrState, x)
		}
	}
	if d.policy = d.firstPolicy(); d.at.Planned > 0 {
		d.policy = d.greedyFor(d.dice(&d.planned), d.value)
	}
	return readEnd(r)
}

// addWorkers grows d.workers to at least the given number.
func (d *dyna) addWorkers(workers int) {
	for len(d.workers) < workers {
		d.workers = append(d.workers, &dynaWorker{match: *env.NewMatch(d.game, env.MatchOptions{StepLimit: d.config.StepLimit})})
	}
}
