// Package plaintext turns errors and other text into lines for people: on one line,
// without the names of Go packages, and with the nearest name where a name is
// unknown.
package plaintext

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/policies/policyfile"
	"pigpen/train"
)

// sentinels returns the errors of the packages whose texts begin with the name of
// the package, and the text to print in place of each: "" where the text after the
// sentinel says everything.
func sentinels() map[error]string {
	return map[error]string{
		env.ErrConfig:           "",
		env.ErrUnknownVariant:   "unknown variant",
		env.ErrState:            "no state of this game",
		env.ErrVariant:          "bad variant",
		env.ErrSnapshot:         "bad snapshot",
		env.ErrOpponents:        "bad opponents",
		env.ErrNoEpisode:        "no episode is under way; call Reset first",
		env.ErrIllegal:          "illegal action",
		env.ErrBatch:            "slice of the wrong length",
		policies.ErrUnknown:     "unknown policy",
		policies.ErrUnavailable: "",
		policies.ErrStateIndex:  "",
		policyfile.ErrLimit:     "",
		exact.ErrPlayers:        "too many players",
		exact.ErrUnsettled:      "no equilibrium found",
		agents.ErrUnknown:       "unknown agent",
		agents.ErrRecipe:        "no such recipe",
		agents.ErrSetting:       "",
		agents.ErrState:         "bad state of an agent",
		train.ErrLog:            "",
		train.ErrLogInUse:       "the log of a training that is running",
		train.ErrLength:         "a length is needed: steps, episodes or time",
		train.ErrMemory:         "too little memory",
		train.ErrValues:         "--values cannot be kept",
		train.ErrCheckpoint:     "",
		train.ErrDisagrees:      "the checkpoint is of another training",
	}
}

// Error returns the text of err on one line that a terminal can show, without the
// names of the packages that err came through.
func Error(err error) string { return Escape(plainText(err, sentinels())) }

// plainText returns the text of err with the sentinels that it wraps replaced. The
// text of an error that wraps a sentinel begins with that of the sentinel; the text
// of an error that wraps any other error begins or ends with that of the other
// error. Everything else is kept, so that a user's own words, such as the name of a
// file, are printed as they are.
func plainText(err error, sentinels map[error]string) string {
	text := err.Error()
	if e, ok := err.(*env.UnknownNameError); ok {
		return fmt.Sprintf("%s %q; %s%s", plainText(e.Err, sentinels), e.Name, DidYouMean(e.Name, e.Known), e.List)
	}
	if shown, ok := lookUp(sentinels, err); ok && shown != "" {
		return shown
	}
	var wrapped []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		wrapped = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		wrapped = e.Unwrap()
	}
	// The parts of the text that have been replaced stand in head and tail.
	head, tail := "", ""
	for _, w := range wrapped {
		if w == nil {
			continue
		}
		if shown, ok := lookUp(sentinels, w); ok {
			if rest, ok := strings.CutPrefix(text, w.Error()); ok && head == "" {
				if shown == "" {
					rest = strings.TrimPrefix(rest, ": ")
				}
				head, text = shown, rest
			}
			continue
		}
		is := plainText(w, sentinels)
		if is == w.Error() {
			continue
		}
		if rest, ok := strings.CutSuffix(text, w.Error()); ok && tail == "" {
			text, tail = rest, is
		} else if rest, ok := strings.CutPrefix(text, w.Error()); ok && head == "" {
			head, text = is, rest
		}
	}
	return head + text + tail
}

// lookUp returns the entry of an error, which may be of a type that is no key.
func lookUp(sentinels map[error]string, err error) (shown string, ok bool) {
	if !reflect.TypeOf(err).Comparable() {
		return "", false
	}
	shown, ok = sentinels[err]
	return shown, ok
}

// Escape returns text with everything escaped that a terminal would not show as it
// is: line breaks, control sequences, broken UTF-8.
func Escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}
