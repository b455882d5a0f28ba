package env

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// SoloVecOptions configure a [SoloVec].
type SoloVecOptions struct {
	// VecOptions are as for a [Vec]; StepLimit counts the learner's steps.
	VecOptions
	// Seat is the learner's in every game, in [0, players).
	Seat int
	// Rotate gives the learner seat (FirstIndex+i) mod players in game i. Seat must
	// then be 0.
	Rotate bool
	// Opponents play the other seats; see [SoloOptions]. A SoloVec calls them on the
	// goroutine that calls Step or a reset.
	Opponents []Player
}

// A SoloVec steps many games at once. In each, a learner acts for one seat and
// players act for the others. Game i is that of a [Solo] reset with
// SeedAt(seed, FirstIndex+i). Step allocates nothing. A SoloVec is not safe for
// concurrent use; several may be used at the same time if their opponents are safe
// for concurrent use.
type SoloVec struct {
	vec      Vec // the games; its engine takes the learner's actions
	options  SoloVecOptions
	others   others
	inactive []int     // room for the games that a step's engine leaves out
	turns    []int     // room for those in which others are to move
	one      [1]int    // room for a single one
	all      Batch     // of a step, with the rewards of all seats
	rewards  []float32 // room for them
	lost     []bool    // by game; see setLost
	numLost  int       // how many are true
}

// NewSoloVec returns o.Games games of g. They are done until Reset or ResetGames
// begins their first episodes; without Reset, their generators are those of seed 0.
// The errors are those of [NewSolo], and Seat together with Rotate. NewSoloVec panics
// where [NewVec] does.
func NewSoloVec(g Game, o SoloVecOptions) (*SoloVec, error) {
	if o.Rotate && o.Seat != 0 {
		return nil, fmt.Errorf("env: seat %d is asked for and all in rotation", o.Seat)
	}
	v := &SoloVec{
		vec: *NewVec(g, o.VecOptions), options: o, others: others{learners: make([]int8, o.Games)},
		inactive: make([]int, 0, o.Games), turns: make([]int, o.Games),
		rewards: make([]float32, o.Games*g.Players()), lost: make([]bool, o.Games),
	}
	for i := range v.others.learners {
		seat := o.Seat
		if o.Rotate {
			seat = int((o.FirstIndex + uint64(i)) % uint64(g.Players()))
		}
		if seat < 0 || seat >= g.Players() || v.others.seatings[seat] == nil {
			players, err := seatOpponents(g, seat, o.Opponents)
			if err != nil {
				return nil, err
			}
			v.others.seatings[seat] = players
		}
		v.others.learners[i] = int8(seat)
	}
	return v, nil
}

// NewBatch returns a batch of the right size.
func (v *SoloVec) NewBatch() *Batch { return newBatch(&v.options.VecOptions, v.vec.columns, 1) }

func (v *SoloVec) check(b *Batch) error { return b.check(&v.options.VecOptions, v.vec.columns, 1) }

// Game returns the game that is played.
func (v *SoloVec) Game() Game { return v.vec.game }

// Games returns the number of games.
func (v *SoloVec) Games() int { return v.options.Games }

// State returns the state of game i, in [0, Games).
func (v *SoloVec) State(i int) State { return v.vec.State(i) }

// Reset is like [Vec.Reset].
func (v *SoloVec) Reset(seed uint64, b *Batch) error {
	if err := v.check(b); err != nil {
		return err
	}
	b.clearStep()
	v.vec.done = v.vec.done[:0]
	v.vec.seed(seed)
	for i := range v.options.Games {
		v.begin(i, b)
	}
	return nil
}

// Seed is like [Vec.Seed].
func (v *SoloVec) Seed(seeds []uint64, which []bool) error { return v.vec.Seed(seeds, which) }

// ResetGames is like [Vec.ResetGames].
func (v *SoloVec) ResetGames(which []bool, b *Batch) error {
	if err := checkWhich(which, v.options.Games); err != nil {
		return err
	}
	if err := v.check(b); err != nil {
		return err
	}
	v.vec.done = slices.DeleteFunc(v.vec.done, func(i int) bool { return which[i] })
	for i, begin := range which {
		if begin {
			v.begin(i, b)
			b.Rewards[i], b.Terminated[i], b.Truncated[i] = 0, false, false
			if v.options.IgnoreIllegal {
				b.Ignored[i] = false
			}
		}
	}
	return nil
}

// begin begins an episode of game i, lets the others play until it is the learner's
// turn, and writes the rows of b.
func (v *SoloVec) begin(i int, b *Batch) {
	v.vec.engine.begin(i)
	v.vec.begun[i] = v.vec.clock
	v.one[0] = i
	over := v.vec.engine.playOthers(v.one[:], &v.others, b)
	v.setLost(i, len(over) > 0)
	if v.lost[i] {
		v.show(i, b)
	}
}

// setLost says whether the others have ended game i before the learner's first turn.
// The engine does not step such a game; its episode ends with the learner's first
// step.
func (v *SoloVec) setLost(i int, lost bool) {
	if lost {
		v.vec.engine.suspend(i)
	}
	v.numLost += int(bit(lost)) - int(bit(v.lost[i]))
	v.lost[i] = lost
}

// Step takes actions[i] for the learner of every game i, lets the other players act
// until it is the learner's turn again, and writes b. Its errors are those of
// [Vec.Step].
func (v *SoloVec) Step(actions []Action, b *Batch) error { return v.StepSome(actions, nil, b) }

// StepSome is like [Vec.StepSome].
func (v *SoloVec) StepSome(actions []Action, which []bool, b *Batch) error {
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

// checkActions is like [Vec.checkActions].
func (v *SoloVec) checkActions(actions []Action, which []bool) (refused int, ignores bool) {
	refused, ignores = v.vec.checkActions(actions, which)
	if v.numLost == 0 || v.options.IgnoreIllegal {
		return refused, ignores
	}
	for i, lost := range v.lost {
		if i == refused {
			break
		}
		if lost && actions[i] == Hold && (which == nil || which[i]) {
			return i, false
		}
	}
	return refused, false
}

// advance is StepSome once the lengths and the actions have been checked.
func (v *SoloVec) advance(actions []Action, which []bool, ignores bool, b *Batch) {
	v.vec.writeEvents(actions, which, b)
	b.clearStep()
	v.vec.clock++
	numDone := len(v.vec.done)
	v.inactive = append(v.inactive[:0], v.vec.done...)
	if which != nil || ignores {
		v.inactive = append(v.inactive, v.vec.suspendIdle(actions, which, b)...)
	}
	numOthers := len(v.inactive)
	for i := 0; len(v.inactive) < numOthers+v.numLost; i++ {
		if v.lost[i] {
			v.inactive = append(v.inactive, i)
		}
	}
	v.stepLearners(actions, b)
	for _, i := range v.inactive[numDone:numOthers] {
		v.vec.engine.resume(i)
	}
	for _, i := range v.inactive {
		v.show(i, b)
	}
	for _, i := range v.inactive[numOthers:] {
		v.stepLost(i, actions[i], which == nil || which[i], b)
	}
	for _, i := range v.vec.engine.playOthers(v.othersToMove(b), &v.others, b) {
		v.terminate(i, b)
	}
	if limit := int64(v.options.StepLimit); limit > 0 {
		v.truncate(limit, b)
	}
	if v.options.Autoreset == AutoresetNextStep {
		v.vec.beginDone(numDone, which, func(i int) { v.begin(i, b) })
	}
}

// stepLearners takes the learners' actions in all active games.
func (v *SoloVec) stepLearners(actions []Action, b *Batch) {
	n := v.vec.game.Players()
	v.all = *b
	if n > 1 {
		v.all.Rewards = v.rewards
	}
	for _, i := range v.vec.engine.step(actions, v.inactive, &v.all) {
		if n > 1 {
			b.Rewards[i] = v.rewards[i*n+int(v.others.learners[i])]
		}
		v.end(i, b)
	}
}

// othersToMove returns the games whose learner has ended its turn, which are those that
// show another seat. It has no branch that depends on that.
func (v *SoloVec) othersToMove(b *Batch) []int {
	n, turns := 0, v.turns
	for i, seat := range v.others.learners {
		turns[n] = i
		n += int(bit(b.Seats[i] != seat))
	}
	return turns[:n]
}

// stepLost takes action a in game i, which the others have ended before the learner's
// turn, if the step selects the game.
func (v *SoloVec) stepLost(i int, a Action, selected bool, b *Batch) {
	switch {
	case !selected:
		v.vec.begun[i]++
	case a == Hold: // and so IgnoreIllegal
		b.Ignored[i] = true
	default:
		v.setLost(i, false)
		v.terminate(i, b)
	}
}

// terminate ends the episode of game i, which the others have ended.
func (v *SoloVec) terminate(i int, b *Batch) {
	b.Rewards[i] = float32(v.vec.game.Return(v.State(i), int(v.others.learners[i])))
	b.Terminated[i] = true
	v.end(i, b)
}

// truncate ends the episodes that have reached limit steps.
func (v *SoloVec) truncate(limit int64, b *Batch) {
	for i, begun := range v.vec.begun {
		if v.vec.clock-begun == limit && !b.Terminated[i] && (v.lost[i] || v.vec.engine.live(i)) {
			b.Truncated[i] = true
			v.setLost(i, false)
			v.end(i, b)
		}
	}
}

// end applies the autoreset mode to game i, whose episode has ended.
func (v *SoloVec) end(i int, b *Batch) {
	if v.options.Autoreset == AutoresetSameStep {
		v.observe(i, b.Final)
		v.begin(i, b)
		return
	}
	v.vec.markDone(i)
	v.show(i, b)
}

// observe writes row i of observations.
func (v *SoloVec) observe(i int, observations []int16) {
	s, columns := v.State(i), v.vec.columns
	v.vec.game.observe(observations[i*columns:(i+1)*columns], &s, int(v.others.learners[i]))
}

// show writes observation, legal actions and seat of game i to its rows of b.
func (v *SoloVec) show(i int, b *Batch) {
	v.vec.engine.show(i, b)
	if seat := v.others.learners[i]; b.Seats[i] != seat { // the game is over
		b.Seats[i] = seat
		v.observe(i, b.Observations)
	}
	if v.lost[i] {
		b.Legal[NumActions*i+int(Roll)] = true
	}
}

// Show is like [Vec.Show].
func (v *SoloVec) Show(b *Batch) error {
	if err := v.check(b); err != nil {
		return err
	}
	b.clearStep()
	for i := range v.options.Games {
		v.show(i, b)
	}
	return nil
}

// soloExtra is the number of bytes that a Solo adds to the snapshot of its
// match: its steps, and 1 if an episode is under way, else 0.
const soloExtra = 9

// MarshalBinary returns a snapshot of all games, generators included: for each, the
// snapshot of its match with 0 steps, which are not counted, the learner's steps and
// whether an episode is under way. It never fails.
func (v *SoloVec) MarshalBinary() ([]byte, error) {
	c := v.vec.snapshotCodec()
	b := make([]byte, 0, v.options.Games*(snapshotSize+soloExtra))
	for i := range v.options.Games {
		m := Match{
			options: MatchOptions{First: v.options.First},
			rand:    v.vec.engine.dice(i), state: v.State(i), live: v.vec.engine.live(i),
		}
		steps, live := int64(0), m.live || v.lost[i]
		if live {
			steps = v.vec.clock - v.vec.begun[i]
		}
		b = c.encode(b, &m)
		b = binary.LittleEndian.AppendUint64(b, uint64(steps))
		b = append(b, byte(bit(live)))
	}
	return b, nil
}

// SplitSoloSnapshot splits a snapshot that [SoloVec.MarshalBinary] returned into the
// snapshot that a [Vec] without step limit reads, and for each game the learner's steps
// and whether its episode is under way. So games against players can go on with every
// seat a caller's. The error wraps [ErrSnapshot].
func SplitSoloSnapshot(b []byte) (matches []byte, steps []int64, live []bool, err error) {
	size := snapshotSize + soloExtra
	if len(b)%size != 0 {
		return nil, nil, nil, fmt.Errorf("%w: %d bytes, not a multiple of %d", ErrSnapshot, len(b), size)
	}
	for one := range slices.Chunk(b, size) {
		extra := one[snapshotSize:]
		matches = append(matches, one[:snapshotSize]...)
		steps = append(steps, int64(binary.LittleEndian.Uint64(extra)))
		live = append(live, extra[8] == 1)
	}
	return matches, steps, live, nil
}

// UnmarshalBinary restores all games from a snapshot that [SoloVec.MarshalBinary]
// returned for a SoloVec of the same game, number of games and options. The error
// wraps [ErrSnapshot]; then nothing has changed.
func (v *SoloVec) UnmarshalBinary(b []byte) error { return restoreNow(v.ReadSnapshot(b)) }

// ReadSnapshot is like [Vec.ReadSnapshot].
func (v *SoloVec) ReadSnapshot(b []byte) (restore func(), err error) {
	type episode struct {
		steps int64
		live  bool
	}
	episodes := make([]episode, v.options.Games)
	c := v.vec.snapshotCodec()
	matches, err := c.decodeAll(b, &v.options.VecOptions, 0, soloExtra, func(i int, m *Match, extra []byte) error {
		steps, live, limit := int64(binary.LittleEndian.Uint64(extra)), extra[8] == 1, int64(v.options.StepLimit)
		episodes[i] = episode{steps, live}
		switch {
		case extra[8] > 1:
			return fmt.Errorf("%w: not as MarshalBinary writes it", ErrSnapshot)
		case steps < 0 || steps > maxSnapshotSteps:
			return badSteps(steps)
		case limit > 0 && (steps > limit || live && steps == limit):
			return fmt.Errorf("%w: a counter is out of range", ErrSnapshot)
		case live && m.live && m.state.Seat != v.others.learners[i]:
			return fmt.Errorf("%w: it is not the turn of seat %d", ErrSnapshot, v.others.learners[i])
		case live && !m.live && !m.state.Over:
			return fmt.Errorf("%w: an episode under way that has ended", ErrSnapshot)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func() {
		v.vec.done = v.vec.done[:0]
		for i := range matches {
			m, e := &matches[i], episodes[i]
			v.vec.engine.put(i, m.state, m.rand)
			v.vec.begun[i] = v.vec.clock - e.steps
			v.setLost(i, e.live && !m.live)
			switch {
			case !e.live:
				v.vec.done = append(v.vec.done, i)
			case m.live:
				v.vec.engine.resume(i)
			}
		}
	}, nil
}
