package agents

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

// newRoundsOf returns an agent for g.
func newRoundsOf(g env.Game, seed uint64, stepLimit int) *rounds {
	return newRounds(Config{Index: indexOf(g, policies.FullAbstraction), Seed: seed, StepLimit: stepLimit})
}

// TestRoundsLearnSmallGames checks, for every variant, that a few rounds come
// near to the return of the start and to perfect play. Where an advantage
// changes much from turn total to turn total, sharing samples is in the way.
func TestRoundsLearnSmallGames(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range gamesOfTwo(sized([]int{7}, []int{2, 7})...) {
		if g.Variant().ID == "cochon" {
			continue // see TestCochonDefaults
		}
		perfect := perfectPlay(t, g)
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			mc := newRoundsOf(g, 1, 10_000)
			for mc.at.Number < 4 {
				mc.Learn(2)
			}
			start, c := mc.index.Of(new(g.Start(0))), compare(t, mc.Greedy(), perfect)
			got := float64(mc.past.sum[start] / mc.past.count[start])
			if g.Players() == 1 {
				if want := -perfect.FewestTurns(); math.Abs(got-want) > 0.1 {
					t.Errorf("the start is estimated at %.4f, want %.4f", got, want)
				}
				if c.Turns() > perfect.FewestTurns()*1.002 {
					t.Errorf("Greedy() takes %.4f turns, want %.4f or little more", c.Turns(), perfect.FewestTurns())
				}
				return
			}
			_, win := perfect.Values(g.Start(0))
			if want := 2*win - 1; math.Abs(got-want) > 0.1 {
				t.Errorf("the start is estimated at %.4f, want %.4f", got, want)
			}
			least := 0.499
			if id := g.Variant().ID; id == "piglet" || id == "pig-last-round" {
				least = 0.48
			}
			if c.WinMean() < least {
				t.Errorf("Greedy() wins %.4f against perfect play, want %v or more", c.WinMean(), least)
			}
		})
	}
}

// TestRoundsPig checks how far a moment takes a smaller game of pig, and with
// -long the full one.
func TestRoundsPig(t *testing.T) {
	racedetector.Skip(t)
	type level struct {
		steps int64
		win   float64
	}
	g := game("pig", 2, sized(50, 100))
	perfect := perfectPlay(t, g)
	mc := newRoundsOf(g, 1, 10_000)
	steps := int64(0)
	for _, level := range sized([]level{{10_000_000, 0.45}}, []level{{50_000_000, 0.44}, {100_000_000, 0.475}}) {
		for steps < level.steps {
			steps += mc.Learn(2).Steps
		}
		if win := compare(t, mc.Greedy(), perfect).WinMean(); win < level.win || win > 0.5+1e-9 {
			t.Errorf("after %d decisions Greedy() wins %.4f against perfect play, want %v or more", steps, win, level.win)
		}
	}
}

// A roundsReference follows the recipe as its comment describes it, in maps and
// with float64.
type roundsReference struct {
	game      env.Game
	limit     int
	late      bool // whether the round is
	past, now map[view]returns
}

// returns are how many were seen, and their sum.
type returns struct{ count, sum float64 }

// play plays a batch of episodes by the policy and takes the samples.
func (b *roundsReference) play(seed uint64, policy *policies.Table) (played Played) {
	m := env.NewMatch(b.game, env.MatchOptions{StepLimit: b.limit})
	m.Reset(seed)
	for range batchEpisodes {
		from := b.game.DrawStart(m.Rand())
		switch top := uint32(highestScore(b.game)); {
		case !b.late:
		case m.Rand().Below(2) == 0:
			from.TurnTotal = int16(m.Rand().Below(top + 1 - uint32(from.Scores[from.Seat])))
		default:
			for seat := range b.game.Players() {
				from.Scores[seat] = int16(m.Rand().Below(1 + uint32(from.Scores[seat])))
			}
		}
		if err := m.ResetTo(from); err != nil {
			panic(err)
		}
		var path []visit
		var rolled []view
		for m.Live() {
			s, a := m.State(), env.Roll
			if len(path) > 0 && policy.RollChance(s) == 0 {
				a = env.Hold
			}
			if _, _, err := m.Step(a); err != nil {
				panic(err)
			}
			v := visit{choice: choice{action: a}, seat: int(s.Seat)}
			for seat := range b.game.Players() {
				v.rewards[seat] = float32(m.Reward(seat))
			}
			path, rolled = append(path, v), append(rolled, see(b.game, s))
		}
		if m.State().Over {
			for k := range path {
				if path[k].choice.action == env.Roll {
					r := b.now[rolled[k]]
					b.now[rolled[k]] = returns{r.count + 1, r.sum + float64(earned(path, k))}
				}
			}
		}
		played = played.add(Played{int64(m.Steps()), 1})
	}
	return played
}

// total returns all samples, with those of earlier rounds as they count when
// the given part of the round is played.
func (b *roundsReference) total(part float64) map[view]returns {
	total := make(map[view]returns)
	left := 1 - part/2
	if b.late {
		left = 1 - part/5
	}
	for v, r := range b.past {
		total[v] = returns{left * r.count, left * r.sum}
	}
	for v, r := range b.now {
		t := total[v]
		total[v] = returns{t.count + r.count, t.sum + r.sum}
	}
	return total
}

// estimates returns what rolling and holding are worth by the samples.
func (b *roundsReference) estimates(index policies.StateIndex, total map[view]returns) (roll, hold map[view]float64) {
	start := func(v view) float64 { return total[v].sum / (total[v].count + 1) }
	base, advantage := make(map[view]float64), make(map[view]float64)
	hold = make(map[view]float64)
	goesOn := make(map[view]bool) // if the mover holds
	for _, s := range index.All() {
		if s.TurnTotal == 0 {
			continue
		}
		v := see(b.game, s)
		advantage[v], goesOn[v] = optimism, !b.game.AfterHold(s).Over
		switch next := b.game.AfterHold(s); {
		case next.Over:
			base[v], hold[v] = 0, b.game.Return(next, int(s.Seat))
		case next.Seat == s.Seat:
			base[v] = start(see(b.game, next))
			hold[v] = base[v]
		default:
			base[v] = -start(see(b.game, next))
			hold[v] = base[v]
		}
	}
	for _, r := range resolutions {
		type cell struct{ own, turnTotal, other, seatsAfter int }
		cellOf := func(v view) cell {
			return cell{v.own / r.score, v.turnTotal / r.turnTotal, v.other / r.score, v.seatsAfter}
		}
		type residual struct{ count, sum, noise float64 }
		cells := make(map[cell]residual)
		for v := range advantage {
			c, n, estimate := cells[cellOf(v)], total[v].count, base[v]+advantage[v]
			noise := 1 - estimate*estimate
			if b.game.Players() == 1 {
				noise = -estimate
			}
			cells[cellOf(v)] = residual{c.count + n, c.sum + total[v].sum - n*estimate, c.noise + n*noise}
		}
		// The sum of n*mean^2 has the mean of v for each cell and t for each sample.
		known, samples, noise, squares := 0.0, 0.0, 0.0, 0.0
		for _, c := range cells {
			if c.count > 0 {
				known, samples, noise, squares = known+1, samples+c.count, noise+c.noise, squares+c.sum*c.sum/c.count
			}
		}
		v := noise / samples
		between := (squares - known*v) / samples
		for x := range advantage {
			if c := cells[cellOf(x)]; between > 0 {
				advantage[x] += c.sum / (c.count + v/between)
			}
		}
	}
	roll = make(map[view]float64)
	for v := range advantage {
		roll[v] = base[v] + advantage[v]
		if !goesOn[v] {
			continue
		}
		sum, weight := 0.0, 0.0
		r := reachOf(b.game.Target(), b.game.Players()-1)
		for own := -r.own; own <= r.own; own++ {
			for other := -r.other; other <= r.other; other++ {
				for held := -r.held; held <= r.held; held++ {
					p := view{v.own + own, v.turnTotal + held - own, v.other + other, v.seatsAfter}
					q := view{v.own - own, v.turnTotal - held + own, v.other - other, v.seatsAfter}
					if goesOn[p] && goesOn[q] {
						w := min(total[p].count, total[q].count)
						sum += w * advantage[p]
						weight += w
					}
				}
			}
		}
		if weight > 0 {
			roll[v] = base[v] + sum/weight
		}
	}
	return roll, hold
}

// TestRoundsAgainstReference compares samples and policies with a plain
// implementation on the same dice: in the middle and at the end of rounds.
func TestRoundsAgainstReference(t *testing.T) {
	racedetector.Skip(t)
	type limited struct {
		game  env.Game
		limit int
	}
	quick := []limited{{game("pig", 2, 6), 3}, {game("pig-last-round", 2, 2), 0}}
	for _, c := range sized(quick, append(quick, []limited{
		{game("pig", 2, 6), 0}, {game("pig", 1, 9), 0}, {game("pig-snake-eyes", 2, 5), 0}, {game("piglet", 2, 2), 0}, {game("pig", 2, 25), 0},
	}...)) {
		t.Run(fmt.Sprintf("%v, step limit %d", c.game, c.limit), func(t *testing.T) {
			t.Parallel()
			g := c.game
			mc := newRoundsOf(g, 3, c.limit)
			b := &roundsReference{game: g, limit: c.limit, past: make(map[view]returns), now: make(map[view]returns)}
			index := mc.index
			policy := mc.Greedy()
			for i, s := range index.All() {
				if policy.Rolls(i) != (s.TurnTotal == 0) {
					t.Fatalf("the first policy rolls in %+v: %t", s, policy.Rolls(i))
				}
			}
			batches := int64(firstRound)
			for number := range sized(2, 6) {
				b.late = number >= 4 && int(batches)*batchEpisodes >= index.Size()
				for at := int64(0); at < batches; {
					if want := (round{int64(number), at, batches}); mc.at != want {
						t.Fatalf("it stands at %+v, want %+v", mc.at, want)
					}
					var want Played
					for range min(batchesPerCall, batches-at) {
						want = want.add(b.play(env.SeedAt(env.SeedAt(3, uint64(number)), uint64(at)), policy))
						at++
					}
					if got := mc.Learn(3); got != want {
						t.Fatalf("round %d: Learn plays %+v, want %+v", number, got, want)
					}
					if at == batches/2/batchesPerCall*batchesPerCall || at == batches {
						b.check(t, mc, float64(at)/float64(batches))
					}
				}
				b.past, b.now = b.total(1), make(map[view]returns)
				policy, batches = mc.Greedy(), batches+batches*3/10
			}
		})
	}
}

// check compares the samples so far, and the policy that they speak for, when
// the given part of a round is played. After all of it mc is in the next round.
func (b *roundsReference) check(t *testing.T, mc *rounds, part float64) {
	t.Helper()
	index, total := mc.index, b.total(part)
	roll, hold := b.estimates(index, total)
	greedy := mc.Greedy()
	if part < 1 {
		mc.sumSamples()
	} else {
		mc.total, mc.past = mc.past, mc.total
		defer func() { mc.total, mc.past = mc.past, mc.total }()
	}
	same := func(got float32, want float64) bool {
		return math.Abs(float64(got)-want) <= 1e-5*max(1, math.Abs(want))
	}
	differ := 0
	for i, s := range index.All() {
		if b.game.Validate(s) != nil {
			continue // cannot occur
		}
		v := see(b.game, s)
		if r := total[v]; !same(mc.total.count[i], r.count) || !same(mc.total.sum[i], r.sum) {
			t.Fatalf("part %v of round %d: %v returns of %v in all for rolling in %+v, want %v of %v", part, mc.at.Number, mc.total.count[i], mc.total.sum[i], v, r.count, r.sum)
		}
		if s.TurnTotal == 0 {
			if !greedy.Rolls(i) {
				t.Fatalf("Greedy() holds in %+v, where a turn begins", v)
			}
			continue
		}
		if got := mc.base[i] + mc.smooth.fitted[i]; math.Abs(float64(got)-roll[v]) > 1e-4 {
			t.Fatalf("part %v of round %d: rolling in %+v is estimated at %.6f, want %.6f", part, mc.at.Number, v, got, roll[v])
		}
		if want := roll[v] > hold[v]; greedy.Rolls(i) != want {
			differ++
			if math.Abs(roll[v]-hold[v]) > 1e-4 {
				t.Fatalf("part %v of round %d: Greedy() rolls in %+v: %t; rolling is worth %.5f, holding %.5f", part, mc.at.Number, v, !want, roll[v], hold[v])
			}
		}
	}
	if most := index.Size() / 100; differ > most {
		t.Errorf("part %v of round %d: Greedy() is another in %d of %d states, want no more than rounding explains", part, mc.at.Number, differ, index.Size())
	}
}

// TestRoundsCountEveryRoll checks that each roll of a game that ended is a
// sample: after a round of a game in which nobody can hold, they are the
// decisions.
func TestRoundsCountEveryRoll(t *testing.T) {
	mc := newRoundsOf(game("pig", 2, 2), 1, 0)
	played := Played{}
	for range 3 {
		played = played.add(mc.Learn(2))
	}
	count := int64(0)
	for _, p := range mc.workers {
		for _, n := range p.samples.count {
			count += int64(n)
		}
	}
	if count != played.Steps || played.Episodes != 3*batchesPerCall*batchEpisodes {
		t.Errorf("%d samples of %+v, want one of each decision", count, played)
	}
	if covered := mc.Metrics().Coverage; covered <= 0 || covered > 1 {
		t.Errorf("Metrics().Coverage = %v", covered)
	}
}

// TestRoundsMetrics checks the figures against the samples themselves.
func TestRoundsMetrics(t *testing.T) {
	mc := newRoundsOf(game("pig", 2, 6), 1, 0)
	for range 3 {
		mc.Learn(1)
	}
	counts := slices.Clone(mc.workers[0].samples.count)
	var want Metrics
	for _, n := range counts {
		if n > 0 {
			want.Coverage++
			want.StepSize += 1 / float64(n)
		}
	}
	want.StepSize /= want.Coverage
	want.Coverage /= float64(len(counts))
	if got := mc.Metrics(); math.Abs(got.StepSize-want.StepSize) > 1e-9 || got.Coverage != want.Coverage || got.Epsilon != 0 {
		t.Errorf("Metrics() = %+v, want %+v", got, want)
	}
}
