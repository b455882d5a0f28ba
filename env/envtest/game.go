package envtest

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"testing"

	"pigpen/env"
)

const (
	// maxStates is how many states TestGame visits breadth-first from the
	// start: every one of a small game.
	maxStates = 3000
	// walkSteps is the least number of random steps it takes, walkLimit the
	// number within which one of its games must have ended.
	walkSteps, walkLimit = 3000, 300_000
)

// TestGame checks that g keeps the contract of [env.Game] and [env.Variant]:
// its chance outcomes, its transitions, its end, its observations, its
// fingerprint, and that the dice of an [env.Match] follow it.
func TestGame(t *testing.T, g env.Game) {
	t.Run("fingerprint", func(t *testing.T) { testFingerprint(t, g) })
	t.Run("faces", func(t *testing.T) { testFaces(t, g) })
	t.Run("reachable states", func(t *testing.T) { testReachable(t, g) })
	t.Run("random walks", func(t *testing.T) { testWalks(t, g) })
	t.Run("sampler", func(t *testing.T) { testSampler(t, g) })
}

// testFingerprint checks that the configuration makes the same game again and
// that each change of it makes one with another fingerprint.
func testFingerprint(t *testing.T, g env.Game) {
	print := g.Fingerprint()
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(print) {
		t.Errorf("Fingerprint() = %q, want 16 hexadecimal digits", print)
	}
	if again, err := env.New(g.Config(), g.Variant()); err != nil || again != g || again.Fingerprint() != print {
		t.Errorf("New(%+v) = %v, %v, want %v", g.Config(), again, err, g)
	}
	v := g.Variant()
	var changes []env.Config
	for players := v.MinPlayers; players <= v.MaxPlayers; players++ {
		c := g.Config()
		c.Players = players
		changes = append(changes, c)
	}
	for _, target := range []int{v.Target.Min, g.Target() - 1, g.Target() + 1, v.Target.Max} {
		if target >= v.Target.Min && target <= v.Target.Max {
			c := g.Config()
			c.Target = target
			changes = append(changes, c)
		}
	}
	for _, o := range v.Options {
		c := g.Config()
		c.Options[o.Name] = !c.Options[o.Name]
		changes = append(changes, c)
	}
	for _, c := range changes {
		other := env.Must(env.New(c, g.Variant()))
		if other != g && other.Fingerprint() == print {
			t.Errorf("Fingerprint() of %v = %s, the same as of %v", other, print, g)
		}
	}
}

// testFaces checks that the rolls are every combination of faces, once each.
func testFaces(t *testing.T, g env.Game) {
	v := g.Variant()
	want := 1
	for range v.Dice {
		want *= v.Faces
	}
	if g.Rolls() != want {
		t.Fatalf("Rolls() = %d, want %d", g.Rolls(), want)
	}
	for roll := range want {
		number := 0
		for _, f := range g.Faces(roll) {
			number = number*v.Faces + f - 1
		}
		if faces := g.Faces(roll); len(faces) != v.Dice || slices.Min(faces) < 1 || slices.Max(faces) > v.Faces || number != roll {
			t.Errorf("Faces(%d) = %v, want %d dice that spell it in base %d", roll, faces, v.Dice, v.Faces)
		}
	}
}

// Reachable returns the states that play can reach from [env.Game.Start](0),
// breadth-first, and whether these are all; it stops at limit states.
func Reachable(g env.Game, limit int) (states []env.State, all bool) {
	start := g.Start(0)
	states = []env.State{start}
	seen := map[env.State]bool{start: true}
	for i := 0; i < len(states); i++ {
		s := states[i]
		var next []env.State
		if legal := g.Legal(s); legal.Has(env.Roll) {
			for _, c := range g.Outcomes(s) {
				next = append(next, g.AfterRoll(s, c.Outcome))
			}
			if legal.Has(env.Hold) {
				next = append(next, g.AfterHold(s))
			}
		}
		for _, s := range next {
			if seen[s] {
				continue
			}
			if len(states) == limit {
				return states, false
			}
			seen[s] = true
			states = append(states, s)
		}
	}
	return states, true
}

// testReachable checks every state of a small game, and of others those that
// are nearest to the start.
func testReachable(t *testing.T, g env.Game) {
	c := newChecker(t, g)
	states, all := Reachable(g, maxStates)
	wins := make([]bool, g.Players())
	for _, s := range states {
		c.state(s)
		for seat := range wins {
			wins[seat] = wins[seat] || g.WinShare(s, seat) > 0
		}
	}
	if all && slices.Contains(wins, false) {
		t.Errorf("of all %d states, seats %v have one in which they win, want every seat", len(states), wins)
	}
}

// testWalks checks the states of games played at random.
func testWalks(t *testing.T, g env.Game) {
	c := newChecker(t, g)
	r := env.NewRand(1)
	ended := 0
	for step := 0; step < walkSteps || ended == 0; {
		s := g.Start(int(r.Below(uint32(g.Players()))))
		daring := uint32(1 + r.Below(15)) // rolls on so many times out of 16
		for c.state(s); !s.Over; c.state(s) {
			if g.Legal(s).Has(env.Hold) && r.Below(16) >= daring {
				s = g.AfterHold(s)
			} else {
				s = g.AfterRoll(s, c.outcome(s, int(r.Below(uint32(g.Rolls())))))
			}
			if step++; step == walkLimit {
				t.Fatalf("after %d random steps %d games have ended, the last one is at %+v", step, ended, s)
			}
			if step > walkSteps && ended > 0 {
				return
			}
		}
		ended++
	}
}

// testSampler checks in a few states that a Match draws what Outcomes says.
func testSampler(t *testing.T, g env.Game) {
	m := env.NewMatch(g, env.MatchOptions{})
	m.Reset(1)
	states, _ := Reachable(g, maxStates)
	states = slices.DeleteFunc(states, func(s env.State) bool { return s.Over })
	for i := range 3 {
		s := states[i*(len(states)-1)/2]
		outcomes := g.Outcomes(s)
		counts := make([]int, len(outcomes))
		weights := make([]int, len(outcomes))
		for i, c := range outcomes {
			weights[i] = c.Weight
		}
		// Each outcome is expected six times or more.
		for range max(200*g.Rolls(), 6*g.TotalWeight()/slices.Min(weights)) {
			if err := m.ResetTo(s); err != nil {
				t.Fatalf("ResetTo(%+v): %v", s, err)
			}
			if _, _, err := m.Step(env.Roll); err != nil {
				t.Fatalf("Step(roll) in %+v: %v", s, err)
			}
			last := m.Last()
			i := slices.IndexFunc(outcomes, func(c env.Chance) bool { return c.Outcome == last.Outcome })
			if i < 0 {
				t.Fatalf("Step(roll) in %+v drew %v, which is not in Outcomes(s) = %v", s, last.Outcome, outcomes)
			}
			if want, err := g.OutcomeOf(s, g.Faces(int(last.RollNumber))...); err != nil || last.Outcome != want {
				t.Fatalf("Step(roll) in %+v: roll %d did %v, want %v, %v", s, last.RollNumber, last.Outcome, want, err)
			}
			counts[i]++
		}
		CheckFrequencies(t, "outcomes of a roll", counts, weights)
	}
}

// A checker checks states of one game.
type checker struct {
	t       *testing.T
	g       env.Game
	columns []env.Column
	checked map[int]bool // scores held whose outcomes have been checked
}

func newChecker(t *testing.T, g env.Game) *checker {
	return &checker{t: t, g: g, columns: g.Columns(), checked: make(map[int]bool)}
}

// state checks everything that must hold in s and in the states after it.
func (c *checker) state(s env.State) {
	if err := c.g.Validate(s); err != nil {
		c.t.Fatalf("Validate(%+v) = %v, want nil", s, err)
	}
	c.results(s)
	for seat := range c.g.Players() {
		c.observation(s, seat)
	}
	if s.Over {
		if legal := c.g.Legal(s); legal != 0 {
			c.t.Fatalf("Legal(%+v) = %v, want nothing", s, legal)
		}
		if outcomes := c.g.Outcomes(s); len(outcomes) != 0 {
			c.t.Fatalf("Outcomes(%+v) = %v, want none", s, outcomes)
		}
		return
	}
	want := env.HoldOrRoll
	if s.TurnTotal == 0 || s.MustRoll {
		want = env.RollOnly
	}
	if legal := c.g.Legal(s); legal != want {
		c.t.Fatalf("Legal(%+v) = %v, want %v", s, legal, want)
	}
	c.outcomes(s)
	twin := c.twin(s)
	for _, o := range c.g.Outcomes(s) {
		next := c.g.AfterRoll(s, o.Outcome)
		if want := c.after(s, o.Outcome); next != want {
			c.t.Fatalf("AfterRoll(%+v, %v) = %+v, want %+v", s, o.Outcome, next, want)
		}
		c.same(next, c.g.AfterRoll(twin, o.Outcome))
	}
	if want.Has(env.Hold) {
		next := c.g.AfterHold(s)
		if want := c.after(s, env.Outcome{Effect: env.Stop}); next != want {
			c.t.Fatalf("AfterHold(%+v) = %+v, want %+v", s, next, want)
		}
		c.same(next, c.g.AfterHold(twin))
	}
}

// after spells out the state that must follow s, as env.Effect and env.Ending
// have it. Holding banks and passes the turn, as Stop does.
func (c *checker) after(s env.State, o env.Outcome) env.State {
	own, ending, target := &s.Scores[s.Seat], c.g.Variant().Ending, int16(c.g.Target())
	s.MustRoll = false
	if o.Effect == env.Gain || o.Effect == env.Again {
		if total := *own + s.TurnTotal + o.Points; ending == env.AtTarget && total >= target {
			*own, s.TurnTotal, s.Over = total, 0, true
		} else {
			s.TurnTotal += o.Points
			s.MustRoll = o.Effect == env.Again
		}
		return s
	}
	switch o.Effect {
	case env.Stop:
		*own += s.TurnTotal
	case env.Wipe:
		*own = 0
	}
	s.TurnTotal = 0
	next := (s.Seat + 1) % int8(c.g.Players())
	if ending == env.AfterRound && next == s.First && slices.Max(s.Scores[:]) >= target {
		s.Over = true
	} else {
		s.Seat = next
	}
	return s
}

// outcome returns what a roll does in s.
func (c *checker) outcome(s env.State, roll int) env.Outcome {
	faces := c.g.Faces(roll)
	o, err := c.g.OutcomeOf(s, faces...)
	if err != nil {
		c.t.Fatalf("OutcomeOf(%+v, %v): %v", s, faces, err)
	}
	return o
}

// outcomes checks the list of chances in s against every roll's faces.
func (c *checker) outcomes(s env.State) {
	held := int(s.Scores[s.Seat] + s.TurnTotal)
	if c.checked[held] {
		return
	}
	c.checked[held] = true
	weights := make(map[env.Outcome]int)
	for roll := range c.g.Rolls() {
		weights[c.outcome(s, roll)] += c.g.RollWeight(roll)
	}
	list := c.g.Outcomes(s)
	sum := 0
	for _, o := range list {
		sum += o.Weight
		if o.Weight <= 0 || o.Weight != weights[o.Outcome] {
			c.t.Fatalf("Outcomes(%+v) gives %v the weight %d, and rolls of weight %d do that", s, o.Outcome, o.Weight, weights[o.Outcome])
		}
		if gains := o.Effect == env.Gain || o.Effect == env.Again; o.Points < 0 || gains != (o.Points > 0) {
			c.t.Fatalf("Outcomes(%+v) has a %v with %d points", s, o.Effect, o.Points)
		}
	}
	if len(list) != len(weights) || sum != c.g.TotalWeight() {
		c.t.Fatalf("Outcomes(%+v) = %v, of total weight %d, want %d outcomes of total weight %d", s, list, sum, len(weights), c.g.TotalWeight())
	}
}

// results checks the end of the game, win shares and returns.
func (c *checker) results(s env.State) {
	n := c.g.Players()
	scores := s.Scores[:n]
	best, leaders := slices.Max(scores), 0
	for _, score := range scores {
		if score == best {
			leaders++
		}
	}
	reached := int(best) >= c.g.Target()
	if s.Over && !reached {
		c.t.Fatalf("%+v is over and nobody has reached %d", s, c.g.Target())
	}
	if c.g.Variant().Ending == env.AtTarget {
		if s.Over != reached || s.Over && (leaders != 1 || scores[s.Seat] != best) {
			c.t.Fatalf("%+v: over is %t, want it exactly when the seat that moved, alone, has reached %d", s, s.Over, c.g.Target())
		}
	}
	var sumShares, sumReturns float64
	for seat, score := range scores {
		var wantShare, wantReturn float64
		if s.Over && score == best {
			wantShare = 1 / float64(leaders)
		}
		if s.Over && n > 1 {
			wantReturn = wantShare - (1-wantShare)/float64(n-1)
		}
		share, ret := c.g.WinShare(s, seat), c.g.Return(s, seat)
		if !near(share, wantShare) {
			c.t.Fatalf("WinShare(%+v, %d) = %v, want %v", s, seat, share, wantShare)
		}
		if !near(ret, wantReturn) {
			c.t.Fatalf("Return(%+v, %d) = %v, want %v", s, seat, ret, wantReturn)
		}
		sumShares += share
		sumReturns += ret
	}
	if s.Over && !near(sumShares, 1) || !near(sumReturns, 0) {
		c.t.Fatalf("%+v: win shares sum to %v and returns to %v", s, sumShares, sumReturns)
	}
}

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-12 }

// observation checks what a seat sees in s against the columns.
func (c *checker) observation(s env.State, seat int) {
	seen := c.g.Observe(nil, s, seat)
	if len(seen) != len(c.columns) || len(seen) != c.g.NumColumns() || len(seen) > env.MaxColumns {
		c.t.Fatalf("Observe(%+v, %d) has %d columns, NumColumns() = %d, len(Columns()) = %d", s, seat, len(seen), c.g.NumColumns(), len(c.columns))
	}
	for i, col := range c.columns {
		if x := int(seen[i]); x < col.Min || x > col.Max {
			c.t.Fatalf("Observe(%+v, %d): %s is %d, want it in [%d, %d]", s, seat, col.Name, x, col.Min, col.Max)
		}
	}
	want := []int16{s.Scores[seat], 0}
	if seat == int(s.Seat) {
		want[1] = s.TurnTotal
	}
	n := c.g.Players()
	for k := 1; k < n; k++ {
		want = append(want, s.Scores[(seat+k)%n])
	}
	if c.g.Variant().Ending == env.AfterRound {
		want = append(want, int16((int(s.First)-1-seat+2*n)%n))
	}
	if !slices.Equal(seen, want) {
		c.t.Fatalf("Observe(%+v, %d) = %v, want %v", s, seat, seen, want)
	}
	if s.Over && c.g.Variant().Ending == env.AtTarget {
		if back, err := c.g.StateOf(seen); !errors.Is(err, env.ErrState) {
			c.t.Fatalf("StateOf(%v) = %+v, %v, want an error, since the game is over", seen, back, err)
		}
	}
}

// twin returns the state that StateOf makes of what the mover sees in s.
func (c *checker) twin(s env.State) env.State {
	seen := c.g.Observe(nil, s, int(s.Seat))
	twin, err := c.g.StateOf(seen)
	if err != nil {
		c.t.Fatalf("StateOf(%v): %v, and the mover sees that in %+v", seen, err, s)
	}
	if twin.Over || twin.TurnTotal != s.TurnTotal {
		c.t.Fatalf("StateOf(%v) = %+v, want turn total %d", seen, twin, s.TurnTotal)
	}
	c.same(s, twin)
	return twin
}

// same checks that two states are one up to a shift of the seats: that every
// seat sees the same, counted from the mover. What an observation leaves out
// must make no difference to what follows.
func (c *checker) same(s, twin env.State) {
	var a, b [env.MaxColumns]int16
	for k := range c.g.Players() {
		x := c.g.Observe(a[:0], s, c.g.NextSeat(int(s.Seat), k))
		y := c.g.Observe(b[:0], twin, c.g.NextSeat(int(twin.Seat), k))
		if s.Over != twin.Over || !slices.Equal(x, y) {
			c.t.Fatalf("%+v and %+v should be the same game seen from other seats; %d places on, one shows %v and the other %v", s, twin, k, x, y)
		}
	}
}
