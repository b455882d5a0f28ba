package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/cmd/pigpen/internal/plaintext"
)

// finiteFlags returns an error if a flag's number is infinite or none.
func finiteFlags(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if f.Value.Type() != "float64" {
			return
		}
		for text := range strings.SplitSeq(f.Value.String(), ",") { // of a list, each
			if x, wrong := strconv.ParseFloat(text, 64); wrong != nil || math.IsInf(x, 0) || math.IsNaN(x) {
				err = usagef("--%s %s: %s", f.Name, f.Value, wanted["float64"])
			}
		}
	})
	return err
}

// wanted tells what to write for a flag of pflag's own types.
var wanted = map[string]string{
	"int":         "write a whole number",
	"int64":       "write a whole number",
	"uint64":      "write a whole number from 0 to 2^64 - 1",
	"float64":     "write a finite number such as 0.1",
	"duration":    "write a duration such as 30s, 5m or 1h30m",
	"bool":        "write true or false",
	"stringSlice": "write NAME=true or NAME=false",
}

// flagError says what is wrong with the command's flags, and what would be
// right; err is pflag's.
func (c command) flagError(err error) error {
	see := fmt.Sprintf("see 'pigpen %s --help'", c.name)
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &unknown):
		name, written := unknown.GetSpecifiedName(), "--"+unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name, written = letters, "-"+letters
		}
		var names []string
		c.flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		maybe := ""
		if near := plaintext.Nearest(name, names); near != "" {
			maybe = fmt.Sprintf("did you mean --%s? ", near)
		}
		return usagef("unknown flag %s; %s%s", written, maybe, see)
	case errors.As(err, &missing):
		return usagef("--%s needs a value; %s", missing.GetFlag().Name, see)
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		what, ok := wanted[flag.Value.Type()]
		switch flag.Value.(type) {
		case workerCount, *settingList:
			ok = false // its own error tells more
		}
		if !ok {
			what = errors.Unwrap(invalid).Error()
		}
		return usagef("--%s %q: %s; %s", flag.Name, invalid.GetValue(), what, see)
	case errors.As(err, &syntax):
		return usagef("%s is no flag; write --NAME VALUE or --NAME=VALUE; %s", syntax.GetSpecifiedFlag(), see)
	}
	return err
}
