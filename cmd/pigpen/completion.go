package main

import (
	"context"
	"embed"
	"slices"
	"strings"
)

// completionScripts are the scripts of each shell, which ask "pigpen complete".
//
//go:embed completion
var completionScripts embed.FS

// shells are the shells that have a script.
func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// completeWord is the command that the scripts call: behind it stand the words of the
// command line after "pigpen", the last of which is to be completed.
const completeWord = "complete"

func completionCommand() command {
	fs := newFlags("completion")
	return command{
		name: "completion", args: strings.Join(shells(), "|"), flags: fs,
		short: "print a script that completes words in a shell",
		long: `Prints a script for a shell, with which it completes commands, flags, variants,
policies and the names of files. The example has the lines for the files that
the shells read as they start, in the order bash, zsh, fish, PowerShell.`,
		example: "source <(pigpen completion bash)\nsource <(pigpen completion zsh)\npigpen completion fish | source\npigpen completion powershell | Out-String | Invoke-Expression",
		run: func(_ context.Context, s streams, args []string) error {
			if len(args) != 1 || !slices.Contains(shells(), args[0]) {
				return usagef("shells given: %s; one is needed of %s", strings.Join(args, " "), strings.Join(shells(), ", "))
			}
			text, err := completionScripts.ReadFile("completion/" + args[0])
			if err != nil {
				return err
			}
			return print(s.out, string(text))
		},
	}
}
