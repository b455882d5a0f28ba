package env

import (
	"encoding/binary"
	"fmt"
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
	game    Game
	options SoloVecOptions
	columns int
	solos   []Solo
}

// NewSoloVec returns o.Games games of g. They are done until Reset or ResetGames
// begins their first episodes; without Reset, their generators are those of seed 0.
// The errors are those of [NewSolo], and Seat together with Rotate. NewSoloVec panics
// where [NewVec] does.
func NewSoloVec(g Game, o SoloVecOptions) (*SoloVec, error) {
	if g == (Game{}) || !o.check() {
		panic(fmt.Sprintf("env: NewSoloVec(%+v) of %+v", o.VecOptions, g))
	}
	if o.Rotate && o.Seat != 0 {
		return nil, fmt.Errorf("env: seat %d is asked for and all in rotation", o.Seat)
	}
	v := &SoloVec{game: g, options: o, columns: g.NumColumns(), solos: make([]Solo, o.Games)}
	var seatings [MaxPlayers]*seating // by the learner's seat
	match := *NewMatch(g, MatchOptions{First: o.First})
	for i := range v.solos {
		seat := o.Seat
		if o.Rotate {
			seat = int((o.FirstIndex + uint64(i)) % uint64(g.Players()))
		}
		if seat < 0 || seat >= g.Players() || seatings[seat] == nil {
			players, err := seatOpponents(g, seat, o.Opponents)
			if err != nil {
				return nil, err
			}
			seatings[seat] = players
		}
		v.solos[i] = Solo{match: match, players: seatings[seat], seat: seat, stepLimit: o.StepLimit}
		v.seed(i, v.seedAt(0, i))
	}
	return v, nil
}

// seed gives game i the generator of a seed.
func (v *SoloVec) seed(i int, seed uint64) { v.solos[i].match.rand = NewRand(seed) }

// seedAt returns the seed of game i among all that share one.
func (v *SoloVec) seedAt(seed uint64, i int) uint64 {
	return SeedAt(seed, v.options.FirstIndex+uint64(i))
}

// NewBatch returns a batch of the right size.
func (v *SoloVec) NewBatch() *Batch { return newBatch(&v.options.VecOptions, v.columns, 1) }

func (v *SoloVec) check(b *Batch) error { return b.check(&v.options.VecOptions, v.columns, 1) }

// Game returns the game that is played.
func (v *SoloVec) Game() Game { return v.game }

// Games returns the number of games.
func (v *SoloVec) Games() int { return v.options.Games }

// State returns the state of game i, in [0, Games).
func (v *SoloVec) State(i int) State { return v.solos[i].match.state }

// Reset is like [Vec.Reset].
func (v *SoloVec) Reset(seed uint64, b *Batch) error {
	if err := v.check(b); err != nil {
		return err
	}
	b.clearStep()
	for i := range v.solos {
		v.seed(i, v.seedAt(seed, i))
		v.begin(i, b)
	}
	return nil
}

// Seed is like [Vec.Seed].
func (v *SoloVec) Seed(seeds []uint64, which []bool) error {
	if err := checkSeeds(seeds, which, v.options.Games); err != nil {
		return err
	}
	for i, fresh := range which {
		if fresh {
			v.seed(i, seeds[i])
		}
	}
	return nil
}

// ResetGames is like [Vec.ResetGames].
func (v *SoloVec) ResetGames(which []bool, b *Batch) error {
	if err := checkWhich(which, v.options.Games); err != nil {
		return err
	}
	if err := v.check(b); err != nil {
		return err
	}
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

func (v *SoloVec) begin(i int, b *Batch) {
	s := &v.solos[i]
	s.match.ResetNext()
	s.begin()
	v.show(i, b)
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
	if refused, _ := v.checkActions(actions, which); refused >= 0 {
		return refusal(refused, actions[refused])
	}
	v.advance(actions, which, false, b)
	return nil
}

// checkActions is like that of a [Vec], but leaves it to advance to find the
// actions to ignore: the second result is always false.
func (v *SoloVec) checkActions(actions []Action, which []bool) (refused int, ignores bool) {
	for i, a := range actions {
		if which != nil && !which[i] {
			continue
		}
		if a >= NumActions || a == Hold && !v.options.IgnoreIllegal && v.solos[i].live && v.solos[i].rollOnly() {
			return i, false
		}
	}
	return -1, false
}

// advance is StepSome once the lengths and the actions have been checked.
func (v *SoloVec) advance(actions []Action, which []bool, _ bool, b *Batch) {
	v.writeEvents(actions, which, b)
	b.clearStep()
	for i, a := range actions {
		if which == nil || which[i] {
			v.step(i, a, b)
		}
	}
}

// step takes an action in game i.
func (v *SoloVec) step(i int, a Action, b *Batch) {
	s := &v.solos[i]
	if !s.live {
		if v.options.Autoreset == AutoresetNextStep {
			v.begin(i, b)
		} else {
			v.show(i, b)
		}
		return
	}
	if a == Hold && v.options.IgnoreIllegal && s.rollOnly() {
		b.Ignored[i] = true
		b.Truncated[i] = s.count(false)
	} else {
		reward, terminated, truncated, err := s.step(a)
		if err != nil {
			panic(err) // every action has been checked
		}
		b.Rewards[i], b.Terminated[i], b.Truncated[i] = float32(reward), terminated, truncated
	}
	if !s.live && v.options.Autoreset == AutoresetSameStep {
		v.observe(i, b.Final)
		v.begin(i, b)
		return
	}
	v.show(i, b)
}

// observe writes row i of observations.
func (v *SoloVec) observe(i int, observations []int16) {
	s := &v.solos[i]
	v.game.observe(observations[i*v.columns:(i+1)*v.columns], &s.match.state, s.seat)
}

// show writes observation, legal actions and seat of game i to its rows of b.
func (v *SoloVec) show(i int, b *Batch) {
	s := &v.solos[i]
	v.observe(i, b.Observations)
	b.Legal[NumActions*i], b.Legal[NumActions*i+1] = s.live && !s.rollOnly(), s.live
	b.Seats[i] = int8(s.seat)
}

// Show is like [Vec.Show].
func (v *SoloVec) Show(b *Batch) error {
	if err := v.check(b); err != nil {
		return err
	}
	b.clearStep()
	for i := range v.solos {
		v.show(i, b)
	}
	return nil
}

// soloExtra is the number of bytes that a Solo adds to the snapshot of its
// match: its steps, and 1 if an episode is under way, else 0.
const soloExtra = 9

// MarshalBinary returns a snapshot of all games, generators included: for each, the
// snapshot of its match, the learner's steps and whether an episode is under way. It
// never fails.
func (v *SoloVec) MarshalBinary() ([]byte, error) {
	c := newSnapshotCodec(v.game)
	b := make([]byte, 0, len(v.solos)*(snapshotSize+soloExtra))
	for i := range v.solos {
		s := &v.solos[i]
		b = c.encode(b, &s.match)
		b = binary.LittleEndian.AppendUint64(b, uint64(s.steps))
		b = append(b, byte(bit(s.live)))
	}
	return b, nil
}

// UnmarshalBinary restores all games from a snapshot that [SoloVec.MarshalBinary]
// returned for a SoloVec of the same game, number of games and options. The error
// wraps [ErrSnapshot]; then nothing has changed.
func (v *SoloVec) UnmarshalBinary(b []byte) error { return restoreNow(v.ReadSnapshot(b)) }

// ReadSnapshot is like [Vec.ReadSnapshot].
func (v *SoloVec) ReadSnapshot(b []byte) (restore func(), err error) {
	c := newSnapshotCodec(v.game)
	solos := make([]Solo, len(v.solos))
	_, err = c.decodeAll(b, &v.options.VecOptions, 0, soloExtra, func(i int, m *Match, extra []byte) error {
		steps := int64(binary.LittleEndian.Uint64(extra))
		s := v.solos[i]
		s.match, s.steps, s.live = *m, int(steps), extra[8] == 1
		solos[i] = s
		switch {
		case extra[8] > 1:
			return fmt.Errorf("%w: not as MarshalBinary writes it", ErrSnapshot)
		case steps < 0 || steps > maxSnapshotSteps:
			return badSteps(steps)
		case s.stepLimit > 0 && (s.steps > s.stepLimit || s.live && s.steps == s.stepLimit):
			return fmt.Errorf("%w: a counter is out of range", ErrSnapshot)
		case s.live && m.live && int(m.state.Seat) != s.seat:
			return fmt.Errorf("%w: it is not the turn of seat %d", ErrSnapshot, s.seat)
		case s.live && !m.live && !m.state.Over:
			return fmt.Errorf("%w: an episode under way that has ended", ErrSnapshot)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func() { copy(v.solos, solos) }, nil
}
