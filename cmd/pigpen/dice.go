package main

import (
	"strconv"
	"strings"

	"pigpen/env"
)

// facesOf returns the faces that a roll showed, and their names if they are not those of
// dice with pips.
func facesOf(g env.Game, e env.Event) (faces []int, names []string) {
	if e.RollNumber < 0 {
		return nil, nil
	}
	faces = g.Faces(int(e.RollNumber))
	v := g.Variant()
	if v.FaceNames == nil && v.Faces < len(pips) {
		return faces, nil
	}
	for _, face := range faces {
		if v.FaceNames != nil {
			names = append(names, v.FaceNames[face-1])
		} else {
			names = append(names, strconv.Itoa(face))
		}
	}
	return faces, names
}

// smallDie returns a die of six faces as one character with its number.
func smallDie(face int) string { return string(rune('⚀'+face-1)) + " " + string(rune('0'+face)) }

// smallRoll returns what a roll showed, with a space behind it: dice as characters, or
// names.
func smallRoll(g env.Game, e env.Event) string {
	faces, names := facesOf(g, e)
	if names != nil {
		return strings.Join(names, " and ") + " "
	}
	var b strings.Builder
	for _, face := range faces {
		b.WriteRune(rune('⚀' + face - 1))
		b.WriteByte(' ')
	}
	return b.String()
}

// bigRoll draws what a roll showed, in lines: dice, or names.
func bigRoll(g env.Game, e env.Event) []string {
	faces, names := facesOf(g, e)
	if names != nil {
		return []string{strings.Join(names, " and ")}
	}
	return bigDice(faces)
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
