package env

import "slices"

// An engine plays the games of a [Vec]. A game is active while an episode of it is
// under way. Callers pass indices in range.
type engine interface {
	// seed gives game i, which is not active or is about to begin, the generator of
	// a seed.
	seed(i int, seed uint64)
	// begin begins an episode of game i, active or not, without seeding.
	begin(i int)
	// suspend makes game i inactive. It keeps the state and the generator.
	suspend(i int)
	// resume makes game i active again, in the state that suspend kept.
	resume(i int)
	// live reports whether game i is active.
	live(i int) bool
	// refused returns the first active game whose action is not legal, or the first
	// game whose action is neither Hold nor Roll, whichever comes first; -1 if there
	// is no such game.
	refused(actions []Action) int
	// step takes the actions in all active games, sets Rewards and Terminated where
	// they are not 0 and false, writes the rows of all games that have not ended, and
	// returns those that have, which the caller then suspends or begins. inactive
	// lists the games that are not active. The result is valid until the next call.
	step(actions []Action, inactive []int, b *Batch) []int
	// playOthers lets the other players play in some games, which are active and at the
	// beginning of a turn, until it is the learner's turn or the game is over. It
	// writes the rows of the games that go on. The others remain in the slice that
	// it returns, which is a part of games; the caller then suspends or begins them.
	playOthers(games []int, o *others, b *Batch) (over []int)
	// show writes observation, legal actions and seat of game i to its rows of b.
	show(i int, b *Batch)
	// observe writes to row the observation of game i by the seat to move or, if the
	// game is over, the seat that moved last. row has a value for each column.
	observe(i int, row []int16)
	// state returns the state of game i.
	state(i int) State
	// dice returns a copy of the generator of game i.
	dice(i int) Rand
	// put makes game i inactive, with the given state and generator.
	put(i int, s State, r Rand)
	// clone returns an independent copy.
	clone() engine
}

// A matchEngine plays any game with a [Match] each. It is the plain reference for
// [packedEngine].
type matchEngine struct {
	list     []Match
	columns  int
	finished []int
}

func newMatchEngine(g Game, o VecOptions) *matchEngine {
	m := &matchEngine{list: make([]Match, o.Games), columns: g.NumColumns(), finished: make([]int, 0, o.Games)}
	for i := range m.list {
		m.list[i] = *NewMatch(g, MatchOptions{First: o.First})
	}
	return m
}

func (m *matchEngine) seed(i int, seed uint64) { m.list[i].rand = NewRand(seed) }
func (m *matchEngine) begin(i int)             { m.list[i].ResetNext() }
func (m *matchEngine) suspend(i int)           { m.list[i].live = false }
func (m *matchEngine) resume(i int)            { m.list[i].live = true }
func (m *matchEngine) live(i int) bool         { return m.list[i].live }
func (m *matchEngine) state(i int) State       { return m.list[i].state }
func (m *matchEngine) dice(i int) Rand         { return m.list[i].rand }

func (m *matchEngine) put(i int, s State, r Rand) {
	t := &m.list[i]
	t.state, t.rand, t.live, t.last = s, r, false, Event{}
}

func (m *matchEngine) clone() engine {
	return &matchEngine{list: slices.Clone(m.list), columns: m.columns, finished: make([]int, 0, len(m.list))}
}

func (m *matchEngine) refused(actions []Action) int {
	for i := range m.list {
		if actions[i] >= NumActions || m.list[i].live && !m.list[i].Legal().Has(actions[i]) {
			return i
		}
	}
	return -1
}

func (m *matchEngine) step(actions []Action, _ []int, b *Batch) []int {
	m.finished = m.finished[:0]
	for i := range m.list {
		t := &m.list[i]
		if t.live {
			if b.Terminated[i], _, _ = t.Step(actions[i]); b.Terminated[i] {
				m.finished = append(m.finished, i)
			}
			if n := t.game.Players(); b.Terminated[i] || n == 1 {
				for seat := range n {
					b.Rewards[i*n+seat] = float32(t.Reward(seat))
				}
			}
		}
		m.show(i, b)
	}
	return m.finished
}

func (m *matchEngine) playOthers(games []int, o *others, b *Batch) (over []int) {
	over = games[:0]
	for _, i := range games {
		t := &m.list[i]
		if o.play(i, &t.game, &t.state, &t.rand); t.state.Over {
			over = append(over, i)
		} else {
			m.show(i, b)
		}
	}
	return over
}

func (m *matchEngine) observe(i int, row []int16) { m.list[i].Observe(row[:0]) }

func (m *matchEngine) show(i int, b *Batch) {
	t := &m.list[i]
	m.observe(i, b.Observations[i*m.columns:(i+1)*m.columns])
	legal := t.Legal()
	b.Legal[NumActions*i], b.Legal[NumActions*i+1] = legal.Has(Hold), legal.Has(Roll)
	b.Seats[i] = t.state.Seat
}
