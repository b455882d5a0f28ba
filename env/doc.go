// Package env holds the Pig dice games and the environments that play them.
//
// The rules are data and pure functions. A [Variant] says what a roll of the
// dice is worth; everything else derives from that one statement: the list of
// chance outcomes with integer weights ([Game.Outcomes]), which an exact
// solver reads, and the table that the sampler draws from. They cannot
// disagree, because there is no second copy of a rule.
//
// Start with [New], which makes a [Game]: a variant with its players, target
// and options. A [State] is a small comparable value; [Game.AfterRoll] and
// [Game.AfterHold] map states to states and use no randomness. Three
// environments put dice behind them:
//
//   - [Match]: every seat acts, in turn order. The fastest way to play one game.
//   - [Solo]: one learner's seat, gym-like Reset and Step; [Player] values play
//     the other seats.
//   - [Vec]: many games at once, in buffers that the caller owns; [SoloVec] is the
//     same for one learner's seat in each, and [ShardedVec] plays either on
//     several cores.
//
// # Determinism
//
// The same game, seed and actions give the same episodes, on any machine and
// in any environment of this package. Nothing here reads a clock or a global
// generator.
package env
