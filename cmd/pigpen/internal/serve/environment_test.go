package serve

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

var long = flag.Bool("long", false, "run the tests that take minutes")

// checkRows compares what a reply shows with a batch, and with other columns.
func checkRows(t *testing.T, a answer, b *env.Batch, others map[string][]float64) {
	t.Helper()
	want := map[string][]float64{
		"observations": numbers(b.Observations), "action_mask": numbers(b.Legal), "rewards": numbers(b.Rewards),
		"terminated": numbers(b.Terminated), "truncated": numbers(b.Truncated), "seats": numbers(b.Seats),
	}
	if len(b.Final) > 0 && (slices.Contains(b.Terminated, true) || slices.Contains(b.Truncated, true)) {
		want["final_observations"] = numbers(b.Final)
	}
	if slices.Contains(b.Ignored, true) {
		want["noops"] = numbers(b.Ignored)
	}
	maps.Copy(want, others)
	for name, list := range want {
		if !alike(a[name], list) {
			t.Fatalf("%s are %v, want %v", name, a[name], list)
		}
	}
	if len(a) != len(want)+2 {
		t.Fatalf("the reply has %d fields, want %d: %v", len(a), len(want)+2, a)
	}
}

// must panics if there is an error.
func must(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
}

// TestEnvironments plays environments of the protocol beside an env.Vec or
// env.SoloVec that is run directly: in both formats, every mode, split among
// workers or not, with resets of some games, snapshots, and actions that are
// ignored.
func TestEnvironments(t *testing.T) {
	for _, format := range formats {
		for mode, autoreset := range autoresetWords {
			for _, config := range []env.Config{{Variant: "pig", Players: 2, Target: 20}, {Variant: "pig-last-round", Players: 3, Target: 15}, {Variant: "cochon"}} {
				for _, one := range []bool{false, true} {
					for _, games := range []int{1, 3, 2 * env.MinShardGames} {
						if games > 3 && (mode != 1 || config.Variant == "cochon" || !*long && (one || format != "msgpack")) {
							continue // one of each is enough, and without -long fewer
						}
						t.Run(fmt.Sprintf("%s/%s/%s/one %t/%d", format, autoreset, config.Variant, one, games), func(t *testing.T) {
							t.Parallel()
							playBoth(t, format, autoreset, config, one, env.VecOptions{
								Games: games, StepLimit: 13, First: env.FirstRandom, Autoreset: env.Autoreset(mode), IgnoreIllegal: games == 3,
							})
						})
					}
				}
			}
		}
	}
}

func playBoth(t *testing.T, format, autoreset string, config env.Config, one bool, o env.VecOptions) {
	c := newClient(t, format, "")
	g := env.Must(env.New(config))
	fields := []field{
		{"variant", config.Variant}, {"players", g.Players()}, {"target", g.Target()}, {"num_envs", o.Games},
		{"step_limit", o.StepLimit}, {"first", "random"}, {"autoreset", autoreset}, {"illegal", illegalWords[env.Hold]},
	}
	if o.IgnoreIllegal {
		fields[7].value = "noop"
	}
	var v interface {
		NewBatch() *env.Batch
		Reset(seed uint64, b *env.Batch) error
		Seed(seeds []uint64, which []bool) error
		ResetGames(which []bool, b *env.Batch) error
		State(i int) env.State
		StepSome(actions []env.Action, which []bool, b *env.Batch) error
		Show(b *env.Batch) error
		MarshalBinary() ([]byte, error)
		ReadSnapshot(b []byte) (restore func(), err error)
	} = env.NewVec(g, o)
	if one {
		fields = append(fields, field{"opponents", []string{"random"}}, field{"seat", "rotate"})
		random, err := policies.Named(t.Context(), "random", g, exact.Options{})
		must(err)
		v, err = env.NewSoloVec(g, env.SoloVecOptions{VecOptions: o, Rotate: true, Opponents: []env.Player{random}})
		must(err)
	}
	told := o.Games > 1 // the replies have views and events
	if told {
		fields = append(fields, field{"views", true}, field{"events", true})
	}
	made := c.ask("make", fields...)
	if seats := map[bool]string{false: "all", true: "one"}[one]; made["seats_controlled"] != seats || made["fingerprint"] != g.Fingerprint() ||
		made["num_columns"] != float64(g.NumColumns()) || made["num_envs"] != float64(o.Games) {
		t.Errorf("make: %v", made)
	}
	handle := field{"env", made["env"].(float64)}
	handle.value = int(made["env"].(float64))

	b := v.NewBatch()
	if told {
		b.Events = make([]env.StepEvent, o.Games)
	}
	views := func() (list []float64) {
		for i := range o.Games {
			for seat := range g.Players() {
				list = append(list, numbers(g.Observe(nil, v.State(i), seat))...)
			}
		}
		return list
	}
	others := func(step bool) map[string][]float64 {
		if !told {
			return nil
		}
		columns := map[string][]float64{"views": views()}
		for i := range o.Games {
			for seat := range g.Players() {
				columns["win_share"] = append(columns["win_share"], g.WinShare(v.State(i), seat))
			}
			if !step {
				continue
			}
			columns["movers"] = append(columns["movers"], float64(b.Events[i].Seat))
			e, effect, dice := b.Events[i], "none", make([]int, g.Variant().Dice)
			if e.Seat >= 0 && e.Action == env.Hold {
				effect = "hold"
			} else if e.Seat >= 0 {
				effect, dice = e.Outcome.Effect.String(), g.Faces(int(e.RollNumber))
			}
			columns["effects"] = append(columns["effects"], float64(slices.Index(effectNames(), effect)))
			columns["points"] = append(columns["points"], float64(e.Points))
			for _, face := range dice {
				columns["dice"] = append(columns["dice"], float64(face))
			}
		}
		return columns
	}
	must(v.Reset(9, b))
	checkRows(t, c.ask("reset", handle, field{"seed", 9}), b, others(false))
	coins := env.NewRand(1 << 41)
	actions := make([]env.Action, o.Games)
	var saved []byte
	for step := range 120 {
		for i := range actions {
			actions[i] = env.Action(coins.Below(env.NumActions))
			if !o.IgnoreIllegal && !b.Legal[env.NumActions*i] {
				actions[i] = env.Roll
			}
		}
		clear(b.Final)
		request := []field{handle, {"actions", list(bytesOf(actions))}}
		var some []bool
		if step%4 == 1 {
			some = make([]bool, o.Games)
			for i := range some {
				some[i] = coins.Below(2) == 0
			}
			request = append(request, field{"mask", list(some)})
		}
		must(v.StepSome(actions, some, b))
		checkRows(t, c.ask("step", request...), b, others(true))
		if a := c.ask("views", handle); len(a) != 4 || !alike(a["views"], views()) {
			t.Fatalf("the views are %v, want %v", a["views"], views())
		}
		switch {
		case step%10 == 3:
			which := make([]bool, o.Games)
			for i := range which {
				which[i] = coins.Below(2) == 0
			}
			mask := []field{handle, {"mask", list(which)}}
			if step%20 == 3 {
				seeds := make([]uint64, o.Games)
				for i := range seeds {
					seeds[i] = env.SeedAt(77, uint64(i))
				}
				must(v.Seed(seeds, which))
				mask = append(mask, field{"seed", 77})
			}
			must(v.ResetGames(which, b), v.Show(b))
			checkRows(t, c.ask("reset", mask...), b, others(false))
		case step%20 == 5:
			saved = c.ask("state", handle)["states"].([]byte)
			if want, err := v.MarshalBinary(); err != nil || !slices.Equal(saved, want) {
				t.Fatalf("the snapshot is %x, want %x, %v", saved, want, err)
			}
		case step%20 == 15:
			restore, err := v.ReadSnapshot(saved)
			must(err)
			restore()
			must(v.Show(b))
			checkRows(t, c.ask("restore", handle, field{"states", wire.Blob(saved)}), b, others(false))
		case step%40 == 27:
			must(v.ResetGames(slices.Repeat([]bool{true}, o.Games), b), v.Show(b))
			checkRows(t, c.ask("reset", handle), b, others(false))
		}
	}
	c.ask("close", handle)
	c.refused(CodeUnknownEnv, "step", handle, field{"actions", list(bytesOf(actions))})
}

func bytesOf(actions []env.Action) []uint8 {
	b := make([]uint8, len(actions))
	for i, a := range actions {
		b[i] = uint8(a)
	}
	return b
}

// TestSeeds resets games with a seed each: each plays what it would alone.
func TestSeeds(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "")
		var alone []float64
		seeds := []uint64{5, 1 << 63, 5}
		for _, seed := range seeds {
			c.ask("make")
			handle := field{"env", int(c.made)}
			c.ask("reset", handle, field{"seed", seed})
			alone = append(alone, c.ask("step", handle, field{"actions", []int{1}})["observations"].([]float64)...)
		}
		c.ask("make", field{"num_envs", 3})
		handle := field{"env", int(c.made)}
		for _, list := range []any{seeds, list(seeds)} {
			c.ask("reset", handle, field{"seeds", list})
			if got := c.ask("step", handle, field{"actions", []int{1, 1, 1}})["observations"]; !alike(got, alone) {
				t.Errorf("%s: seeds %v: %v, want %v", format, list, got, alone)
			}
		}
		c.ask("reset", handle, field{"seeds", seeds}, field{"mask", []bool{true, false, true}})
		c.refused(CodeBadRequest, "reset", handle, field{"seeds", seeds[1:]})
		c.refused(CodeBadRequest, "reset", handle, field{"seeds", seeds}, field{"seed", 1})
		c.refused(CodeBadRequest, "reset", handle, field{"seeds", []int{1, 2, -3}})
	}
}

// TestOnePlayer gives the only player of a game its seat in each way.
func TestOnePlayer(t *testing.T) {
	c := newClient(t, "jsonl", "")
	for _, test := range []struct {
		field field
		seats string
	}{{field{"opponents", []string{}}, "one"}, {field{"seat", 0}, "one"}, {field{"seat", "rotate"}, "one"}, {field{"num_envs", 1}, "all"}} {
		if a := c.ask("make", field{"players", 1}, test.field); a["seats_controlled"] != test.seats {
			t.Errorf("make with %v controls %v, want %s", test.field, a["seats_controlled"], test.seats)
		}
	}
}

// TestWorkers checks that replies do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	for _, one := range []bool{false, true} {
		var replies []string
		for _, workers := range []int{1, 2, 5} {
			c := newClient(t, "msgpack", "random")
			c.Workers = workers
			const n = 3*env.MinShardGames + 1
			fields := []field{{"num_envs", n}, {"autoreset", "same_step"}, {"target", 10}}
			if one {
				fields = append(fields, field{"opponents", []string{"random"}})
			}
			c.ask("make", fields...)
			handle := field{"env", 1}
			shown := c.ask("reset", handle)
			all := fmt.Sprint(shown)
			for range 20 {
				actions := make([]uint8, n)
				for i := range actions {
					actions[i] = 1 - uint8(shown["action_mask"].([]float64)[2*i])
				}
				shown = c.ask("step", handle, field{"actions", list(actions)})
				all += fmt.Sprint(shown)
			}
			all += fmt.Sprint(c.ask("state", handle))
			states := make([]int16, 0, 3*n)
			for i := range n {
				states = append(states, int16(i%40), int16(1+i%30), int16(i%70))
			}
			all += fmt.Sprint(c.ask("act", field{"observations", rows(states, 3)}, field{"sample", true}))
			replies = append(replies, all)
		}
		if replies[0] != replies[1] || replies[0] != replies[2] {
			t.Errorf("one seat %t: the replies depend on the number of workers", one)
		}
	}
}

// TestUnseeded checks that environments without a seed have dice of their own,
// which the session's seed fixes.
func TestUnseeded(t *testing.T) {
	play := func(seed uint64) (traces []string) {
		c := newClient(t, "jsonl", "")
		c.Seed = seed
		for range 2 {
			handle := field{"env", int(c.ask("make")["env"].(float64))}
			c.ask("reset", handle)
			trace := ""
			for range 20 {
				trace += fmt.Sprint(c.ask("step", handle, field{"actions", []int{1}})["observations"])
			}
			traces = append(traces, trace)
		}
		return traces
	}
	first, again, other := play(1), play(1), play(2)
	if !slices.Equal(first, again) {
		t.Error("the same seed of the session gives other games")
	}
	if first[0] == first[1] || first[0] == other[0] {
		t.Error("environments without a seed play the same game")
	}
}

// TestErrorCodes has a request for each error, in both formats, and checks
// that the session goes on.
func TestErrorCodes(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "hold-20")
		c.ask("make", field{"num_envs", 2}, field{"target", 20}) // 1, never reset
		c.ask("make", field{"num_envs", 2}, field{"target", 20}) // 2
		c.ask("make", field{"num_envs", 2}, field{"target", 21}) // 3
		two, three := field{"env", 2}, field{"env", 3}
		c.ask("reset", two, field{"seed", 1})
		c.ask("reset", three, field{"seed", 1})
		before := c.ask("state", two)
		foreign := wire.Blob(c.ask("state", three)["states"].([]byte))
		broken := wire.Blob(slices.Clone(before["states"].([]byte)))
		broken[len(broken)-40] ^= 0x80
		roll := field{"actions", []int{1, 1}}
		for _, test := range []struct {
			code, op string
			fields   []field
			says     string
		}{
			{CodeUnknownOp, "jump", nil, `op "jump"; it is hello,`},
			{CodeBadRequest, "act", nil, "either"},
			{CodeBadRequest, "act", []field{{"observation", []int{1, 2, 3}}, {"observations", [][]int{{1, 2, 3}}}}, "either"},
			{CodeBadRequest, "act", []field{{"observation", []int{1, 2}}}, "has 3 columns, not 2"},
			{CodeBadRequest, "act", []field{{"observation", []int{1, 2, 40000}}}, "16-bit"},
			{CodeBadRequest, "act", []field{{"observation", []float64{1, 2, 0.5}}}, "16-bit"},
			{CodeBadRequest, "act", []field{{"observations", [][]int{{1, 2}}}}, "has 3 columns, not 2"},
			{CodeBadRequest, "act", []field{{"observations", [][]int{{1, 2, 3}, {1, 2}}}}, "one length"},
			{CodeBadRequest, "act", []field{{"observations", [][]int{{1, 2, 3}}}, {"values", true}}, "hold-20"},
			{CodeBadRequest, "act", []field{{"observations", [][]int{{1, 2, 3}}}, {"values", nil}}, "true or false"},
			{CodeBadRequest, "act", []field{{"observations", [][]int{{1, 2, 3}}}, {"env", 1}}, "act has no field"},
			{CodeBadState, "act", []field{{"observations", [][]int{{1, 2, 3}, {99, 1, 0}}}}, "row 1: "},
			{CodeBadState, "act", []field{{"observation", []int{1, -2, 3}}}, "turn total -2"},
			{CodeBadGame, "make", []field{{"variant", "poker"}}, "unknown variant"},
			{CodeBadGame, "make", []field{{"players", 0}}, "players"},
			{CodeBadGame, "make", []field{{"target", -4}}, "target"},
			{CodeBadGame, "make", []field{{"options", map[string]bool{"speed": true}}}, "speed"},
			{CodeBadPolicy, "make", []field{{"opponents", []string{"hold-0"}}}, "no file of that name"},
			{CodeBadPolicy, "make", []field{{"opponents", []string{"hold-20", "hold-20"}}}, "2 for 1 other seats"},
			{CodeBadPolicy, "make", []field{{"opponents", []string{}}}, "0 for 1 other seats"},
			{CodeBadPolicy, "make", []field{{"opponents", []string{"optimal"}}, {"players", 9}}, "optimal"},
			{CodeBadPolicy, "make", []field{{"opponents", []string{"optimal"}}, {"players", 1}}, "1 for 0 other seats"},
			{CodeBadPolicy, "make", []field{{"opponents", []string{"../../../../policies/policyfile/testdata/v1.msgpack"}}, {"target", 99}}, "not for pig"},
			{CodeBadRequest, "make", []field{{"opponents", "hold-20"}}, "list of strings"},
			{CodeBadRequest, "make", []field{{"opponents", []string{"hold-20"}}, {"seat", 2}}, "seat 2"},
			{CodeBadRequest, "make", []field{{"seat", 1}}, "every seat is yours"},
			{CodeBadRequest, "make", []field{{"seat", "first"}}, "rotate"},
			{CodeBadRequest, "make", []field{{"first", "me"}}, "seat0"},
			{CodeBadRequest, "make", []field{{"num_envs", 0}}, "integer in"},
			{CodeBadRequest, "make", []field{{"step_limit", -1}}, "integer in"},
			{CodeBadRequest, "make", []field{{"autoreset", "next-step"}}, "next_step"},
			{CodeBadRequest, "make", []field{{"variant", strings.Repeat("x", 1<<16)}}, "a string"},
			{CodeBadRequest, "make", []field{{"views", 1}}, "true or false"},
			{CodeBadGame, "states", []field{{"variant", "poker"}}, "unknown variant"},
			{CodeBadRequest, "states", []field{{"target", 3}, {"start", 10}}, "start 10 is not in [0, 9]"},
			{CodeBadRequest, "states", []field{{"limit", 0}}, "integer in [1, 1048576]"},
			{CodeLimit, "states", []field{{"players", 10}}, "more decision points than can be numbered"},
			{CodeLimit, "make", []field{{"num_envs", maxGames - 5}}, "more than a session holds"},
			{CodeUnknownEnv, "step", []field{{"env", 9}, roll}, "9"},
			{CodeUnknownEnv, "close", []field{{"env", 0}}, "0"},
			{CodeBadRequest, "step", []field{two}, `"actions" is missing`},
			{CodeBadRequest, "step", []field{two, {"actions", []int{1}}}, "1 elements, not 2"},
			{CodeBadRequest, "step", []field{two, roll, {"mask", []bool{true}}}, "mask has 1 elements, not 2"},
			{CodeBadRequest, "step", []field{two, {"actions", []int{1, 256}}}, "[0, 255]"},
			{CodeBadRequest, "step", []field{two, roll, {"op", "step"}}, "twice"},
			{CodeBadRequest, "step", []field{{"env", "two"}, roll}, "integer in"},
			{CodeIllegalAction, "step", []field{two, {"actions", []int{1, 0}}}, "game 1: hold"},
			{CodeIllegalAction, "step", []field{two, {"actions", []int{1, 2}}}, "game 1: 2"},
			{CodeNoEpisode, "step", []field{{"env", 1}, roll}, "reset"},
			{CodeNoEpisode, "views", []field{{"env", 1}}, "reset"},
			{CodeUnknownEnv, "views", []field{{"env", 9}}, "9"},
			{CodeNoEpisode, "state", []field{{"env", 1}}, "reset"},
			{CodeNoEpisode, "reset", []field{{"env", 1}, {"mask", []bool{true, false}}}, "without mask"},
			{CodeBadRequest, "reset", []field{two, {"mask", []bool{true}}}, "1 elements, not 2"},
			{CodeBadRequest, "reset", []field{two, {"mask", []int{1, 2}}}, "true and false"},
			{CodeBadRequest, "reset", []field{two, {"seed", -1}}, "2^64"},
			{CodeBadRequest, "reset", []field{two, {"seed", nil}}, "2^64"},
			{CodeBadState, "restore", []field{two, {"states", foreign}}, "another game"},
			{CodeBadState, "restore", []field{two, {"states", broken}}, "game 1"},
			{CodeBadState, "restore", []field{two, {"states", wire.Blob("xyz")}}, "3 bytes"},
			{CodeBadRequest, "restore", []field{two, {"states", 7}}, "bytes"},
		} {
			if message := c.refused(test.code, test.op, test.fields...); !strings.Contains(message, test.says) || strings.Contains(message, "env: ") {
				t.Errorf("%s: %s %v: %q, want %q in it", format, test.op, test.fields, message, test.says)
			}
		}
		if after := c.ask("state", two); !slices.Equal(after["states"].([]byte), before["states"].([]byte)) {
			t.Errorf("%s: requests that failed have changed the environment", format)
		}
		c.Policy = nil
		c.refused(CodeNoPolicy, "act", field{"observation", []int{0, 0, 0}})
		for range maxEnvs - 3 {
			c.ask("make")
		}
		if message := c.refused(CodeLimit, "make"); !strings.Contains(message, "1024 environments") {
			t.Errorf("%s: %q", format, message)
		}
		c.ask("close", two)
		c.ask("make")
	}
}

// TestRefusedRestore restores games of several parts from snapshots of which the
// last game alone is bad: it is named by its number, and no game changes.
func TestRefusedRestore(t *testing.T) {
	for _, one := range []bool{false, true} {
		c := newClient(t, "msgpack", "")
		c.Workers = 3
		const n = 3 * env.MinShardGames
		fields := []field{{"num_envs", n}, {"variant", "pig-last-round"}}
		if one {
			fields = append(fields, field{"opponents", []string{"hold-20"}})
		}
		c.ask("make", fields...)
		handle := field{"env", 1}
		c.ask("reset", handle, field{"seed", 1})
		saved := c.ask("state", handle)["states"].([]byte)
		c.ask("step", handle, field{"actions", list(bytes.Repeat([]byte{1}, n))})
		before := c.ask("state", handle)["states"].([]byte)
		size := len(saved) / n
		for _, test := range []struct {
			says   string
			change func(last []byte)
		}{
			{"9223372036854775807 steps are not in [0, ", func(last []byte) { binary.LittleEndian.PutUint64(last[26:], math.MaxInt64) }},
			{"seat 0 has 16000 banked and not yet banked", func(last []byte) { binary.LittleEndian.PutUint16(last[55:], 16000) }},
		} {
			bad := slices.Clone(saved)
			test.change(bad[(n-1)*size:])
			message := c.refused(CodeBadState, "restore", handle, field{"states", wire.Blob(bad)})
			if want := fmt.Sprintf("game %d: ", n-1); !strings.Contains(message, want) || !strings.Contains(message, test.says) {
				t.Errorf("one seat %t: %q, want %q and %q in it", one, message, want, test.says)
			}
			if after := c.ask("state", handle)["states"].([]byte); !slices.Equal(after, before) {
				t.Errorf("one seat %t: %s: the games have changed", one, message)
			}
		}
		c.ask("restore", handle, field{"states", wire.Blob(saved)})
		if after := c.ask("state", handle)["states"].([]byte); !slices.Equal(after, saved) {
			t.Errorf("one seat %t: the games are not what they were", one)
		}
	}
}

// TestEverySeat takes games among opponents to an environment in which every seat is
// the client's, and plays on in both: with the opponent's actions it is the same game.
func TestEverySeat(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "")
		const n, limit = 40, 30
		game := []field{{"num_envs", n}, {"target", 20}, {"first", "random"}, {"autoreset", "disabled"}}
		c.ask("make", append(game, field{"opponents", []string{"hold-6"}}, field{"seat", 1}, field{"step_limit", limit})...)
		c.ask("make", game...)
		solo, all := field{"env", 1}, field{"env", 2}
		everySeat := field{"every_seat", true}
		shown := c.ask("reset", solo, field{"seed", 3})
		r := env.NewRand(1)
		turns := func(a answer) []float64 { return a["observations"].([]float64) }
		live := make([]bool, n)
		for i := range live {
			live[i] = true
		}
		for step := range limit {
			if step%3 == 0 {
				state := c.ask("state", solo, everySeat)
				c.ask("restore", all, field{"states", wire.Blob(state["states"].([]byte))})
				for i, x := range state["steps"].([]float64) {
					if is := state["live"].([]float64)[i] == 1; is != live[i] || is && x != float64(step) {
						t.Fatalf("%s: game %d is live: %t, with %v steps; want %t, %d", format, i, is, x, live[i], step)
					}
				}
				actions := make([]uint8, n)
				for i := range actions {
					actions[i] = uint8(r.Below(2))
					if turns(shown)[3*i+1] == 0 {
						actions[i] = 1
					}
				}
				// All that the opponent does after the client's action is in the next reply of the one environment.
				shown = c.ask("step", solo, field{"actions", list(actions)})
				there := c.ask("step", all, field{"actions", list(actions)})
				for {
					others, any := make([]bool, n), false
					next := make([]uint8, n)
					for i := range others {
						row := turns(there)[3*i : 3*i+3]
						others[i] = live[i] && there["seats"].([]float64)[i] == 0 && there["action_mask"].([]float64)[2*i+1] == 1
						any = any || others[i]
						if row[1] < min(6, 20-row[0]) {
							next[i] = 1
						}
					}
					if !any {
						break
					}
					there = c.ask("step", all, field{"actions", list(next)}, field{"mask", list(others)})
				}
				for i := range n {
					a, b := turns(shown)[3*i:3*i+3], turns(there)[3*i:3*i+3]
					if there["seats"].([]float64)[i] == 0 { // the opponent has moved last
						b = []float64{b[2], 0, b[0]}
					}
					if live[i] && !slices.Equal(a, b) {
						t.Fatalf("%s: game %d shows %v, and %v where every seat is the client's", format, i, a, b)
					}
				}
			} else {
				actions := bytes.Repeat([]byte{1}, n)
				shown = c.ask("step", solo, field{"actions", list(actions)})
			}
			for i := range live {
				live[i] = live[i] && shown["terminated"].([]float64)[i] == 0 && shown["truncated"].([]float64)[i] == 0
			}
		}
		if slices.Index(live, false) < 0 {
			t.Errorf("%s: no game has ended", format)
		}
		if message := c.refused(CodeBadRequest, "state", all, everySeat); !strings.Contains(message, "every seat is yours") {
			t.Errorf("%s: %s", format, message)
		}
	}
}
