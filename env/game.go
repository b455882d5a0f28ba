package env

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MaxPlayers is the largest number of seats of any variant.
const MaxPlayers = 10

// DefaultPlayers is the number of seats if [Config] does not set it.
const DefaultPlayers = 2

// ErrConfig is wrapped by the errors of [New] about players, target or options.
var ErrConfig = errors.New("env: bad configuration")

// A Config configures a game. The zero value of each field means the default.
type Config struct {
	Variant string          // an ID or alias; "pig" by default
	Players int             // number of seats; by default 2, or the nearest number for which the variant is
	Target  int             // points or pieces that end the game; the variant's own by default
	Options map[string]bool // the variant's options that differ from their defaults
}

// A Game is a variant with its players, target and options: immutable, and
// comparable with ==. The zero Game is not valid; [New] makes one.
type Game struct {
	variant         *Variant
	table           *outcomeTable // that of the variant under the options
	players, target int16
	options         Options
}

// New returns the game that c configures, of one of [Variants] or of own, which are
// looked at first. The error wraps [ErrUnknownVariant], [ErrVariant] or [ErrConfig] and
// names the valid values.
func New(c Config, own ...*Variant) (Game, error) {
	if c.Variant == "" {
		c.Variant = "pig"
	}
	v, err := Lookup(c.Variant, own...)
	if err != nil {
		return Game{}, err
	}
	if err := v.Check(); err != nil {
		return Game{}, err
	}
	if c.Players == 0 {
		c.Players = min(max(DefaultPlayers, v.MinPlayers), v.MaxPlayers)
	}
	if c.Players < v.MinPlayers || c.Players > v.MaxPlayers {
		return Game{}, fmt.Errorf("%w: %s is for %d to %d players, not %d", ErrConfig, v.ID, v.MinPlayers, v.MaxPlayers, c.Players)
	}
	if c.Target == 0 {
		c.Target = v.Target.Default
	}
	if c.Target < v.Target.Min || c.Target > v.Target.Max {
		if v.Target.Min == v.Target.Max {
			return Game{}, fmt.Errorf("%w: the target of %s is always %d %s, not %d", ErrConfig, v.ID, v.Target.Min, v.Unit, c.Target)
		}
		return Game{}, fmt.Errorf("%w: the target of %s is from %d to %d %s, not %d", ErrConfig, v.ID, v.Target.Min, v.Target.Max, v.Unit, c.Target)
	}
	on, err := v.options(c.Options)
	if err != nil {
		return Game{}, err
	}
	table := v.tableOf(on)
	if table.err != nil {
		return Game{}, table.err
	}
	return Game{
		variant: v, table: table,
		players: int16(c.Players), target: int16(c.Target), options: on,
	}, nil
}

// Must returns g and panics if err is not nil. It is for constant configurations, as
// in tests and examples.
func Must(g Game, err error) Game {
	if err != nil {
		panic(err)
	}
	return g
}

// options returns the set of options that are on: those that asked turns on, and
// those on by default that asked does not name.
func (v *Variant) options(asked map[string]bool) (Options, error) {
	var on Options
	var names []string
	for i, o := range v.Options {
		value, ok := asked[o.Name]
		if !ok {
			value = o.Default
		}
		if value {
			on |= 1 << i
		}
		names = append(names, o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		if !slices.Contains(names, name) {
			has := "has no options"
			if len(names) > 0 {
				has = "has the options " + strings.Join(names, ", ")
			}
			return 0, fmt.Errorf("%w: %s has no option %q; it %s", ErrConfig, v.ID, name, has)
		}
	}
	return on, nil
}

// Config returns the configuration of g with every field set.
func (g Game) Config() Config {
	c := Config{Variant: g.variant.ID, Players: int(g.players), Target: int(g.target)}
	for i, o := range g.variant.Options {
		if c.Options == nil {
			c.Options = make(map[string]bool)
		}
		c.Options[o.Name] = g.options.Has(i)
	}
	return c
}

// Variant returns the game's variant, which must not be changed.
func (g Game) Variant() *Variant { return g.variant }

// Players returns the number of seats, in [1, MaxPlayers].
func (g Game) Players() int { return int(g.players) }

// Target returns the score that ends the game.
func (g Game) Target() int { return int(g.target) }

// Rolls returns the number of rolls: faces to the power of dice.
func (g Game) Rolls() int { return g.table.rolls }

// RollWeight returns the weight of a roll, in [1, TotalWeight]: its probability is that
// divided by TotalWeight. All rolls have weight 1 if the faces have no weights. RollWeight
// panics if roll is not in [0, Rolls).
func (g Game) RollWeight(roll int) int {
	if roll < 0 || roll >= g.table.rolls {
		panic(fmt.Sprintf("env: RollWeight(%d) of a game with %d rolls", roll, g.table.rolls))
	}
	return g.table.rollWeight(roll)
}

// TotalWeight returns the sum of the weights of all rolls, which is that of every list
// that [Game.Outcomes] returns.
func (g Game) TotalWeight() int { return g.table.weight }

// String describes the game on one line, as in "pig, 2 players, target 100".
func (g Game) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d player", g.variant.ID, g.players)
	if g.players != 1 {
		b.WriteByte('s')
	}
	fmt.Fprintf(&b, ", target %d", g.target)
	for i, o := range g.variant.Options {
		if on := g.options.Has(i); on != o.Default {
			fmt.Fprintf(&b, ", %s=%t", o.Name, on)
		}
	}
	return b.String()
}

// Fingerprint returns 16 hexadecimal digits that identify the rules of the game: the
// first 64 bits of the SHA-256 of a text that lists its configuration, its ending
// and every chance outcome. Variants of the same name but with other rules have
// different fingerprints.
func (g Game) Fingerprint() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\nplayers %d\ntarget %d\nending %v\nrolls %d\n", g.variant.ID, g.players, g.target, g.variant.Ending, g.table.weight)
	for i, o := range g.variant.Options {
		fmt.Fprintf(h, "option %s %t\n", o.Name, g.options.Has(i))
	}
	for held, row := range g.table.merged {
		for _, c := range row {
			fmt.Fprintf(h, "held %d: %d x %v\n", held, c.Weight, c.Outcome)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Start returns the state in which a game begins when the given seat is first
// to move. It panics if the seat is not in [0, Players).
func (g Game) Start(first int) State {
	if first < 0 || first >= int(g.players) {
		panic(fmt.Sprintf("env: Start(%d) of a game with %d players", first, g.players))
	}
	return State{First: int8(first), Seat: int8(first)}
}

// Legal returns the actions that the player to move may take: none once the
// game is over, only Roll as long as the turn total is 0 (a turn begins with a
// roll) and after an [Again], both else.
func (g Game) Legal(s State) Actions { return s.legal() }

// legal is [Game.Legal], which depends on the state alone.
func (s *State) legal() Actions {
	switch {
	case s.Over:
		return 0
	case s.TurnTotal == 0 || s.MustRoll:
		return RollOnly
	}
	return HoldOrRoll
}

// Outcomes returns the possible outcomes of a roll in s with their integer weights,
// which sum to [Game.TotalWeight], or nil if the game is over. The slice is shared and
// must not be changed.
func (g Game) Outcomes(s State) []Chance {
	if s.Over {
		return nil
	}
	return g.table.at(s.held())
}

// OutcomeOf returns the outcome of a roll in s that shows the given faces. It returns
// an error if their number is not the number of dice of the game or a face is not in
// [1, Faces].
func (g Game) OutcomeOf(s State, faces ...int) (Outcome, error) {
	v := g.variant
	if len(faces) != v.Dice {
		return Outcome{}, fmt.Errorf("env: %s rolls %d dice, not %d", v.ID, v.Dice, len(faces))
	}
	for _, f := range faces {
		if f < 1 || f > v.Faces {
			return Outcome{}, fmt.Errorf("env: a die of %s shows 1 to %d, not %d", v.ID, v.Faces, f)
		}
	}
	return v.Roll(slices.Clone(faces), s.held(), g.options), nil
}

// Faces returns the faces of the dice in the roll with the given number, in
// [0, Rolls). The first die is the most significant digit of the number. Faces
// panics if roll is out of range.
func (g Game) Faces(roll int) []int {
	if roll < 0 || roll >= g.table.rolls {
		panic(fmt.Sprintf("env: Faces(%d) of a game with %d rolls", roll, g.table.rolls))
	}
	faces := make([]int, g.variant.Dice)
	g.variant.dice(roll, faces)
	return faces
}

// AfterRoll returns the state that follows s if the player to move rolls and the
// outcome is o. s must not be over and o must be one of Outcomes(s).
func (g Game) AfterRoll(s State, o Outcome) State {
	g.roll(&s, o)
	return s
}

// AfterHold returns the state that follows s when the player to move holds.
// Hold must be legal in s.
func (g Game) AfterHold(s State) State {
	g.hold(&s)
	return s
}

// roll is AfterRoll in place. It avoids copying a State whose fields were just written
// one by one, which is slower than applying the rules.
func (g *Game) roll(s *State, o Outcome) {
	switch o.Effect {
	case Gain:
		g.gain(s, o.Points)
	case Again:
		g.gain(s, o.Points)
		s.MustRoll = !s.Over
	default:
		g.endTurn(s, o.Effect)
	}
}

// hold is AfterHold in place.
func (g *Game) hold(s *State) { g.endTurn(s, Stop) }

// gain adds points to the turn total; the turn goes on unless they end the game.
func (g *Game) gain(s *State, points int16) {
	s.MustRoll = false
	s.TurnTotal += points
	if g.variant.Ending == AtTarget && s.Scores[s.Seat]+s.TurnTotal >= g.target {
		s.bank()
		s.Over = true
	}
}

// endTurn applies the effect e, which ends the turn, to the scores and passes the turn
// to the next seat. In games that end after a round it ends the game instead if the
// round is complete and a player has banked the target.
func (g *Game) endTurn(s *State, e Effect) {
	switch e {
	case Wipe:
		s.Scores[s.Seat] = 0
	case Stop:
		s.Scores[s.Seat] += s.TurnTotal
	}
	s.TurnTotal, s.MustRoll = 0, false
	next := s.Seat + 1
	if int16(next) == g.players {
		next = 0
	}
	if g.variant.Ending == AfterRound && next == s.First && g.best(s) >= g.target {
		s.Over = true
		return
	}
	s.Seat = next
}

// best returns the highest banked score.
func (g *Game) best(s *State) int16 { return slices.Max(s.Scores[:g.players]) }

// WinShare returns the share of the win of a seat in s: 1 for the winner, 1/m for each
// of m players who share the highest score at the end, 0 for the others. It is 0 for
// every seat until the game is over, and then sums to 1 over the seats.
func (g Game) WinShare(s State, seat int) float64 {
	if !s.Over {
		return 0
	}
	scores := s.Scores[:g.players]
	best := slices.Max(scores)
	if scores[seat] != best {
		return 0
	}
	tied := 0
	for _, score := range scores {
		if score == best {
			tied++
		}
	}
	return 1 / float64(tied)
}

// Return returns the return of a seat in a game that ends in s: +1 for the winner and
// -1/(n-1) for each other of n players, that is (n·WinShare - 1)/(n-1), which sums to
// 0 over the seats. It is 0 if the game is not over, and with one player, whose
// rewards depend on the number of turns instead.
func (g Game) Return(s State, seat int) float64 {
	if !s.Over || g.players == 1 {
		return 0
	}
	n := float64(g.players)
	return (n*g.WinShare(s, seat) - 1) / (n - 1)
}
