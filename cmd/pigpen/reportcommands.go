package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pigpen/agents"
	"pigpen/cmd/pigpen/internal/htmlreport"
	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/trained"
)

// reproduce sets how the policy was made, and the commands that make it and its page.
func (p *pageAbout) reproduce(of player) error {
	var game []string // flags that choose the game, where no file does
	switch of.ref.Origin {
	case policies.FromRule:
		game = gameArguments(p.Game)
	default:
		f, err := p.flags.files.load(of.ref)
		if err != nil {
			return err
		}
		p.Made = madeLines(f)
		p.Commands = append(p.Commands, commandMaking(of, f))
	}
	p.Commands = append(p.Commands, shellLine(append([]string{"pigpen", "eval", of.name, "--against", everyRule}, game...)...))
	page := append([]string{"pigpen", "report", of.name}, game...)
	for _, name := range p.logs {
		page = append(page, "--log", name)
	}
	p.Commands = append(p.Commands, shellLine(append(page, "--out", p.out)...))
	return nil
}

// commandMaking returns the command that makes a policy that is not fixed.
func commandMaking(of player, f policies.File) string {
	for _, known := range trained.List() {
		if of.ref.Origin == policies.FromTrained && policies.TrainedPrefix+known.Name == of.name {
			return known.Command
		}
	}
	m, index := f.Provenance, f.Table.Index()
	game := gameArguments(index.Game())
	if m.Agent == solveAgent {
		return shellLine(slices.Concat([]string{"pigpen", "solve"}, game, []string{"--out", of.name})...)
	}
	if _, err := agents.Lookup(m.Agent); err != nil {
		return "# another program decided what is in " + plaintext.Escape(of.name)
	}
	command := slices.Concat([]string{"pigpen", "train", "--agent", m.Agent}, game,
		[]string{"--steps", strconv.FormatInt(m.Steps, 10), "--seed", strconv.FormatUint(m.Seed, 10), "--states", string(index.Abstraction())})
	idle := make(map[string]bool) // settings without effect, which train refuses
	for _, s := range agents.AllSettings() {
		idle[s.Name] = s.Needs != "" && m.Settings[s.Needs] == "0"
	}
	for _, name := range slices.Sorted(maps.Keys(m.Settings)) {
		if !idle[name] {
			command = append(command, "--"+name, m.Settings[name])
		}
	}
	return shellLine(append(command, "--out", of.name)...)
}

// gameArguments returns the flags that choose g.
func gameArguments(g env.Game) []string {
	c := g.Config()
	list := []string{"--variant", c.Variant, "--players", strconv.Itoa(c.Players), "--target", strconv.Itoa(c.Target)}
	for _, name := range slices.Sorted(maps.Keys(c.Options)) {
		list = append(list, "--option", fmt.Sprintf("%s=%t", name, c.Options[name]))
	}
	return list
}

// madeLines tells how the policy of a file was made.
func madeLines(f policies.File) []htmlreport.Line {
	m, index := f.Provenance, f.Table.Index()
	lines := []htmlreport.Line{{Name: "agent", Value: m.Agent}}
	for _, name := range slices.Sorted(maps.Keys(m.Settings)) {
		lines = append(lines, htmlreport.Line{Name: name, Value: m.Settings[name]})
	}
	return append(lines,
		htmlreport.Line{Name: "seed", Value: strconv.FormatUint(m.Seed, 10)},
		htmlreport.Line{Name: "decisions", Value: strconv.FormatInt(m.Steps, 10)},
		htmlreport.Line{Name: "episodes", Value: strconv.FormatInt(m.Episodes, 10)},
		htmlreport.Line{Name: "program", Value: "pigpen " + m.Program},
		htmlreport.Line{Name: "states", Value: string(index.Abstraction())},
		htmlreport.Line{Name: "game", Value: index.Game().Fingerprint()},
	)
}

// shellLine writes the words of a command as a shell reads them.
func shellLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !isPlain(r) }) {
			quoted[i] = "'" + strings.ReplaceAll(plaintext.Escape(word), "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// isPlain tells whether a shell takes a character for itself.
func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,=:+^@%", r)
}
