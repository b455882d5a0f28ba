package env

import (
	"errors"
	"fmt"
	"slices"
)

// Autoreset says what a [Vec] does with a game that has ended.
type Autoreset uint8

const (
	// AutoresetNextStep begins the next episode in the step after the end. For
	// that game the step ignores the action, rolls nothing, has reward 0, and
	// shows the new episode's first observation.
	AutoresetNextStep Autoreset = iota
	// AutoresetSameStep begins the next episode in the step that ends the last
	// one. The step shows the new episode's first observation; what was to be
	// seen at the end of the last one goes to [Batch].Final.
	AutoresetSameStep
	// AutoresetDisabled lets the game rest until [Vec.ResetGames]. Its actions
	// are ignored, nothing is legal, it goes on showing its end, and it is not
	// terminated or truncated again.
	AutoresetDisabled
)

// String returns "next-step", "same-step" or "disabled".
func (a Autoreset) String() string {
	switch a {
	case AutoresetNextStep:
		return "next-step"
	case AutoresetSameStep:
		return "same-step"
	case AutoresetDisabled:
		return "disabled"
	}
	return fmt.Sprintf("Autoreset(%d)", uint8(a))
}

// VecOptions configure a [Vec].
type VecOptions struct {
	// Games is the number of games, at least 1.
	Games int
	// FirstIndex is the index of the first game among all that share a seed,
	// so that several Vecs, on several goroutines, can play parts of a whole.
	FirstIndex uint64
	// StepLimit truncates an episode after so many steps; 0 is no limit. A
	// step that ends the game is terminated, not truncated.
	StepLimit int
	// First says who begins.
	First First
	// Autoreset says what becomes of a game that has ended.
	Autoreset Autoreset
	// IgnoreIllegal lets a game whose action is an illegal [Hold] sit out the
	// step, which counts towards its limit, where else the step is refused.
	IgnoreIllegal bool
}

// check reports whether every option is in range.
func (o *VecOptions) check() bool {
	return o.Games >= 1 && o.StepLimit >= 0 && o.First <= FirstRandom && o.Autoreset <= AutoresetDisabled
}

// A Batch holds what a [Vec] or a [SoloVec] shows of N games with n players
// and c columns. The caller owns it; [Vec.NewBatch] or [SoloVec.NewBatch] makes
// one that fits. Rows are by game.
type Batch struct {
	// Observations, N×c, are what the seat to move sees; see [Game.Columns].
	// At the end of an episode it is the seat that moved last. Of a SoloVec
	// they are what the learner sees.
	Observations []int16
	// Rewards are what each seat earned by the step, N×n, or, of a SoloVec,
	// what the learner did, N.
	Rewards []float32
	// Terminated and Truncated, N each, tell that the step ended the episode.
	Terminated, Truncated []bool
	// Legal, N×NumActions, tells which actions the next step takes.
	Legal []bool
	// Seats, N, are the seats whose observations are shown.
	Seats []int8
	// Final, N×c, gets a row for each game that the step terminated or
	// truncated under AutoresetSameStep; other rows are left as they are. In
	// other modes it is not used.
	Final []int16
	// Ignored, N, tells under IgnoreIllegal which games sat out the step. It is
	// not used otherwise.
	Ignored []bool
}

// newBatch returns a batch for games of so many columns and rewards each.
func newBatch(o *VecOptions, columns, rewards int) *Batch {
	n := o.Games
	b := &Batch{
		Observations: make([]int16, n*columns),
		Rewards:      make([]float32, n*rewards),
		Terminated:   make([]bool, n),
		Truncated:    make([]bool, n),
		Legal:        make([]bool, n*NumActions),
		Seats:        make([]int8, n),
	}
	if o.Autoreset == AutoresetSameStep {
		b.Final = make([]int16, n*columns)
	}
	if o.IgnoreIllegal {
		b.Ignored = make([]bool, n)
	}
	return b
}

// check returns an error wrapping [ErrBatch] that names the first slice of b
// whose length is wrong; see newBatch.
func (b *Batch) check(o *VecOptions, columns, rewards int) error {
	n := o.Games
	final, ignored := len(b.Final), len(b.Ignored)
	if o.Autoreset != AutoresetSameStep {
		final = n * columns
	}
	if !o.IgnoreIllegal {
		ignored = n
	}
	for _, s := range [...]struct {
		name      string
		got, want int
	}{
		{"Observations", len(b.Observations), n * columns},
		{"Rewards", len(b.Rewards), n * rewards},
		{"Terminated", len(b.Terminated), n},
		{"Truncated", len(b.Truncated), n},
		{"Legal", len(b.Legal), n * NumActions},
		{"Seats", len(b.Seats), n},
		{"Final", final, n * columns},
		{"Ignored", ignored, n},
	} {
		if s.got != s.want {
			return fmt.Errorf("%w: %s has %d elements, not %d", ErrBatch, s.name, s.got, s.want)
		}
	}
	return nil
}

// calm clears what a batch says of a step.
func (b *Batch) calm() {
	clear(b.Rewards)
	clear(b.Terminated)
	clear(b.Truncated)
	clear(b.Ignored)
}

// ErrBatch is wrapped by the methods of [Vec] and [SoloVec] for a slice of the
// wrong length.
var ErrBatch = errors.New("env: slice of the wrong length")

// A Vec plays many games of one kind at once, every seat of them, each a step
// at a time. Game i has dice of its own, those of a [Match] reset with
// SeedAt(seed, FirstIndex+i), so that what it plays depends neither on the
// other games nor on who plays them. Step allocates nothing. A Vec is not safe
// for concurrent use; several Vecs are.
type Vec struct {
	game    Game
	options VecOptions
	columns int
	clock   int64   // steps made
	begun   []int64 // by game, the clock when its episode began
	resting []int   // games without an episode under way
	sitting []int   // games that sit out a step
	tables  tables
}

// tables play the games of a Vec. Game numbers are in range, and an episode is
// under way where one is needed.
type tables interface {
	// seed gives game i, which rests or is about to begin, the dice of a seed.
	seed(i int, seed uint64)
	// begin begins an episode of game i with the dice as they lie.
	begin(i int)
	// rest ends the episode of game i, which goes on being shown as it is.
	rest(i int)
	// wake takes up the episode of game i where rest ended it.
	wake(i int)
	// live reports whether an episode of game i is under way.
	live(i int) bool
	// refused returns the first game under way whose action is not legal, or -1.
	refused(actions []Action) int
	// step takes the actions in all games but the resting ones, shows all games
	// but those that have ended, fills in rewards and terminated where they are
	// not 0, and returns the games that have ended, to be rested or begun. The
	// slice is valid until the next call.
	step(actions []Action, resting []int, b *Batch) []int
	// show writes the rows of game i that say how it stands.
	show(i int, b *Batch)
	// observe writes what is seen of game i by the seat to move, or that moved
	// last.
	observe(i int, row []int16)
	// state returns the state of game i, and dice its generator.
	state(i int) State
	dice(i int) Rand
	// put gives game i, which then rests, a state and a generator.
	put(i int, s State, r Rand)
	clone() tables
}

// NewVec returns games of g. They rest until Reset or ResetGames, and have the
// dice of seed 0 until Reset. It panics if an option is out of range or g is
// the zero Game.
func NewVec(g Game, o VecOptions) *Vec {
	if g == (Game{}) || !o.check() {
		panic(fmt.Sprintf("env: NewVec(%+v) of %+v", o, g))
	}
	v := &Vec{
		game: g, options: o, columns: g.NumColumns(),
		begun: make([]int64, o.Games), resting: make([]int, 0, o.Games),
	}
	if o.IgnoreIllegal {
		v.sitting = make([]int, 0, o.Games)
	}
	if duelable(g, o.First) {
		v.tables = newDuels(g, o)
	} else {
		v.tables = newMatches(g, o)
	}
	v.seed(0)
	for i := range o.Games {
		v.rest(i)
	}
	return v
}

// seed gives every game its own dice.
func (v *Vec) seed(seed uint64) {
	for i := range v.options.Games {
		v.tables.seed(i, SeedAt(seed, v.options.FirstIndex+uint64(i)))
	}
}

// NewBatch returns a batch of the right size.
func (v *Vec) NewBatch() *Batch { return newBatch(&v.options, v.columns, v.game.Players()) }

func (v *Vec) check(b *Batch) error { return b.check(&v.options, v.columns, v.game.Players()) }

// Game returns the game that is played.
func (v *Vec) Game() Game { return v.game }

// Games returns the number of games.
func (v *Vec) Games() int { return v.options.Games }

// State returns the state of game i, in [0, Games).
func (v *Vec) State(i int) State { return v.tables.state(i) }

// Reset begins an episode in every game with the dice of the seed. The error
// wraps [ErrBatch]; then nothing has changed.
func (v *Vec) Reset(seed uint64, b *Batch) error {
	if err := v.check(b); err != nil {
		return err
	}
	b.calm()
	v.resting = v.resting[:0]
	v.seed(seed)
	for i := range v.options.Games {
		v.begin(i, b)
	}
	return nil
}

// Seed gives every game i for which which[i] is true, and which is to be begun
// by ResetGames, the dice of a [Match] reset with seeds[i]. The error wraps
// [ErrBatch]; then nothing has changed.
func (v *Vec) Seed(seeds []uint64, which []bool) error {
	if err := checkSeeds(seeds, which, v.options.Games); err != nil {
		return err
	}
	for i, fresh := range which {
		if fresh {
			v.tables.seed(i, seeds[i])
		}
	}
	return nil
}

func checkSeeds(seeds []uint64, which []bool, games int) error {
	if len(seeds) != games || len(which) != games {
		return fmt.Errorf("%w: seeds and which have %d and %d elements, not %d", ErrBatch, len(seeds), len(which), games)
	}
	return nil
}

// ResetGames begins an episode, with dice that go on, in every game i for
// which which[i] is true, whether it rests or not, and writes those rows of b.
// The error wraps [ErrBatch]; then nothing has changed.
func (v *Vec) ResetGames(which []bool, b *Batch) error {
	if err := checkWhich(which, v.options.Games); err != nil {
		return err
	}
	if err := v.check(b); err != nil {
		return err
	}
	v.resting = slices.DeleteFunc(v.resting, func(i int) bool { return which[i] })
	n := v.game.Players()
	for i, begin := range which {
		if begin {
			v.begin(i, b)
			clear(b.Rewards[i*n : (i+1)*n])
			b.Terminated[i], b.Truncated[i] = false, false
			if v.options.IgnoreIllegal {
				b.Ignored[i] = false
			}
		}
	}
	return nil
}

func (v *Vec) begin(i int, b *Batch) {
	v.tables.begin(i)
	v.begun[i] = v.clock
	v.tables.show(i, b)
}

func (v *Vec) rest(i int) {
	v.tables.rest(i)
	v.resting = append(v.resting, i)
}

// Step takes action i in game i, for every game, and writes b. The error wraps
// [ErrBatch], or [ErrIllegal] and names the first game whose action may not be
// taken; then nothing has changed in any game, nor in b. Under IgnoreIllegal
// that is only one that is no action at all.
func (v *Vec) Step(actions []Action, b *Batch) error { return v.StepSome(actions, nil, b) }

// StepSome is Step in the games i for which which[i] is true; nil is all of
// them. The others stand still, whatever their actions: their dice are not
// rolled, the step does not count towards their limit, and rows of b show them
// as they are, without rewards and ends.
func (v *Vec) StepSome(actions []Action, which []bool, b *Batch) error {
	if err := checkStep(actions, which, v.options.Games); err != nil {
		return err
	}
	if err := v.check(b); err != nil {
		return err
	}
	refused, ignores := v.checkActions(actions, which)
	if refused >= 0 {
		return refusal(refused, actions[refused])
	}
	v.advance(actions, which, ignores, b)
	return nil
}

// checkActions returns the first game whose action refuses the step of all, or
// -1, and whether some actions are illegal and ignored.
func (v *Vec) checkActions(actions []Action, which []bool) (refused int, ignores bool) {
	refused = v.refused(actions, which)
	if refused >= 0 && v.options.IgnoreIllegal {
		return firstNoAction(actions, which), true
	}
	return refused, false
}

// refusal is the error of a step that game i refuses because of its action.
func refusal(i int, a Action) error { return fmt.Errorf("game %d: %w", i, illegal(a)) }

// advance is StepSome once the lengths and the actions have been checked.
func (v *Vec) advance(actions []Action, which []bool, ignores bool, b *Batch) {
	sitOut := which != nil || ignores
	b.calm()
	v.clock++
	rested, still := len(v.resting), v.resting
	if sitOut {
		still = append(still, v.sitOut(actions, which, b)...)
	}
	for _, i := range v.tables.step(actions, still, b) {
		v.end(i, b)
	}
	if sitOut {
		for _, i := range v.sitting {
			v.tables.wake(i)
			v.tables.show(i, b)
		}
	}
	if limit := int64(v.options.StepLimit); limit > 0 {
		v.truncate(limit, b)
	}
	if v.options.Autoreset == AutoresetNextStep {
		asleep := 0
		for _, i := range v.resting[:rested] {
			if which == nil || which[i] {
				v.begin(i, b)
			} else {
				v.resting[asleep] = i
				asleep++
			}
		}
		v.resting = append(v.resting[:asleep], v.resting[rested:]...)
	}
}

// checkStep checks the lengths of what a step of games takes.
func checkStep(actions []Action, which []bool, games int) error {
	if len(actions) != games {
		return fmt.Errorf("%w: actions has %d elements, not %d", ErrBatch, len(actions), games)
	}
	if which == nil {
		return nil
	}
	return checkWhich(which, games)
}

// checkWhich checks the length of a mask of games.
func checkWhich(which []bool, games int) error {
	if len(which) != games {
		return fmt.Errorf("%w: which has %d elements, not %d", ErrBatch, len(which), games)
	}
	return nil
}

// refused returns the first game that is to step, is under way, and whose
// action is not legal, or -1.
func (v *Vec) refused(actions []Action, which []bool) int {
	if which == nil {
		return v.tables.refused(actions)
	}
	for i, a := range actions {
		if which[i] && (a >= NumActions || v.tables.live(i) && !v.game.Legal(v.tables.state(i)).Has(a)) {
			return i
		}
	}
	return -1
}

// firstNoAction returns the first game that is to step and whose action is
// neither Hold nor Roll, or -1.
func firstNoAction(actions []Action, which []bool) int {
	for i, a := range actions {
		if a >= NumActions && (which == nil || which[i]) {
			return i
		}
	}
	return -1
}

// sitOut rests, for a step, the games that stand still and those whose action is
// an illegal Hold, and returns them. Together with those that rest already they
// are no more than all.
func (v *Vec) sitOut(actions []Action, which []bool, b *Batch) []int {
	v.sitting = v.sitting[:0]
	for i, a := range actions {
		switch {
		case !v.tables.live(i):
		case which != nil && !which[i]:
			v.begun[i]++
			v.tables.rest(i)
			v.sitting = append(v.sitting, i)
		case v.options.IgnoreIllegal && a == Hold && v.game.Legal(v.tables.state(i)) == RollOnly:
			v.tables.rest(i)
			v.sitting = append(v.sitting, i)
			b.Ignored[i] = true
		}
	}
	return v.sitting
}

// truncate ends the episodes that have had limit steps.
func (v *Vec) truncate(limit int64, b *Batch) {
	for i, begun := range v.begun {
		if v.clock-begun == limit && !b.Terminated[i] && v.tables.live(i) {
			b.Truncated[i] = true
			v.end(i, b)
		}
	}
}

// end does what the autoreset mode says with a game that has ended.
func (v *Vec) end(i int, b *Batch) {
	if v.options.Autoreset == AutoresetSameStep {
		v.tables.observe(i, b.Final[i*v.columns:(i+1)*v.columns])
		v.begin(i, b)
		return
	}
	v.rest(i)
	v.tables.show(i, b)
}

// Clone returns an independent copy that will roll the same dice.
func (v *Vec) Clone() *Vec {
	c := *v
	c.begun = slices.Clone(v.begun)
	c.resting = append(make([]int, 0, v.options.Games), v.resting...)
	c.sitting = make([]int, 0, cap(v.sitting))
	c.tables = v.tables.clone()
	return &c
}

// matches are tables for every game: a [Match] each.
type matches struct {
	list    []Match
	columns int
	over    []int
}

func newMatches(g Game, o VecOptions) *matches {
	m := &matches{list: make([]Match, o.Games), columns: g.NumColumns(), over: make([]int, 0, o.Games)}
	for i := range m.list {
		m.list[i] = *NewMatch(g, MatchOptions{First: o.First})
	}
	return m
}

func (m *matches) seed(i int, seed uint64) { m.list[i].rand = NewRand(seed) }
func (m *matches) begin(i int)             { m.list[i].ResetNext() }
func (m *matches) rest(i int)              { m.list[i].live = false }
func (m *matches) wake(i int)              { m.list[i].live = true }
func (m *matches) live(i int) bool         { return m.list[i].live }
func (m *matches) state(i int) State       { return m.list[i].state }
func (m *matches) dice(i int) Rand         { return m.list[i].rand }

func (m *matches) put(i int, s State, r Rand) {
	t := &m.list[i]
	t.state, t.rand, t.live, t.last = s, r, false, Event{}
}

func (m *matches) clone() tables {
	return &matches{list: slices.Clone(m.list), columns: m.columns, over: make([]int, 0, len(m.list))}
}

func (m *matches) refused(actions []Action) int {
	for i := range m.list {
		if actions[i] >= NumActions || m.list[i].live && !m.list[i].Legal().Has(actions[i]) {
			return i
		}
	}
	return -1
}

func (m *matches) step(actions []Action, _ []int, b *Batch) []int {
	m.over = m.over[:0]
	for i := range m.list {
		t := &m.list[i]
		if t.live {
			if b.Terminated[i], _, _ = t.Step(actions[i]); b.Terminated[i] {
				m.over = append(m.over, i)
			}
			if n := t.game.Players(); b.Terminated[i] || n == 1 {
				for seat := range n {
					b.Rewards[i*n+seat] = float32(t.Reward(seat))
				}
			}
		}
		m.show(i, b)
	}
	return m.over
}

func (m *matches) observe(i int, row []int16) { m.list[i].Observe(row[:0]) }

func (m *matches) show(i int, b *Batch) {
	t := &m.list[i]
	m.observe(i, b.Observations[i*m.columns:(i+1)*m.columns])
	legal := t.Legal()
	b.Legal[NumActions*i], b.Legal[NumActions*i+1] = legal.Has(Hold), legal.Has(Roll)
	b.Seats[i] = t.state.Seat
}
