package env

import (
	"errors"
	"fmt"
	"slices"
)

// Autoreset says what a [Vec] does with a game whose episode has ended.
type Autoreset uint8

const (
	// AutoresetNextStep begins the next episode in the step after the end. For
	// that game the step ignores the action, rolls nothing, has reward 0, and
	// writes the new episode's first observation.
	AutoresetNextStep Autoreset = iota
	// AutoresetSameStep begins the next episode in the step that ends the last
	// one. The step writes the new episode's first observation to
	// [Batch].Observations and the last one of the old episode to [Batch].Final.
	AutoresetSameStep
	// AutoresetDisabled leaves the game done until [Vec.ResetGames]. Until then
	// steps ignore its actions and roll nothing, no action is legal, its
	// observation stays that of the end, and Terminated and Truncated are false.
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
	// FirstIndex is the index of game 0 among all games that share a seed. With it
	// several Vecs play the games of a larger one; see [ShardedVec].
	FirstIndex uint64
	// StepLimit is the number of steps after which an episode is truncated; 0 means
	// no limit. A step that ends the game is terminated, not truncated.
	StepLimit int
	// First selects the seat that begins an episode.
	First First
	// Autoreset says what happens to a game whose episode has ended.
	Autoreset Autoreset
	// IgnoreIllegal makes a step ignore an illegal [Hold] instead of returning an
	// error. The game stays as it is, but the step counts towards its limit.
	IgnoreIllegal bool
}

// check reports whether every option is in range.
func (o *VecOptions) check() bool {
	return o.Games >= 1 && o.StepLimit >= 0 && o.First <= FirstRandom && o.Autoreset <= AutoresetDisabled
}

// A Batch holds the results of a step or reset of N games with n players and c
// columns. The caller owns it; [Vec.NewBatch] or [SoloVec.NewBatch] returns one of
// the right size. Tables are flat, with a row for each game.
type Batch struct {
	// Observations, N×c, has the observation of the seat to move or, once the
	// episode has ended, of the seat that moved last; of a SoloVec, that of the
	// learner. See [Game.Columns] for the columns.
	Observations []int16
	// Rewards, N×n, has the reward of each seat for the step, in [-1, 1]; of a
	// SoloVec, Rewards, N, has that of the learner. See [Match.Reward].
	Rewards []float32
	// Terminated and Truncated, N each, tell that the step ended the episode.
	Terminated, Truncated []bool
	// Legal, N×NumActions, tells which actions are legal in the next step.
	Legal []bool
	// Seats, N, has the seats whose observations are in Observations.
	Seats []int8
	// Final, N×c, is used under AutoresetSameStep only. A step writes the last
	// observation of each episode that it ends; other rows stay as they are.
	Final []int16
	// Ignored, N, is used under IgnoreIllegal only. It tells in which games the
	// step ignored an illegal Hold.
	Ignored []bool
	// Events, nil or N, has what a step did with the actions, those of a SoloVec's
	// learner only. NewBatch leaves it nil; then a step does not write it. Resets and
	// Show leave it as it is.
	Events []StepEvent
}

// newBatch returns a batch for o.Games games with the given numbers of columns and
// of rewards for each.
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
	final, ignored, events := len(b.Final), len(b.Ignored), len(b.Events)
	if o.Autoreset != AutoresetSameStep {
		final = n * columns
	}
	if !o.IgnoreIllegal {
		ignored = n
	}
	if b.Events == nil {
		events = n
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
		{"Events", events, n},
	} {
		if s.got != s.want {
			return fmt.Errorf("%w: %s has %d elements, not %d", ErrBatch, s.name, s.got, s.want)
		}
	}
	return nil
}

// clearStep zeroes rewards, ends and ignored flags.
func (b *Batch) clearStep() {
	clear(b.Rewards)
	clear(b.Terminated)
	clear(b.Truncated)
	clear(b.Ignored)
}

// ErrBatch is wrapped by the errors of [Vec], [SoloVec] and [ShardedVec] for a
// slice of the wrong length.
var ErrBatch = errors.New("env: slice of the wrong length")

// A Vec steps many games at once; the caller acts for every seat. Game i has a
// generator of its own, that of a [Match] reset with SeedAt(seed, FirstIndex+i), so
// its episodes do not depend on the other games. Step allocates nothing. A Vec is
// not safe for concurrent use, but several Vecs may be used at the same time.
type Vec struct {
	game    Game
	options VecOptions
	columns int
	clock   int64   // steps made
	begun   []int64 // by game, the clock when its episode began
	done    []int   // games without an episode under way
	idle    []int   // games with an episode under way that skip the current step
	engine  engine
	codec   *snapshotCodec // nil before the first snapshot is written or read
}

// NewVec returns o.Games games of g. They are done until Reset or ResetGames begins
// their first episodes; without Reset, their generators are those of seed 0. NewVec
// panics if an option is out of range or g is the zero Game.
func NewVec(g Game, o VecOptions) *Vec {
	if g == (Game{}) || !o.check() {
		panic(fmt.Sprintf("env: NewVec(%+v) of %+v", o, g))
	}
	v := &Vec{
		game: g, options: o, columns: g.NumColumns(),
		begun: make([]int64, o.Games), done: make([]int, 0, o.Games),
	}
	if o.IgnoreIllegal {
		v.idle = make([]int, 0, o.Games)
	}
	if packable(g, o.First) {
		v.engine = newPackedEngine(g, o)
	} else {
		v.engine = newMatchEngine(g, o)
	}
	v.seed(0)
	for i := range o.Games {
		v.markDone(i)
	}
	return v
}

// seed gives every game its own generator of the seed.
func (v *Vec) seed(seed uint64) {
	for i := range v.options.Games {
		v.engine.seed(i, SeedAt(seed, v.options.FirstIndex+uint64(i)))
	}
}

// NewBatch returns a batch of the right size for all games.
func (v *Vec) NewBatch() *Batch { return newBatch(&v.options, v.columns, v.game.Players()) }

func (v *Vec) check(b *Batch) error { return b.check(&v.options, v.columns, v.game.Players()) }

// Game returns the game that is played.
func (v *Vec) Game() Game { return v.game }

// Games returns the number of games.
func (v *Vec) Games() int { return v.options.Games }

// State returns the state of game i, in [0, Games).
func (v *Vec) State(i int) State { return v.engine.state(i) }

// Reset seeds the generators of all games, begins an episode in each and writes b.
// The error wraps [ErrBatch]; then nothing has changed.
func (v *Vec) Reset(seed uint64, b *Batch) error {
	if err := v.check(b); err != nil {
		return err
	}
	b.clearStep()
	v.done = v.done[:0]
	v.seed(seed)
	for i := range v.options.Games {
		v.begin(i, b)
	}
	return nil
}

// Seed gives every game i for which which[i] is true the generator of a [Match]
// reset with seeds[i]. Both slices have Games elements. The caller begins these
// games with ResetGames before the next step. The error wraps [ErrBatch]; then
// nothing has changed.
func (v *Vec) Seed(seeds []uint64, which []bool) error {
	if err := checkSeeds(seeds, which, v.options.Games); err != nil {
		return err
	}
	for i, fresh := range which {
		if fresh {
			v.engine.seed(i, seeds[i])
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

// ResetGames begins an episode in every game i for which which[i] is true, done or
// not, and writes those rows of b. It does not seed the generators. which has Games
// elements. The error wraps [ErrBatch]; then nothing has changed.
func (v *Vec) ResetGames(which []bool, b *Batch) error {
	if err := checkWhich(which, v.options.Games); err != nil {
		return err
	}
	if err := v.check(b); err != nil {
		return err
	}
	v.done = slices.DeleteFunc(v.done, func(i int) bool { return which[i] })
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

// begin begins an episode of game i and writes its rows of b.
func (v *Vec) begin(i int, b *Batch) {
	v.engine.begin(i)
	v.begun[i] = v.clock
	v.engine.show(i, b)
}

// markDone suspends game i, whose episode has ended.
func (v *Vec) markDone(i int) {
	v.engine.suspend(i)
	v.done = append(v.done, i)
}

// Step takes actions[i] in every game i and writes b. The error wraps [ErrBatch], or
// it is an [IllegalActionError] with the first game whose action is illegal; then no
// game and nothing in b has changed. Under IgnoreIllegal, only a value that is
// neither Hold nor Roll is such an error.
func (v *Vec) Step(actions []Action, b *Batch) error { return v.StepSome(actions, nil, b) }

// StepSome is Step for the games i for which which[i] is true; a nil which means all
// games. The others are idle and their actions are not read: they keep state and
// generator, the step does not count towards their limit, and their rows of b are
// those that Show writes.
func (v *Vec) StepSome(actions []Action, which []bool, b *Batch) error {
	if err := checkStep(actions, which, v.options.Games); err != nil {
		return err
	}
	if err := v.check(b); err != nil {
		return err
	}
	refused, ignores := v.checkActions(actions, which)
	if refused >= 0 {
		return refusal(refused, actions[refused], v.State(refused))
	}
	v.advance(actions, which, ignores, b)
	return nil
}

// checkActions returns the first game whose action makes the step an error, or -1,
// and whether some actions are illegal and ignored.
func (v *Vec) checkActions(actions []Action, which []bool) (refused int, ignores bool) {
	refused = v.refused(actions, which)
	if refused >= 0 && v.options.IgnoreIllegal {
		return firstNoAction(actions, which), true
	}
	return refused, false
}

// refusal returns the error of a step whose action a is illegal in game i, which is in
// state s.
func refusal(i int, a Action, s State) error {
	return &IllegalActionError{Game: i, Action: a, MustRoll: a == Hold && s.MustRoll}
}

// advance is StepSome once the lengths and the actions have been checked.
func (v *Vec) advance(actions []Action, which []bool, ignores bool, b *Batch) {
	someIdle := which != nil || ignores
	v.writeEvents(actions, which, b)
	b.clearStep()
	v.clock++
	numDone, inactive := len(v.done), v.done
	if someIdle {
		inactive = append(inactive, v.suspendIdle(actions, which, b)...)
	}
	for _, i := range v.engine.step(actions, inactive, b) {
		v.end(i, b)
	}
	if someIdle {
		for _, i := range v.idle {
			v.engine.resume(i)
			v.engine.show(i, b)
		}
	}
	if limit := int64(v.options.StepLimit); limit > 0 {
		v.truncate(limit, b)
	}
	if v.options.Autoreset == AutoresetNextStep {
		v.beginDone(numDone, which, func(i int) { v.begin(i, b) })
	}
}

// beginDone calls begin for the first n games that are done, of those that which
// selects, and no longer lists them as done.
func (v *Vec) beginDone(n int, which []bool, begin func(i int)) {
	kept := 0
	for _, i := range v.done[:n] {
		if which == nil || which[i] {
			begin(i)
		} else {
			v.done[kept] = i
			kept++
		}
	}
	v.done = append(v.done[:kept], v.done[n:]...)
}

// checkStep checks the lengths of a step's actions and of its mask, which may be nil.
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

// refused returns the first game whose action is illegal, of the games that which
// selects and that are not done; -1 if there is no such game.
func (v *Vec) refused(actions []Action, which []bool) int {
	if which == nil {
		return v.engine.refused(actions)
	}
	for i, a := range actions {
		if which[i] && (a >= NumActions || v.engine.live(i) && !v.game.Legal(v.engine.state(i)).Has(a)) {
			return i
		}
	}
	return -1
}

// firstNoAction returns the first game that which selects and whose action is neither
// Hold nor Roll, or -1.
func firstNoAction(actions []Action, which []bool) int {
	for i, a := range actions {
		if a >= NumActions && (which == nil || which[i]) {
			return i
		}
	}
	return -1
}

// suspendIdle suspends the games that are idle in a step: those that which does not
// select and, under IgnoreIllegal, those whose action is an illegal Hold. It sets
// v.idle to them and returns it.
func (v *Vec) suspendIdle(actions []Action, which []bool, b *Batch) []int {
	v.idle = v.idle[:0]
	for i, a := range actions {
		switch {
		case !v.engine.live(i):
		case which != nil && !which[i]:
			v.begun[i]++
			v.engine.suspend(i)
			v.idle = append(v.idle, i)
		case v.options.IgnoreIllegal && a == Hold && v.game.Legal(v.engine.state(i)) == RollOnly:
			v.engine.suspend(i)
			v.idle = append(v.idle, i)
			b.Ignored[i] = true
		}
	}
	return v.idle
}

// truncate ends the episodes that have reached limit steps.
func (v *Vec) truncate(limit int64, b *Batch) {
	for i, begun := range v.begun {
		if v.clock-begun == limit && !b.Terminated[i] && v.engine.live(i) {
			b.Truncated[i] = true
			v.end(i, b)
		}
	}
}

// end applies the autoreset mode to game i, whose episode has ended.
func (v *Vec) end(i int, b *Batch) {
	if v.options.Autoreset == AutoresetSameStep {
		v.engine.observe(i, b.Final[i*v.columns:(i+1)*v.columns])
		v.begin(i, b)
		return
	}
	v.markDone(i)
	v.engine.show(i, b)
}

// Clone returns an independent copy, generators included.
func (v *Vec) Clone() *Vec {
	c := *v
	c.begun = slices.Clone(v.begun)
	c.done = append(make([]int, 0, v.options.Games), v.done...)
	c.idle = make([]int, 0, cap(v.idle))
	c.engine = v.engine.clone()
	return &c
}
