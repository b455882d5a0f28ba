package env

import "flag"

// Long is the flag -long, with which the tests check all that they can. Without
// it they are quick: every check is made, of less.
var Long = flag.Bool("long", false, "run the tests that take minutes")
