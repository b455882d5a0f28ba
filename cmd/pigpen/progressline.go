package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/schollz/progressbar/v3"

	"pigpen/cmd/pigpen/internal/plaintext"
)

// A view is what a line of progress tells. Its texts may hold names of files, which
// [view.fit] escapes.
type view struct {
	what    string
	details []string // the most important first
	done    float64  // in [0, 1], or unknown
	elapsed time.Duration
	left    time.Duration // or unknown
}

// unknown stands for a figure that cannot be told.
const unknown = -1

// unlimited is the width of a line that is printed.
const unlimited = math.MaxInt

const (
	// A bar has so many columns between its ends.
	minBar, maxBar = 10, 40
	// besidesBar is the columns of a bar that are no part of its length: the
	// percentage, a space and its ends.
	besidesBar = len("100% []")
	// keptDetails do not make room for a bar, only for what goes before them.
	keptDetails = 2
)

// tenths returns how many tenths are done.
func (v view) tenths() int { return max(0, int(10*v.done)) }

// fit returns the line in so many columns. What does not fit is left out, in
// this order: details of less importance, the bar, all details, the time that is
// left, the time that has passed. A terminal that has no room even for the name
// of the work and the percentage gets a part of the name.
func (v view) fit(columns int) string {
	what := plaintext.Escape(v.what)
	var details []string
	for _, d := range v.details {
		if d != "" {
			details = append(details, plaintext.Escape(d))
		}
	}
	percent := ""
	if v.done >= 0 {
		percent = fmt.Sprintf("%d%%", v.percent())
	}
	elapsed := humanDuration(v.elapsed)
	both := elapsed
	if v.left >= 0 {
		both += ", " + humanDuration(v.left) + " left"
	}
	text := func(n int) string {
		if n == 0 {
			return what
		}
		return what + ": " + strings.Join(details[:n], ", ")
	}
	if columns == unlimited {
		return joined(", ", text(len(details)), percent, both)
	}
	if percent != "" {
		for n := len(details); n >= min(keptDetails, len(details)); n-- {
			room := columns - uniseg.StringWidth(joined("  ", text(n), both)) - 2 - besidesBar
			if room >= minBar {
				return joined("  ", text(n), v.bar(min(room, maxBar)), both)
			}
		}
	}
	for n := len(details); n >= 0; n-- {
		if line := joined("  ", text(n), percent, both); uniseg.StringWidth(line) <= columns {
			return line
		}
	}
	for _, figures := range []string{joined(" ", percent, elapsed), percent} {
		room := columns - len(figures) - 1
		if room >= uniseg.StringWidth(what) || room >= enoughOfName {
			return joined(" ", cut(what, room), figures)
		}
	}
	return cut(joined(" ", percent, cut(what, max(0, columns-len(percent)-1))), columns)
}

// enoughOfName is the columns of a name that still tell what it names.
const enoughOfName = 8

// joined joins the parts that are not empty.
func joined(between string, parts ...string) string {
	var some []string
	for _, part := range parts {
		if part != "" {
			some = append(some, part)
		}
	}
	return strings.Join(some, between)
}

// cut returns as much of text as so many columns can show.
func cut(text string, columns int) string {
	if uniseg.StringWidth(text) <= columns {
		return text
	}
	dots := "..."
	if columns < enoughOfName {
		dots = ""
	}
	var b strings.Builder
	room := columns - len(dots)
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if room -= g.Width(); room < 0 {
			break
		}
		b.WriteString(g.Str())
	}
	return strings.TrimRight(b.String(), " ") + dots
}

// percent returns the whole percents that are done, 99 until all is.
func (v view) percent() int { return max(0, min(100, int(100*v.done))) }

// bar returns the percentage and a bar of that many columns between its ends,
// of ASCII characters, which every terminal shows one column wide.
func (v view) bar(columns int) string {
	const whole = 1000
	b := progressbar.NewOptions(whole,
		progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetWidth(columns),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "=", SaucerHead: ">", SaucerPadding: " ", BarStart: "[", BarEnd: "]"}),
	)
	b.RenderBlank()
	b.Set(min(whole-1, max(0, int(whole*v.done)))) // a bar that is full renders nothing any more
	return strings.TrimSpace(b.String())
}

// humanDuration writes a duration as a person does, in one or two units: 8s,
// 1m20s, 2h05m, 3d04h.
func humanDuration(d time.Duration) string {
	seconds := int64(d.Round(time.Second) / time.Second)
	minutes, hours, days := seconds/60, seconds/3600, seconds/86400
	switch {
	case minutes == 0:
		return fmt.Sprintf("%ds", seconds)
	case hours == 0:
		return fmt.Sprintf("%dm%02ds", minutes, seconds%60)
	case days == 0:
		return fmt.Sprintf("%dh%02dm", hours, minutes%60)
	}
	return fmt.Sprintf("%dd%02dh", days, hours%24)
}
