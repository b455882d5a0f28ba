// Package exact computes win probabilities of games of any number of players, as far
// as memory allows, by dynamic programming, to the last digits of a float64 and without
// sampling: of perfect play, [Solve], of any policies against each other, [Evaluate] and
// [Compare], and of the best way to play against a policy, [BestResponse].
//
// Everything is read from a game's own [env.Game.Outcomes]. What makes it fast
// is that banked scores only grow: the values at one pair of banked scores
// depend on pairs with a higher sum, which are done first, and on each other,
// because a bust leaves the scores as they are and passes the turn. Two turns
// that lead to each other in this way are one equation for one number. So only
// the start of each turn is stored; the states inside a turn follow in one pass
// from the highest turn total down, or, for a policy that is given, from the
// start up. Where a roll can cost the banked score, the sweep over all pairs is
// repeated until the few values at a score of 0 stand still, and Anderson mixing of these
// values makes that about ten sweeps: see mixing.go.
//
// With three and more players the values are vectors, and perfect play is an
// equilibrium, which may need mixed decisions: see multiblock.go and multisearch.go. The
// turns at one set of banked scores, one for each player, are a block of linear
// equations once their decisions are chosen.
//
// A result is the same at any number of workers and on every machine.
package exact
