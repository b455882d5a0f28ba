package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionResult is what version prints as JSON.
type versionResult struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Revision and Time are those of the commit that the program was built from, and
	// Modified tells that files had changed since; empty where that is not known.
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
}

func versionCommand() command {
	fs := newFlags("version")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "version", flags: fs,
		short: "tell the version and how the program was built",
		long: `Prints the version, with the commit that the program was built from, Go's
version and the platform, for reports of faults. 'pigpen --version' prints the
version alone.`,
		example: "pigpen version",
		run: func(_ context.Context, s streams, args []string) error {
			if len(args) > 0 {
				return usagef("unexpected argument %q; it takes none", args[0])
			}
			r := versionResult{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					switch s.Key {
					case "vcs.revision":
						r.Revision = s.Value
					case "vcs.time":
						r.Time = s.Value
					case "vcs.modified":
						r.Modified = s.Value == "true"
					}
				}
			}
			if *asJSON {
				return printJSON(s.out, r)
			}
			return print(s.out, r.String())
		},
	}
}

// String lays the result out for people.
func (r versionResult) String() string {
	text := fmt.Sprintf("pigpen %s\n%s, %s\n", r.Version, r.Go, r.Platform)
	if r.Revision != "" {
		text += fmt.Sprintf("commit %s of %s", r.Revision, r.Time)
		if r.Modified {
			text += ", with changes"
		}
		text += "\n"
	}
	return text
}
