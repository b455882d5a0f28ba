// Package htmlreport writes a page about a policy: one HTML file that needs no network,
// with its scores, its decisions beside those of perfect play, and a game against it.
package htmlreport

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"pigpen/env"
	"pigpen/policies"
)

// MaxBytes is the size of the largest page.
const MaxBytes = 3 << 20

// ErrTooLarge is wrapped where a page would have more than [MaxBytes].
var ErrTooLarge = errors.New("the page is too large")

// A Report is what a page tells of a policy.
type Report struct {
	Name   string // of the policy
	Game   env.Game
	Policy policies.Policy
	// Optimal is perfect play with its values; nil where the game is not solved.
	Optimal interface {
		policies.Policy
		policies.Valuer
	}
	// Scores are those against other policies, the one for the headline first.
	Scores []policies.Report
	// Costliest are decisions of two players that differ from those of Optimal in states
	// that the policy comes to, the costliest first, and Met is the number of all of them.
	Costliest []policies.Difference
	Met       int
	Learning  []Curve
	Made      []Line   // how the policy was made
	Commands  []string // which make it again
	Version   string   // of the program
}

// A Line is a name with its value.
type Line struct{ Name, Value string }

// A Curve is how well a learner played, by decisions. Win and Exploitability are as long
// as X; unknown figures are NaN.
type Curve struct {
	Name                   string
	X, Win, Exploitability []float64
}

//go:embed page.html page.css engine.js charts.js play.js page.js
var sources embed.FS

// scripts are the files of the page's script, in order.
var scripts = []string{"engine.js", "charts.js", "play.js", "page.js"}

// source returns the text of an embedded file.
func source(name string) string {
	text, err := sources.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return string(text)
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"percent": func(x float64) string { return fmt.Sprintf("%.4f%%", 100*x) },
}).Parse(source("page.html")))

// Fits returns an error that wraps [ErrTooLarge] if the page of a policy for g is too
// large whatever the policy is.
func Fits(g env.Game) error {
	return checkSize(valueBytes(g))
}

// checkSize returns an error that wraps [ErrTooLarge] unless a page of the given size fits.
func checkSize(size int) error {
	if size <= MaxBytes {
		return nil
	}
	return fmt.Errorf("%w: it would take %.1f MB, and at most %.0f are good for a page", ErrTooLarge, float64(size)/(1<<20), float64(MaxBytes)/(1<<20))
}

// Write writes the page. The error wraps [ErrTooLarge], or is that of w.
func Write(w io.Writer, r Report) error {
	v, err := r.view()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, v); err != nil {
		return err
	}
	if err := checkSize(b.Len()); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// A view is what the template shows.
type view struct {
	Report
	Style  template.CSS
	Script template.JS
	Data   template.JS

	Rules, Headline, OtherLabel string
	Playable, Compared, Mixed   bool
	HasValues, AfterRound       bool
	Exact                       bool
	// Differences is the number of decisions, of those at all Points, that are not those of
	// perfect play; both are 0 unless there are two players.
	Differences, Points int
	Target, LastScore   int
	Unit                string
	Seats               []int
	Costliest           []costly
	Learning            []string
}

// A costly is a row of the table of decisions.
type costly struct {
	policies.Difference
	Own, Turn, Other int
	Shown            int // Other as the pictures have it
	Round            int
	Does             string
}

// view returns what the template shows.
func (r *Report) view() (*view, error) {
	data, err := r.data()
	if err != nil {
		return nil, err
	}
	var script strings.Builder
	for _, name := range scripts {
		script.WriteString(source(name))
	}
	g := r.Game
	v := &view{
		Report: *r, Style: template.CSS(source("page.css")), Script: template.JS(script.String()), Data: template.JS(data.json),
		Rules: g.Variant().Summary, Headline: r.headline(), OtherLabel: "Other score",
		Playable: data.Playable, Compared: r.Optimal != nil, Mixed: data.mixed, HasValues: data.Values != nil, AfterRound: data.AfterRound,
		Exact:  len(r.Scores) > 0 && r.Scores[0].Method == policies.ExactMethod,
		Target: g.Target(), LastScore: g.Target() - 1, Unit: g.Variant().Unit,
	}
	if data.Playable {
		v.Differences, v.Points = data.differences, data.points
	}
	if g.Players() > 2 {
		v.OtherLabel = "Score of each other"
	}
	for seat := range g.Players() {
		v.Seats = append(v.Seats, seat)
	}
	for _, d := range r.Costliest {
		c := costly{Difference: d, Own: int(d.Observation[0]), Turn: int(d.Observation[1]), Other: int(d.Observation[2]), Does: "holds"}
		if c.Shown = c.Other; c.Shown >= g.Target() {
			c.Shown = g.Target() - 1
		}
		if data.AfterRound && d.Observation[3] > 0 {
			c.Round = 1
		}
		switch {
		case d.RollChance == 1:
			c.Does = "rolls"
		case d.RollChance > 0:
			c.Does = fmt.Sprintf("rolls with a chance of %.4g", d.RollChance)
		}
		v.Costliest = append(v.Costliest, c)
	}
	for _, c := range r.Learning {
		last := len(c.X) - 1
		text := fmt.Sprintf("%s: %.4f%% after %.0f decisions", c.Name, 100*c.Win[last], c.X[last])
		if e := c.Exploitability[last]; !math.IsNaN(e) {
			text += fmt.Sprintf(", exploitability %.6f", e)
		}
		v.Learning = append(v.Learning, text)
	}
	return v, nil
}

// headline tells how good the policy is in a line.
func (r *Report) headline() string {
	if len(r.Scores) == 0 {
		return ""
	}
	s := r.Scores[0]
	even := 1 / float64(r.Game.Players())
	text := fmt.Sprintf("Wins %.4f%% against %s, where %.4g%% is an even share", 100*s.WinMean, s.Against, 100*even)
	if s.Against == policies.Optimal {
		text = fmt.Sprintf("Wins %.4f%% against perfect play, where %.4g%% is perfect", 100*s.WinMean, 100*even)
	}
	if s.ExactFigures != nil && s.Exploitability != nil {
		text += fmt.Sprintf("; the best way to play against it wins %.4f%%", 100*(even+*s.Exploitability))
	}
	return text + "."
}
