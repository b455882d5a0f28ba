package main

import (
	"strings"

	"pigpen/env"
)

// facesOf returns the faces of dice that a roll showed, or nil if the game has no dice
// of six faces.
func facesOf(g env.Game, e env.Event) []int {
	if e.RollNumber < 0 || g.Variant().Faces != 6 {
		return nil
	}
	return g.Faces(int(e.RollNumber))
}

// smallDie returns a die of six faces as one character with its number.
func smallDie(face int) string { return string(rune('⚀'+face-1)) + " " + string(rune('0'+face)) }

// smallDice returns dice as characters with a space behind each.
func smallDice(faces []int) string {
	var b strings.Builder
	for _, face := range faces {
		b.WriteRune(rune('⚀' + face - 1))
		b.WriteByte(' ')
	}
	return b.String()
}

// pips are the three rows of each face, from 1.
var pips = [7][3]string{
	1: {"       ", "   ●   ", "       "},
	2: {" ●     ", "       ", "     ● "},
	3: {" ●     ", "   ●   ", "     ● "},
	4: {" ●   ● ", "       ", " ●   ● "},
	5: {" ●   ● ", "   ●   ", " ●   ● "},
	6: {" ●   ● ", " ●   ● ", " ●   ● "},
}

// bigDice draws dice side by side, in five lines; none if there are no dice.
func bigDice(faces []int) []string {
	if len(faces) == 0 {
		return nil
	}
	lines := make([]string, 5)
	for i, face := range faces {
		if i > 0 {
			for k := range lines {
				lines[k] += " "
			}
		}
		lines[0] += "╭───────╮"
		for k, row := range pips[face] {
			lines[k+1] += "│" + row + "│"
		}
		lines[4] += "╰───────╯"
	}
	return lines
}
