// Package policies says what a player does in each state.
//
// A [Policy] is one method: the chance of rolling in a state. The fixed
// heuristics of the literature, tables that an agent has learned, perfect play
// and a person all fit it. A policy is made for one game and knows it.
//
// Start with [Find], which finds a fixed policy, a trained one or a policy file by
// name, and with [Simulate], which plays one against another.
package policies
