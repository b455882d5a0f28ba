package exact

import (
	"math"
	"sync"

	"pigpen/env"
)

// A multiTable holds the future after every pass of the turn in a game of n players:
// the win probability of each of them, and the expected numbers of turns and decisions.
//
// Players are told apart by role. In games that end at the target all roles are alike
// if every player optimizes, and the table has a single one; else a role is a seat.
// In games that end after a round, role 0 begins the rounds.
type multiTable struct {
	*rules
	players []env.Player // by role; nil optimizes
	roles   int          // 1 if one role serves all players, else n
	width   int          // scores of a turn in which a player may roll are below it
	// futures[role] has a row of the given length for the banked scores of the others,
	// in turn order from the one who moves next, all below the target:
	// futures[role][((o_1·T + o_2)·T + … + o_{n-1})·length:]. A row has n + 2 parts:
	// the win probability of the player who has passed, for each own score up to
	// target + maxGain (1 from the target on); the win probability of each other, in
	// turn order, for each own score below the target; turns; decisions.
	futures [][]float64
	length  int
	// actions has, if keepActions was set, the decisions of the optimizing players:
	// for each of their roles and each row actionRow bytes. Those of a turn from own begin at byte
	// actionStart[own]; bit t-1 is 1 to roll at turn total t.
	actions     [][]byte
	actionRow   int
	actionStart []int
	// chances has the decisions that are mixed, by role and row.
	chances map[turnKey]mixedDecision
	mixed   int // blocks that have any
	// final and finals have what follows once somebody has banked the target, in games
	// that end after a round: final if every player optimizes, else finals.
	final  *finalTable
	finals finalFutures

	residual, deviation float64
	workers             sync.Pool // of *multiWorker, for values
}

// A turnKey identifies a turn: its role, the index of the row of the others' scores,
// and the mover's banked score.
type turnKey struct {
	role, row, own int
}

// A mixedDecision is the chance of rolling at one turn total of a turn.
type mixedDecision struct {
	turnTotal int
	chance    float64
}

// newMultiTable returns a table without its memory; see allocate.
func newMultiTable(r *rules, players []env.Player) *multiTable {
	b := &multiTable{rules: r, players: players, roles: r.players, width: r.target}
	if !r.afterRound && b.optimizers() == r.players {
		b.roles = 1
	}
	if r.afterRound {
		b.width = 1 + beyondLastRoll + r.lastRollAbove(repeat(r.target-1, r.players-1), 0)
	}
	b.length = (r.players+2)*r.target + r.maxGain + 1
	for own := range r.target {
		b.actionStart = append(b.actionStart, b.actionRow)
		b.actionRow += (b.width - 1 - own + 7) / 8
	}
	return b
}

// beyondLastRoll is how far beyond the highest score at which to roll where a bust is
// worth nothing turns are followed, because of those in which it is worth something.
const beyondLastRoll = 40

// repeat returns a slice of n times the value.
func repeat(value, n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = value
	}
	return values
}

// optimizers returns the number of roles that optimize.
func (b *multiTable) optimizers() int {
	n := 0
	for _, p := range b.players {
		if p == nil {
			n++
		}
	}
	return n
}

// rows returns the number of rows of a role, as a float64 because it may be too large
// for an int.
func (b *multiTable) rows() float64 { return math.Pow(float64(b.target), float64(b.rules.players-1)) }

// bytes returns the memory that the table takes.
func (b *multiTable) bytes(keepActions bool) float64 {
	row := 8 * float64(b.length)
	if keepActions {
		row += float64(b.actionRow)
	}
	total := float64(b.roles) * b.rows() * row
	if b.mixes() {
		total += float64(b.roles) * b.rows() * mixerBytes(b.rules.players+2)
	}
	if b.afterRound {
		total += finalBytes(b)
	}
	return total
}

// allocate makes the table's memory.
func (b *multiTable) allocate(keepActions bool) {
	rows := int(b.rows())
	if keepActions {
		b.actions = make([][]byte, b.roles)
	}
	for role := range b.roles {
		f := make([]float64, rows*b.length)
		b.futures = append(b.futures, f)
		if keepActions && b.players[role] == nil {
			b.actions[role] = make([]byte, rows*b.actionRow)
		}
		for row := range rows {
			for own := b.target; own <= b.target+b.maxGain; own++ {
				f[row*b.length+own] = 1
			}
		}
	}
	if b.afterRound && b.optimizers() == b.rules.players {
		b.final = b.newFinalTable()
	}
}

// row returns the row with the given index.
func (b *multiTable) row(role, index int) []float64 {
	return b.futures[role][index*b.length : (index+1)*b.length : (index+1)*b.length]
}

// part returns the index in a row of the win probability of the k-th player after the
// one who has passed, of the turns if k is n, and of the decisions if k is n + 1, all
// with an own score of 0.
func (b *multiTable) part(k int) int {
	if k == 0 {
		return 0
	}
	return k*b.target + b.maxGain + 1
}

// rowIndex returns the index of the row of the player at position m of the given
// scores, which are in turn order.
func (b *multiTable) rowIndex(scores []int, m int) int {
	index := 0
	for k := 1; k < len(scores); k++ {
		index = index*b.target + scores[(m+k)%len(scores)]
	}
	return index
}

// roleOf returns the role in the table of the player at position m of a block.
func (b *multiTable) roleOf(m int) int {
	if b.roles == 1 {
		return 0
	}
	return m
}

// start returns what happens in a game in which the given role begins, the win
// probabilities by role.
func (b *multiTable) start(role int) Evaluation {
	n := b.rules.players
	passed := (role + n - 1) % n
	row := b.row(b.roleOf(passed), 0)
	e := Evaluation{Win: make([]float64, n), Turns: row[b.part(n)], Decisions: row[b.part(n+1)], Residual: b.residual}
	for k := range n {
		e.Win[(passed+k)%n] = row[b.part(k)]
	}
	return e
}
