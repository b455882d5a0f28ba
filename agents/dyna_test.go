package agents

import (
	"fmt"
	"math"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

// newDynaOf returns an agent for g that finds the dice of thrown in its games.
func newDynaOf(g, thrown env.Game, seed uint64, s Settings) *dyna {
	d := newAgent(dynaRecipe, Config{Index: indexOf(g, policies.FullAbstraction), Settings: s, Seed: seed, StepLimit: 100_000}).(*dyna)
	d.workers = []*dynaWorker{{match: *env.NewMatch(thrown, env.MatchOptions{StepLimit: 100_000})}}
	return d
}

// learnUntil has d learn for so many decisions.
func (d *dyna) learnUntil(decisions int64) *dyna {
	for d.at.Decisions < decisions {
		d.Learn(1)
	}
	return d
}

// TestDynaByDecisions checks how far real decisions take the agent, with a target of
// 30 and, with -long, of 100.
func TestDynaByDecisions(t *testing.T) {
	racedetector.Skip(t)
	g := game("pig", 2, sized(30, 100))
	perfect := perfectPlay(t, g)
	type level struct {
		decisions int64
		least     float64
	}
	levels := sized([]level{{5_000, 0.49}, {100_000, 0.499}}, []level{{5_000, 0.49}, {100_000, 0.499}, {3_000_000, 0.4999}})
	for seed := range uint64(3) {
		d := newDynaOf(g, g, seed+1, nil)
		for _, l := range levels {
			d.learnUntil(l.decisions)
			if win := compare(t, d.Greedy(), perfect).WinMean(); win < l.least || win > 0.5+1e-9 {
				t.Errorf("seed %d: after %d decisions Greedy() wins %.5f against perfect play, want %v or more", seed+1, d.at.Decisions, win, l.least)
			}
		}
	}
}

// TestDynaEveryGame checks the policies and the values of every variant's games of one
// and two players.
func TestDynaEveryGame(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range gamesOfTwo(sized([]int{12}, []int{12, 40})...) {
		perfect := perfectPlay(t, g)
		// With 200,000 decisions the standard error of a coin's frequency is near 0.0013,
		// of which two cost 0.0002 to 40; with 50,000 it costs five times as much.
		d := newDynaOf(g, g, 1, nil).learnUntil(sized[int64](50_000, 200_000))
		c := compare(t, d.Greedy(), perfect)
		start := d.value[d.key(new(g.Start(0)))]
		if g.Players() == 1 {
			if c.Turns() > perfect.FewestTurns()*1.0005 {
				t.Errorf("%v: Greedy() takes %.4f turns, want %.4f", g, c.Turns(), perfect.FewestTurns())
			}
			if math.Abs(start+perfect.FewestTurns()) > 0.05 {
				t.Errorf("%v: the start has the value %.4f, want %.4f", g, start, -perfect.FewestTurns())
			}
			continue
		}
		if c.WinMean() < 0.4995 {
			t.Errorf("%v: Greedy() wins %.5f against perfect play, want 0.4995 or more", g, c.WinMean())
		}
		_, win := perfect.Values(g.Start(0))
		if want := 2*win - 1; math.Abs(start-want) > 0.03 {
			t.Errorf("%v: the start has the value %.4f, want %.4f", g, start, want)
		}
	}
}

// TestDynaLearnsTheDice changes the dice under the agent: it is made for pig, and plays
// perfectly with whichever dice are thrown in its games. So it has nothing of the dice
// from the rules.
func TestDynaLearnsTheDice(t *testing.T) {
	racedetector.Skip(t)
	for _, thrown := range []env.Game{
		game("pig-doubles", 2, 40), game("pig-snake-eyes", 2, 40), game("piglet", 2, 10), game("cochon", 2, 10),
	} {
		pig := game("pig", 2, thrown.Target())
		greedy := newDynaOf(pig, thrown, 1, nil).learnUntil(100_000).Greedy()
		perfect := perfectPlay(t, thrown)
		if win := compare(t, greedy, perfect).WinMean(); win < 0.4995 {
			t.Errorf("an agent for %v with the dice of %v wins %.5f against perfect play, want 0.4995 or more", pig, thrown, win)
		}
		if id := thrown.Variant().ID; id != "pig-doubles" && id != "piglet" {
			continue // at these targets the dice of pig teach what these games need, too
		}
		if win := compare(t, newDynaOf(pig, pig, 1, nil).learnUntil(100_000).Greedy(), perfect).WinMean(); win > 0.499 {
			t.Errorf("an agent that saw the dice of pig wins %.5f at %v, want less: the test tells nothing", win, thrown)
		}
	}
}

// TestDynaTestsItsModel checks that the counts show whether outcomes depend on the
// points held, and that the model has the probabilities of the rules.
func TestDynaTestsItsModel(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range gamesOfTwo(25) {
		for seed := range sized[uint64](1, 3) {
			d := newDynaOf(g, g, seed+1, nil).learnUntil(50_000)
			m := d.dice(&d.rolls)
			if got, want := len(m) > 1, g.Variant().ByHeld; got != want {
				t.Errorf("%v, seed %d: the outcomes are found to depend on the points: %t, want %t", g, seed+1, got, want)
			}
			for held := range g.Target() {
				s := env.State{TurnTotal: int16(held)}
				for _, c := range g.Outcomes(s) {
					got, want := 0.0, float64(c.Weight)/float64(g.TotalWeight())
					for _, x := range m.at(held).gains {
						if c.Effect.Gains() && x.points == int(c.Points) && x.again == (c.Effect == env.Again) {
							got = x.chance
						}
					}
					if !c.Effect.Gains() {
						got = m.at(held).effect[c.Effect]
						if ended := d.rolls.ended; c.Effect != env.Stop && ended[endBust]+ended[endWipe]+ended[endBustStop]+ended[endWipeScore] < 500 {
							continue // few turns have ended with a score to lose
						}
					}
					if math.Abs(got-want) > 0.03 {
						t.Errorf("%v, seed %d: with %d points %v has probability %.4f in the model, want %.4f", g, seed+1, held, c.Outcome, got, want)
					}
				}
			}
		}
	}
	for _, test := range []struct {
		model string
		want  int
	}{{"one", 1}, {"by-points", 10}} {
		d := newDynaOf(game("cochon", 2, 10), game("cochon", 2, 10), 1, Settings{"model": test.model}).learnUntil(1000)
		if got := len(d.dice(&d.rolls)); got != test.want {
			t.Errorf("with the setting %s there are %d models, want %d", test.model, got, test.want)
		}
	}
}

// TestObserve checks what the states before and after a roll tell of it.
func TestObserve(t *testing.T) {
	last := game("pig-last-round", 2, 20)
	for _, test := range []struct {
		game             env.Game
		score, turnTotal int
		o                env.Outcome
		column           int
		ending           ending // -1 for a gain
	}{
		{game("pig", 2, 20), 3, 4, env.Outcome{Effect: env.Gain, Points: 5}, 5, -1},
		{game("pig", 2, 20), 10, 6, env.Outcome{Effect: env.Gain, Points: 6}, 2*20 + 6, -1},
		{game("pig", 2, 20), 10, 6, env.Outcome{Effect: env.Gain, Points: 25}, 2*20 + 20, -1},
		{game("double-trouble", 2, 20), 3, 4, env.Outcome{Effect: env.Again, Points: 8}, 20 + 8, -1},
		{game("double-trouble", 2, 20), 3, 4, env.Outcome{Effect: env.Gain, Points: 8}, 8, -1},
		{game("double-trouble", 2, 20), 10, 6, env.Outcome{Effect: env.Again, Points: 8}, 2*20 + 8, -1},
		{last, 10, 12, env.Outcome{Effect: env.Gain, Points: 6}, 6, -1},
		{game("pig", 2, 20), 3, 4, env.Outcome{Effect: env.Bust}, 0, endBust},
		{game("pig", 2, 20), 3, 4, env.Outcome{Effect: env.Stop}, 0, endStop},
		{game("pig", 2, 20), 3, 4, env.Outcome{Effect: env.Wipe}, 0, endWipe},
		{game("pig", 2, 20), 3, 0, env.Outcome{Effect: env.Wipe}, 0, endWipeScore},
		{game("pig", 2, 20), 3, 0, env.Outcome{Effect: env.Bust}, 0, endBustStop},
		{game("pig", 2, 20), 0, 4, env.Outcome{Effect: env.Wipe}, 0, endBustWipe},
		{game("pig", 2, 20), 0, 4, env.Outcome{Effect: env.Stop}, 0, endStopNoScore},
		{game("pig", 2, 20), 0, 0, env.Outcome{Effect: env.Stop}, 0, endBustStopWipe},
	} {
		t.Run(fmt.Sprintf("%v, %d points, %d this turn, %v", test.game, test.score, test.turnTotal, test.o), func(t *testing.T) {
			d := newDynaOf(test.game, test.game, 1, nil)
			before := env.State{TurnTotal: int16(test.turnTotal)}
			before.Scores[0] = int16(test.score)
			after := test.game.AfterRoll(before, test.o)
			row := test.score + test.turnTotal
			if got, want := d.observe(&before, &after), (observed{int32(row*d.rolls.columns + test.column), int8(test.ending)}); got != want {
				t.Errorf("observe = %+v, want %+v", got, want)
			}
		})
	}
	// A bust of the second player ends the game if the first has the target.
	d := newDynaOf(last, last, 1, nil)
	before := env.State{Seat: 1, TurnTotal: 4}
	before.Scores[0], before.Scores[1] = 21, 5
	after := last.AfterRoll(before, env.Outcome{Effect: env.Bust})
	if got, want := d.observe(&before, &after), (observed{int32(9 * d.rolls.columns), int8(endBust)}); !after.Over || got != want {
		t.Errorf("observe of a bust that ends the game = %+v, want %+v", got, want)
	}
}

// TestShares checks the shares of the effects in turns that end, and that the effect
// that loses less is assumed where nothing tells.
func TestShares(t *testing.T) {
	for _, test := range []struct {
		ended [numEndings]int64
		want  [env.Stop + 1]float64
	}{
		{[numEndings]int64{endBustStopWipe: 5}, [env.Stop + 1]float64{env.Stop: 1}},
		{[numEndings]int64{endBustWipe: 10, endBustStop: 30}, [env.Stop + 1]float64{env.Bust: 1}},
		{[numEndings]int64{endStop: 10, endBustStop: 30, endBustStopWipe: 5}, [env.Stop + 1]float64{env.Stop: 1}},
		{[numEndings]int64{endStop: 5, endStopNoScore: 5, endBust: 20, endBustWipe: 10, endWipe: 0}, [env.Stop + 1]float64{env.Stop: 0.25, env.Bust: 0.75}},
		{[numEndings]int64{endBust: 20, endBustStop: 10, endWipe: 6, endWipeScore: 4, endBustStopWipe: 99}, [env.Stop + 1]float64{env.Bust: 0.75, env.Wipe: 0.25}},
		{[numEndings]int64{endBust: 30, endWipe: 10, endBustWipe: 400}, [env.Stop + 1]float64{env.Bust: 0.75, env.Wipe: 0.25}},
	} {
		got := (&rollCounts{ended: test.ended}).shares()
		for e := range got {
			if math.Abs(got[e]-test.want[e]) > 1e-12 {
				t.Errorf("shares of %v = %v, want %v", test.ended, got, test.want)
				break
			}
		}
	}
}
