package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"pigpen/train"
)

// trainingProgress shows how far a training is: on a terminal with the last
// evaluation, elsewhere with a line for each.
type trainingProgress struct {
	show     *progress
	learning *task
	won      []string // the last evaluation
}

func newProgress(w io.Writer) *trainingProgress {
	p := &trainingProgress{show: showProgress(w)}
	if p.show.width != nil {
		p.show.quiet = 0
	}
	p.learning = p.show.begin("training")
	p.show.refresh()
	return p
}

// evaluated shows an evaluation on the way.
func (p *trainingProgress) evaluated(r train.Row, rival string) {
	p.won = nil
	against := ""
	if !math.IsNaN(r.WinMean) {
		p.won = append(p.won, fmt.Sprintf("wins %.3f%%", 100*r.WinMean))
		against = " against " + rival
	} else {
		p.won = append(p.won, fmt.Sprintf("takes %.3f turns", r.Turns))
	}
	if !math.IsNaN(r.Exploitability) {
		p.won = append(p.won, fmt.Sprintf("exploitability %.5f", r.Exploitability))
	}
	if p.show.width == nil {
		speed := train.Progress{Steps: r.Steps, Elapsed: time.Duration(r.Seconds * float64(time.Second))}.StepsPerSecond()
		p.won[0] += against
		p.show.line(fmt.Sprintf("%s decisions, %s a second, %s", humanCount(float64(r.Steps)), humanCount(speed), strings.Join(p.won, ", ")))
		p.show.told()
	}
}

// progress shows how far the learning is.
func (p *trainingProgress) progress(at train.Progress) {
	details := []string{humanCount(float64(at.Steps)) + " steps"}
	if p.won != nil {
		details = append(details, p.won[0])
	}
	details = append(details, humanCount(at.StepsPerSecond())+"/s")
	if len(p.won) > 1 {
		details = append(details, p.won[1:]...)
	}
	p.learning.update(at.Done, details...)
}

// phase shows what delays the learning, such as an evaluation, until the task
// ends.
func (p *trainingProgress) phase(what string, details ...string) *task {
	return p.show.begin(what, details...)
}

func (p *trainingProgress) close() { p.show.stop() }
