package htmlreport_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"pigpen/cmd/pigpen/internal/htmlreport"
	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
)

var needChromium = flag.Bool("chromium", false, "fail rather than skip the tests of the page where there is no Chromium")

// chromium returns the browser that is there, or "".
func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// browser starts one Chromium for all the tests under t.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := chromium()
	if path == "" {
		const missing = "THE PAGE IS NOT TESTED: no Chromium or Chrome on PATH"
		if *needChromium {
			t.Fatal(missing)
		}
		fmt.Fprintln(os.Stderr, missing)
		t.Skip(missing)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// A page is a tab that shows a report.
type page struct {
	*testing.T
	ctx context.Context
}

// open shows a report in a tab of the given width. When the test ends it fails if the page
// wrote to the console or asked for anything but itself.
func open(t *testing.T, browser context.Context, r htmlreport.Report, width int64) *page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := htmlreport.Write(f, r); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	var (
		mu     sync.Mutex
		faults []string
	)
	fault := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, fmt.Sprintf(format, args...))
	}
	address := "file://" + file
	err = chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			fault("exception: %v", e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			fault("console: %s", e.Type)
		case *log.EventEntryAdded:
			fault("log: %s", e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != address && !strings.HasPrefix(e.Request.URL, "data:") {
				fault("request for %s", e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, text := range faults {
			t.Error(text)
		}
	})
	p := &page{t, ctx}
	p.run(command(runtime.Enable, cdp.Empty{}), command(log.Enable, cdp.Empty{}), command(network.Enable, network.EnableParams{}),
		chromedp.EmulateViewport(width, 800), chromedp.Navigate(address))
	return p
}

func (p *page) run(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// command returns the action that calls a command of the protocol.
func command[P any](c cdp.Command[P, cdp.Empty], parameters P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, c, parameters)
		return err
	})
}

// eval returns what an expression of the page is, by way of JSON.
func eval[T any](p *page, expression string, args ...any) (value T) {
	p.Helper()
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("JSON.stringify("+fmt.Sprintf(expression, args...)+")"))
	if err == nil {
		err = json.Unmarshal([]byte(text), &value)
	}
	if err != nil {
		p.Fatal(err)
	}
	return value
}

// scheme chooses colours: dark or light.
func (p *page) scheme(name string) {
	p.Helper()
	p.run(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	}))
}

// report returns a full report about a policy, whose other texts are as long as they get.
func report(t *testing.T, g env.Game, name string) htmlreport.Report {
	t.Helper()
	ctx := t.Context()
	p, err := policies.Named(ctx, name, g, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := htmlreport.Report{
		Name: name, Game: g, Policy: p, Version: "0.0.0",
		Made:     []htmlreport.Line{{Name: "agent", Value: "qlearning"}, {Name: "game", Value: strings.Repeat("0123456789abcdef", 4)}},
		Commands: []string{"pigpen train " + strings.Repeat("--and-so-on ", 30), "pigpen eval"},
		Learning: []htmlreport.Curve{
			{Name: "one", X: []float64{1e6, 2e6, 4e6}, Win: []float64{0.4, 0.45, 0.49}, Exploitability: []float64{0.1, 0.05, 0.01}},
			{Name: "two", X: []float64{1e6, 3e6}, Win: []float64{0.42, 0.46}, Exploitability: []float64{0.2, 0.002}},
		},
	}
	if g.Players() == 2 || exact.Solves(g) {
		s, err := exact.Solve(ctx, g, exact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Optimal = s
		e := policies.Evaluator{Game: g, Opponent: s, OpponentName: policies.Optimal}
		score, err := e.Evaluate(ctx, name, p)
		if err != nil {
			t.Fatal(err)
		}
		r.Scores = append(r.Scores, score)
	}
	if g.Players() == 2 {
		points, err := policies.NewDecisionPoints(g)
		if err != nil {
			t.Fatal(err)
		}
		r.Costliest, err = policies.Differences(points, p, r.Optimal, r.Optimal, policies.DifferenceOptions{Most: 20})
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// widths are those of a phone and of a desktop.
var widths = []int64{390, 1280}

// TestPage drives pages in Chromium.
func TestPage(t *testing.T) {
	racedetector.Skip(t)
	b := browser(t)
	t.Run("looks", func(t *testing.T) { testLooks(t, b) })
	t.Run("slider", func(t *testing.T) { testSlider(t, b) })
	t.Run("keyboard", func(t *testing.T) { testKeyboard(t, b) })
	for _, width := range widths {
		t.Run(fmt.Sprintf("game at %d", width), func(t *testing.T) { testGame(t, b, width) })
	}
	for _, v := range env.Variants() {
		if v.MaxPlayers < 2 {
			continue
		}
		g := env.Must(env.New(env.Config{Variant: v.ID, Players: 2, Target: max(v.Target.Min, min(v.Target.Max, 40))}))
		t.Run(v.ID, func(t *testing.T) { testRules(t, b, g) })
	}
	t.Run("three players", func(t *testing.T) {
		g := env.Must(env.New(env.Config{Variant: "pig", Players: 3, Target: 60}))
		testPictures(open(t, b, report(t, g, "hold-20"), 1280), g, "hold-20", 17)
	})
}
