package env

import (
	"fmt"
	"slices"
	"sync"
)

// MinShardGames is the least number of games in a shard of a [ShardedVec] that has
// several: stepping fewer takes less time than starting a goroutine saves.
const MinShardGames = 512

// A ShardedVec plays the games of a [Vec] or a [SoloVec] on several goroutines.
// It splits them into shards of consecutive games, each a Vec or SoloVec of its
// own. Its methods do what those of the Vec or SoloVec do, with the same batches,
// errors and snapshots, byte for byte, whatever the number of workers. Step
// allocates nothing. A ShardedVec is not safe for concurrent use.
type ShardedVec struct {
	game    Game
	options VecOptions
	rewards int // columns of Batch.Rewards
	shards  []shard
	running sync.WaitGroup
}

// A shard plays the games [from, to) of a ShardedVec.
type shard struct {
	vec      sharable
	from, to int

	// What the method of the ShardedVec that is under way works on:
	batch   Batch // the rows of the shard in the caller's batch
	actions []Action
	which   []bool
	ignores bool
	seed    uint64
	seeds   []uint64
	bytes   []byte
	restore func()

	// task is the function that run calls, and err what it returned. run is a
	// field because starting a goroutine with it then allocates nothing.
	task func(*shard) error
	err  error
	run  func()
}

// sharable is what a ShardedVec needs of a Vec or SoloVec.
type sharable interface {
	State(i int) State
	Reset(seed uint64, b *Batch) error
	Seed(seeds []uint64, which []bool) error
	ResetGames(which []bool, b *Batch) error
	Show(b *Batch) error
	MarshalBinary() ([]byte, error)
	ReadSnapshot(b []byte) (restore func(), err error)
	checkActions(actions []Action, which []bool) (refused int, ignores bool)
	advance(actions []Action, which []bool, ignores bool, b *Batch)
}

// NewShardedVec returns the games of [NewVec](g, o) in at most workers shards,
// each of which has [MinShardGames] or more where there are several. It panics if
// workers is less than 1, and where NewVec does.
func NewShardedVec(g Game, o VecOptions, workers int) *ShardedVec {
	v, err := newSharded(g, o, g.Players(), workers, MinShardGames, func(o VecOptions) (sharable, error) {
		return NewVec(g, o), nil
	})
	if err != nil {
		panic(err) // NewVec returns no error
	}
	return v
}

// NewShardedSoloVec is like [NewShardedVec] for the games of [NewSoloVec](g, o),
// whose error it returns. The opponents are asked from several goroutines at
// once, so they must be safe for concurrent use.
func NewShardedSoloVec(g Game, o SoloVecOptions, workers int) (*ShardedVec, error) {
	return newSharded(g, o.VecOptions, 1, workers, MinShardGames, func(part VecOptions) (sharable, error) {
		o := o
		o.VecOptions = part
		return NewSoloVec(g, o)
	})
}

// newSharded splits the games that o describes into shards of least games or
// more, made by newVec.
func newSharded(g Game, o VecOptions, rewards, workers, least int, newVec func(part VecOptions) (sharable, error)) (*ShardedVec, error) {
	if g == (Game{}) || !o.check() || workers < 1 {
		panic(fmt.Sprintf("env: %d workers for a ShardedVec(%+v) of %+v", workers, o, g))
	}
	n := max(1, min(workers, o.Games/least))
	v := &ShardedVec{game: g, options: o, rewards: rewards, shards: make([]shard, n)}
	for k := range v.shards {
		s := &v.shards[k]
		s.from, s.to = o.Games*k/n, o.Games*(k+1)/n
		s.run = func() {
			defer v.running.Done()
			s.err = s.task(s)
		}
		s.task = func(s *shard) (err error) {
			part := o
			part.Games, part.FirstIndex = s.to-s.from, o.FirstIndex+uint64(s.from)
			s.vec, err = newVec(part)
			return err
		}
	}
	return v, v.runTasks()
}

// each calls task for every shard and returns the error of the first shard that
// has one.
func (v *ShardedVec) each(task func(*shard) error) error {
	for k := range v.shards {
		v.shards[k].task = task
	}
	return v.runTasks()
}

// runTasks calls the task of every shard, that of the first on the calling
// goroutine, and returns the error of the first shard that has one.
func (v *ShardedVec) runTasks() error {
	v.running.Add(len(v.shards))
	for k := 1; k < len(v.shards); k++ {
		go v.shards[k].run()
	}
	v.shards[0].run()
	v.running.Wait()
	for k := range v.shards {
		if err := v.shards[k].err; err != nil {
			return err
		}
	}
	return nil
}

// Game returns the game that is played.
func (v *ShardedVec) Game() Game { return v.game }

// Games returns the number of games in all shards.
func (v *ShardedVec) Games() int { return v.options.Games }

// Shards returns the number of shards, in [1, workers].
func (v *ShardedVec) Shards() int { return len(v.shards) }

// State returns the state of game i, in [0, Games).
func (v *ShardedVec) State(i int) State {
	k := slices.IndexFunc(v.shards, func(s shard) bool { return i < s.to })
	return v.shards[k].vec.State(i - v.shards[k].from)
}

// Views writes how every game stands to two tables: the observation of each seat to
// views, N×n×c, and its share of the win, as of [Game.WinShare], to shares, N×n. The
// error wraps [ErrBatch].
func (v *ShardedVec) Views(views []int16, shares []float32) error {
	g, n, c := v.game, v.game.Players(), v.game.NumColumns()
	if len(shares) != v.options.Games*n || len(views) != len(shares)*c {
		return fmt.Errorf("%w: views and shares have %d and %d elements, not %d and %d", ErrBatch, len(views), len(shares), v.options.Games*n*c, v.options.Games*n)
	}
	return v.each(func(s *shard) error {
		for i := s.from; i < s.to; i++ {
			state := s.vec.State(i - s.from)
			for seat := range n {
				row := i*n + seat
				g.observe(views[row*c:(row+1)*c], &state, seat)
				shares[row] = 0
				if state.Over {
					shares[row] = float32(g.WinShare(state, seat))
				}
			}
		}
		return nil
	})
}

// NewBatch returns a batch of the right size for all games.
func (v *ShardedVec) NewBatch() *Batch { return newBatch(&v.options, v.game.NumColumns(), v.rewards) }

// distribute gives every shard its rows of b. The error wraps [ErrBatch].
func (v *ShardedVec) distribute(b *Batch) error {
	if err := b.check(&v.options, v.game.NumColumns(), v.rewards); err != nil {
		return err
	}
	columns := v.game.NumColumns()
	for k := range v.shards {
		s := &v.shards[k]
		s.batch = Batch{
			Observations: s.rows(b.Observations, columns),
			Rewards:      b.Rewards[s.from*v.rewards : s.to*v.rewards],
			Terminated:   b.Terminated[s.from:s.to],
			Truncated:    b.Truncated[s.from:s.to],
			Legal:        b.Legal[s.from*NumActions : s.to*NumActions],
			Seats:        b.Seats[s.from:s.to],
		}
		if v.options.Autoreset == AutoresetSameStep {
			s.batch.Final = s.rows(b.Final, columns)
		}
		if v.options.IgnoreIllegal {
			s.batch.Ignored = b.Ignored[s.from:s.to]
		}
		if b.Events != nil {
			s.batch.Events = b.Events[s.from:s.to]
		}
	}
	return nil
}

// rows returns the shard's rows of a table with the given number of columns.
func (s *shard) rows(all []int16, columns int) []int16 { return all[s.from*columns : s.to*columns] }

// Reset is like [Vec.Reset].
func (v *ShardedVec) Reset(seed uint64, b *Batch) error {
	if err := v.distribute(b); err != nil {
		return err
	}
	for k := range v.shards {
		v.shards[k].seed = seed
	}
	return v.each(func(s *shard) error { return s.vec.Reset(s.seed, &s.batch) })
}

// Seed is like [Vec.Seed].
func (v *ShardedVec) Seed(seeds []uint64, which []bool) error {
	if err := checkSeeds(seeds, which, v.options.Games); err != nil {
		return err
	}
	for k := range v.shards {
		s := &v.shards[k]
		s.seeds, s.which = seeds[s.from:s.to], which[s.from:s.to]
	}
	return v.each(func(s *shard) error { return s.vec.Seed(s.seeds, s.which) })
}

// ResetGames is like [Vec.ResetGames].
func (v *ShardedVec) ResetGames(which []bool, b *Batch) error {
	if err := checkWhich(which, v.options.Games); err != nil {
		return err
	}
	if err := v.distribute(b); err != nil {
		return err
	}
	for k := range v.shards {
		s := &v.shards[k]
		s.which = which[s.from:s.to]
	}
	return v.each(func(s *shard) error { return s.vec.ResetGames(s.which, &s.batch) })
}

// Step is like [Vec.Step]: an action that is refused in one shard leaves the
// games of all shards as they are.
func (v *ShardedVec) Step(actions []Action, b *Batch) error { return v.StepSome(actions, nil, b) }

// StepSome is like [Vec.StepSome].
func (v *ShardedVec) StepSome(actions []Action, which []bool, b *Batch) error {
	if err := checkStep(actions, which, v.options.Games); err != nil {
		return err
	}
	if err := v.distribute(b); err != nil {
		return err
	}
	for k := range v.shards {
		s := &v.shards[k]
		s.actions, s.which = actions[s.from:s.to], nil
		if which != nil {
			s.which = which[s.from:s.to]
		}
		var refused int
		if refused, s.ignores = s.vec.checkActions(s.actions, s.which); refused >= 0 {
			return refusal(s.from+refused, s.actions[refused], s.vec.State(refused))
		}
	}
	return v.each(func(s *shard) error {
		s.vec.advance(s.actions, s.which, s.ignores, &s.batch)
		return nil
	})
}

// Show is like [Vec.Show].
func (v *ShardedVec) Show(b *Batch) error {
	if err := v.distribute(b); err != nil {
		return err
	}
	return v.each(func(s *shard) error { return s.vec.Show(&s.batch) })
}

// MarshalBinary returns what the MarshalBinary of a single [Vec] or [SoloVec]
// with all the games returns. It never fails.
func (v *ShardedVec) MarshalBinary() ([]byte, error) {
	err := v.each(func(s *shard) (err error) {
		s.bytes, err = s.vec.MarshalBinary()
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []byte
	for k := range v.shards {
		all = append(all, v.shards[k].bytes...)
		v.shards[k].bytes = nil
	}
	return all, nil
}

// UnmarshalBinary makes every game what it was when MarshalBinary was called on
// a ShardedVec with any number of shards, or on a [Vec] or [SoloVec], of the same
// game, number of games and options. After an error, which wraps [ErrSnapshot],
// no game of any shard has changed.
func (v *ShardedVec) UnmarshalBinary(b []byte) error { return restoreNow(v.ReadSnapshot(b)) }

// ReadSnapshot is like [Vec.ReadSnapshot].
func (v *ShardedVec) ReadSnapshot(b []byte) (restore func(), err error) {
	n := v.options.Games
	if len(b)%n != 0 {
		return nil, fmt.Errorf("%w: %d bytes are not the same number for each of %d games", ErrSnapshot, len(b), n)
	}
	size := len(b) / n
	for k := range v.shards {
		s := &v.shards[k]
		s.bytes = b[s.from*size : s.to*size]
	}
	err = v.each(func(s *shard) (err error) {
		s.restore, err = s.vec.ReadSnapshot(s.bytes)
		s.bytes = nil
		return err
	})
	restores := make([]func(), len(v.shards))
	for k := range v.shards {
		restores[k], v.shards[k].restore = v.shards[k].restore, nil
	}
	if err != nil {
		return nil, err
	}
	return func() {
		for _, restore := range restores {
			restore()
		}
	}, nil
}
