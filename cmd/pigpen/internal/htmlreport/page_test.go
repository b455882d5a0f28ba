package htmlreport_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// faintTexts returns texts of the page whose contrast to what is behind them is below what
// WCAG 2.2 asks for at level AA (1.4.3): 4.5, or 3 for large text.
const faintTexts = `(() => {
  const parts = text => text.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const faint = [];
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || e.closest("script, noscript, option") || !e.getClientRects().length) continue;
    texts++;
    const style = getComputedStyle(e);
    let behind = e, paper;
    do {
      paper = parts(getComputedStyle(behind).backgroundColor);
      behind = behind.parentElement;
    } while (paper.length === 4 && paper[3] === 0);
    const [a, b] = [luminance(parts(style.color)), luminance(paper)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    if (contrast < (large ? 3 : 4.5)) faint.push(contrast.toFixed(2) + ": " + walker.currentNode.data.trim());
  }
  return texts < 50 ? ["only " + texts + " texts"] : faint;
})()`

// testLooks checks contrast and width, in both colour schemes.
func testLooks(t *testing.T, b context.Context) {
	g := env.Must(env.New(env.Config{Variant: "pig"}))
	r := report(t, g, "hold-20")
	for _, width := range widths {
		p := open(t, b, r, width)
		p.run(chromedp.Click(chromedp.ID("roll")), chromedp.Click(chromedp.ID("hint")))
		for _, scheme := range []string{"light", "dark"} {
			p.scheme(scheme)
			for _, text := range eval[[]string](p, faintTexts) {
				t.Errorf("%d pixels, %s: too little contrast, %s", width, scheme, text)
			}
		}
		if wide := eval[int64](p, "document.documentElement.scrollWidth"); wide > width {
			t.Errorf("the page is %d pixels wide in a window of %d", wide, width)
		}
	}
}

// cellColours returns, for each own score and then each turn total, the name of the colour
// in the middle of a cell of the picture of decisions, which it draws for a score of each
// other.
const cellColours = `(() => {
  const {policy, optimal, game} = pigpen, data = game.data;
  const p = drawPolicy(document.getElementById("policy-map"), {data, policy, optimal, round: 0, own: -10, other: %d});
  const scale = devicePixelRatio, width = p.canvas.width;
  const pixels = p.context.getImageData(0, 0, width, p.canvas.height).data;
  const rgba = text => { const c = document.createElement("canvas").getContext("2d"); c.fillStyle = text; c.fillRect(0, 0, 1, 1); return String(c.getImageData(0, 0, 1, 1).data); };
  const names = Object.fromEntries(["none", "roll", "hold", "only-policy", "only-optimal"].map(name => [rgba(colour(name)), name]));
  const list = [];
  for (let x = 0; x < data.target; x++) {
    for (let y = 0; y < data.target; y++) {
      const at = 4 * (Math.floor(p.atY(y) * scale) * width + Math.floor(p.atX(x) * scale)), rgba = String(pixels.slice(at, at + 4));
      list.push(names[rgba] || rgba);
    }
  }
  return list;
})()`

// testPictures compares the colours of the picture of decisions with what the policy and
// perfect play do.
func testPictures(p *page, g env.Game, name string, other int) {
	p.Helper()
	policy, err := policies.Named(p.Context(), name, g, exact.Options{})
	if err != nil {
		p.Fatal(err)
	}
	optimal, err := exact.Solve(p.Context(), g, exact.Options{})
	if err != nil {
		p.Fatal(err)
	}
	colours := eval[[]string](p, cellColours, other)
	reach := policies.NewReach(g)
	seen := make(map[string]int)
	for own := range g.Target() {
		for turn := range g.Target() {
			want := "none"
			o := []int16{int16(own), int16(turn)}
			for range g.Players() - 1 {
				o = append(o, int16(other))
			}
			var s env.State
			if own+turn < g.Target() && reach.Turn(own, turn) && g.ReadState(o, &s) == nil && g.Legal(s) == env.HoldOrRoll {
				want = [2][2]string{{"hold", "only-optimal"}, {"only-policy", "roll"}}[int(policy.RollChance(s))][int(math.Round(optimal.RollChance(s)))]
			}
			seen[want]++
			if got := colours[own*g.Target()+turn]; got != want {
				p.Errorf("%v: the colour at %d+%d against %d is that of %q, want %q", g, own, turn, other, got, want)
			}
		}
	}
	if len(seen) < 4 {
		p.Errorf("%v: only the colours %v are tested", g, seen)
	}
}

// testSlider moves the slider of the other score by its keys, and looks at the picture.
func testSlider(t *testing.T, b context.Context) {
	g := env.Must(env.New(env.Config{Variant: "pig"}))
	p := open(t, b, report(t, g, "hold-20"), 1280)
	picture := func() string { return eval[string](p, `document.getElementById("policy-map").toDataURL()`) }
	said := func() string { return eval[string](p, `document.getElementById("described").textContent`) }
	if got, want := said(), "With 0 against 50, hold-20 holds at a turn total of 20, and perfect play holds at a turn total of 29."; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
	before := picture()
	p.run(chromedp.Focus(chromedp.ID("other-score")), chromedp.KeyEvent(kb.End))
	if got, want := said(), "With 0 against 99, hold-20 holds at a turn total of 20, and perfect play never holds."; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
	if picture() == before {
		t.Error("the picture stays as it was when the slider moves")
	}
	p.run(chromedp.KeyEvent(kb.Home))
	for range 50 {
		p.run(chromedp.KeyEvent(kb.ArrowRight))
	}
	if picture() != before {
		t.Error("the picture is another one when the slider comes back")
	}
	testPictures(p, g, "hold-20", 80)
}

// testKeyboard goes through the page by the tabulator.
func testKeyboard(t *testing.T, b context.Context) {
	g := env.Must(env.New(env.Config{Variant: "pig-last-round", Target: 30}))
	p := open(t, b, report(t, g, "hold-20"), 390)
	all := eval[int](p, `[...document.querySelectorAll("button:enabled, input, select, a, [tabindex]")].filter(e => e.getClientRects().length).length`)
	eval[any](p, `(window.focused = new Set(), document.addEventListener("focusin", e => focused.add(e.target)), null)`)
	for range all {
		p.run(chromedp.KeyEvent(kb.Tab))
	}
	if got := eval[int](p, "focused.size"); got != all {
		t.Errorf("%d of %d fields, buttons, links and tables are reached", got, all)
	}
	if names := eval[[]string](p, `[...document.querySelectorAll("input, select")].filter(e => !e.labels.length).map(e => e.outerHTML)`); len(names) > 0 {
		t.Errorf("fields without a label: %q", names)
	}
}

// A played is a game as the page shows it.
type played struct {
	Over   bool
	Banked []int16
	Roll   bool // whether roll can be chosen
	Hold   bool
	Turn   int16
	Said   string
	Worth  string
	Log    []turn // the last turn first
}

// A turn is what the log tells of it.
type turn struct {
	Side, Text string
	Faces      []string
}

const playedGame = `(() => {
  const at = id => document.getElementById(id);
  return {
    over: pigpen.play.match.over, banked: [0, 1].map(side => Number(at("side-" + side).querySelector(".banked").textContent)),
    roll: !at("roll").disabled, hold: !at("hold").disabled, turn: pigpen.play.match.turn, said: at("said").textContent, worth: at("worth").textContent,
    log: [...at("log").children].map(li => ({side: li.querySelector("b").textContent.trim(), text: li.textContent,
      faces: [...li.querySelectorAll(".die, .face")].map(e => e.getAttribute("aria-label") || e.textContent)})),
  };
})()`

// replay follows a game that is over by the rules of g, and returns the last state. It fails
// unless the policy, which plays in the second seat, could do what it did.
func replay(p *page, g env.Game, policy policies.Policy, game played) env.State {
	p.Helper()
	dice := len(g.Faces(0))
	first := 0
	if game.Log[len(game.Log)-1].Side != "You" {
		first = 1
	}
	s := g.Start(first)
	for i := len(game.Log) - 1; i >= 0; i-- {
		turn := game.Log[i]
		seat := s.Seat
		if (turn.Side == "You") != (seat == 0) {
			p.Fatalf("%v: a turn of %s where seat %d is to move: %+v", g, turn.Side, seat, game.Log)
		}
		decides := func(rolls bool) {
			if chance := policy.RollChance(s); seat == 1 && g.Legal(s) == env.HoldOrRoll && (rolls && chance == 0 || !rolls && chance == 1) {
				p.Errorf("%v: the policy has a chance of rolling of %v at %+v, and rolls: %t", g, chance, s, rolls)
			}
		}
		for faces := turn.Faces; len(faces) >= dice; faces = faces[dice:] {
			if s.Over || s.Seat != seat {
				p.Fatalf("%v: a roll after the turn has ended: %+v", g, turn)
			}
			decides(true)
			o, err := g.OutcomeOf(s, faceNumbers(p, g, faces[:dice])...)
			if err != nil {
				p.Fatal(err)
			}
			s = g.AfterRoll(s, o)
		}
		if strings.Contains(turn.Text, "banks ") {
			decides(false)
			if g.Legal(s) != env.HoldOrRoll {
				p.Fatalf("%v: held where that is illegal: %+v", g, turn)
			}
			s = g.AfterHold(s)
		}
	}
	return s
}

// faceNumbers returns the numbers of faces by what the page shows.
func faceNumbers(p *page, g env.Game, shown []string) (faces []int) {
	p.Helper()
	for _, text := range shown {
		face := 0
		for i, name := range g.Variant().FaceNames {
			if name == text {
				face = i + 1
			}
		}
		if face == 0 {
			if _, err := fmt.Sscan(text, &face); err != nil {
				p.Fatalf("%v: a face %q: %v", g, text, err)
			}
		}
		faces = append(faces, face)
	}
	return faces
}

// testGame plays a game by keys to its end, asking before each decision what the actions
// are worth.
func testGame(t *testing.T, b context.Context, width int64) {
	g := env.Must(env.New(env.Config{Variant: "pig"}))
	r := report(t, g, "hold-20")
	p := open(t, b, r, width)
	p.run(chromedp.SetValue(chromedp.ID("seed"), "7"), chromedp.Click(chromedp.ID("new")))
	game := eval[played](p, playedGame)
	if !strings.HasPrefix(game.Said, "Game 7: ") {
		t.Errorf("the game begins with %q", game.Said)
	}
	asked := 0
	for !game.Over {
		p.run(chromedp.KeyEvent("?"))
		game = eval[played](p, playedGame)
		s, err := exactState(g, game)
		if err != nil {
			t.Fatal(err)
		}
		hold, roll := r.Optimal.Values(s)
		want := fmt.Sprintf("Roll, the only action, wins %.3f%%.", 100*roll)
		if game.Hold {
			better := "hold"
			if roll > hold {
				better = "roll"
			}
			want = fmt.Sprintf("Hold wins %.3f%%, roll wins %.3f%%: %s.", 100*hold, 100*roll, better)
			asked++
		}
		if game.Worth != want {
			t.Errorf("at %+v the page says %q, want %q", s, game.Worth, want)
		}
		key := "r"
		if game.Hold && game.Turn >= 18 {
			key = "h"
		}
		p.run(chromedp.KeyEvent(key))
		game = eval[played](p, playedGame)
	}
	if asked < 10 {
		t.Errorf("the game had %d decisions", asked)
	}
	s := replay(p, g, r.Policy, game)
	if !s.Over || s.Scores[0] != game.Banked[0] || s.Scores[1] != game.Banked[1] {
		t.Errorf("the page ends with %v, the rules with %+v", game.Banked, s)
	}
	result := fmt.Sprintf(" You win, %d to %d.", game.Banked[0], game.Banked[1])
	if game.Banked[1] > game.Banked[0] {
		result = fmt.Sprintf(" hold-20 wins, %d to %d.", game.Banked[1], game.Banked[0])
	}
	if !strings.HasSuffix(game.Said, result) {
		t.Errorf("the page says %q, which should end in %q", game.Said, result)
	}
	if game.Roll || game.Hold {
		t.Error("one can play on after the end")
	}
}

// exactState returns the state of a game of two players that ends at once, with the person
// to move.
func exactState(g env.Game, game played) (s env.State, err error) {
	err = g.ReadState([]int16{game.Banked[0], game.Turn, game.Banked[1]}, &s)
	return s, err
}

// playOut plays the game of a seed by clicks: it holds from a turn total on.
const playOut = `(() => {
  const at = id => document.getElementById(id);
  at("seed").value = %d;
  at("new").click();
  while (!pigpen.play.match.over) at(pigpen.play.match.turn >= %d && !at("hold").disabled ? "hold" : "roll").click();
  return %s;
})()`

// testRules compares the page's rules, decisions and values with those of the module.
func testRules(t *testing.T, b context.Context, g env.Game) {
	r := report(t, g, "random")
	p := open(t, b, r, 1280)
	for seed := range 10 {
		game := eval[played](p, playOut, seed, 5+seed, playedGame)
		s := replay(p, g, r.Policy, game)
		if !s.Over || s.Scores[0] != game.Banked[0] || s.Scores[1] != game.Banked[1] {
			t.Errorf("seed %d: the page ends with %v, the rules with %+v", seed, game.Banked, s)
		}
	}

	points, err := policies.NewDecisionPoints(g)
	if err != nil {
		t.Fatal(err)
	}
	reach := policies.NewReach(g)
	var positions strings.Builder
	var states []env.State
	for i := 0; i < points.Len(); i += 1 + points.Len()/3000 {
		o := points.Observation(nil, i)
		var s env.State
		if err := g.ReadState(o, &s); err != nil {
			t.Fatal(err)
		}
		if !reach.Decides(o) {
			continue
		}
		round := 0
		if len(o) > 3 && o[3] > 0 {
			round = 1
		}
		fmt.Fprintf(&positions, "[%d,%d,%d,%d],", round, o[0], o[1], o[2])
		states = append(states, s)
	}
	type position struct{ Hold, Roll, Policy, Optimal float64 }
	got := eval[[]position](p, `[%s].map(([round, own, turn, other]) => ({...pigpen.game.values(round, own, other, turn),
		policy: pigpen.policy.chance(round, own, turn, other), optimal: pigpen.optimal.chance(round, own, turn, other)}))`, positions.String())
	if len(states) < 200 {
		t.Errorf("only %d states", len(states))
	}
	for i, s := range states {
		hold, roll := r.Optimal.Values(s)
		if math.Abs(got[i].Hold-hold) > 1e-6 || math.Abs(got[i].Roll-roll) > 1e-6 {
			t.Errorf("%v: at %+v the page has %v, want %v and %v", g, s, got[i], hold, roll)
		}
		if got[i].Policy != r.Policy.RollChance(s) || got[i].Optimal != r.Optimal.RollChance(s) {
			t.Errorf("%v: at %+v the page has %v, want %v and %v", g, s, got[i], r.Policy.RollChance(s), r.Optimal.RollChance(s))
		}
	}
}
