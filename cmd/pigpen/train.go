package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/train"
)

// trainResult is what train prints as JSON.
type trainResult struct {
	gameResult
	Agent          string  `json:"agent"`
	Recipe         string  `json:"recipe"`
	States         string  `json:"states"`
	Entries        int     `json:"entries"`
	Steps          int64   `json:"steps"`
	Episodes       int64   `json:"episodes"`
	Seconds        float64 `json:"seconds"`
	StepsPerSecond float64 `json:"steps_per_second"`
	Interrupted    bool    `json:"interrupted"`
	PolicyFile     string  `json:"policy_file"`
	Score          score   `json:"score"`
}

// The length of a training that is given none.
const (
	defaultSteps  = 2_500_000_000
	expectedSteps = 400_000_000
	textbookSteps = 100_000_000
)

// Evaluations on the way are so many decisions apart, so that they take a small
// part of the time.
const (
	defaultEvalEvery = 20_000_000
	evalSteps        = 40 // for each entry of the table
)

// defaultEvalGames is the number of games of an evaluation that is given none.
const defaultEvalGames = 100_000

// maxStepLimit bounds how long a game can go on, and with it how long an
// interrupt waits.
const maxStepLimit = 10_000_000

// barEvery is the number of decisions between steps of the progress bar.
const barEvery = 1_000_000

// trainFlags are what the command line says of a training.
type trainFlags struct {
	flags *pflag.FlagSet
	game  *gameFlags

	agent, recipe, states string
	out                   string
	rival                 func() string
	seed                  uint64
	workers               int
	steps, episodes       int64
	time                  time.Duration

	update, stepSize, starts             string
	stepSizeFloor, epsilon, epsilonFloor float64
	epsilonHalving                       int64
	stepLimit, memory                    int64

	evalEvery, evalGames int64
	log                  string
	checkpoint, resume   string
	checkpointEvery      time.Duration
	quiet, json          bool
}

func addTrainFlags(fs *pflag.FlagSet) *trainFlags {
	f := &trainFlags{flags: fs, game: addGameFlags(fs), stepLimit: policies.DefaultStepLimit, memory: quarterOfMemory(), evalGames: defaultEvalGames}
	// unset adds a flag whose default its description tells.
	unset := func(value pflag.Value, name, usage string) {
		fs.Var(value, name, usage)
		fs.Lookup(name).DefValue = ""
	}
	fs.StringVar(&f.agent, "agent", "qlearning", "learner: "+agentNames())
	fs.StringVar(&f.recipe, "recipe", "", "how it learns; see above (default: the first that is for so many players)")
	fs.StringVar(&f.out, "out", "", "policy file to write (default VARIANT-AGENT.msgpack)")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of dice and exploration")
	fs.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "processors to use; does not change the result")
	unset(count(&f.steps), "steps", "train for so many decisions (default 2.5G; 400M with expected updates, 100M by the textbook)")
	unset(count(&f.episodes), "episodes", "train for so many episodes")
	fs.DurationVar(&f.time, "time", 0, "train for so long, as in 30s; the result then depends on the machine")

	fs.StringVar(&f.states, "states", "auto", "what the table distinguishes: full, summary (own score, turn total, best other score), or auto")
	fs.StringVar(&f.update, "update", "", "move an estimate towards a sample of the dice, or towards what is expected of them (default sample)")
	fs.StringVar(&f.stepSize, "step-size", "", "weight of the n-th sample: a number, 1/n, or n^-P (default: the recipe's)")
	fs.Float64Var(&f.stepSizeFloor, "step-size-floor", 0, "least weight of a sample (default: the recipe's)")
	fs.Float64Var(&f.epsilon, "epsilon", 0, "chance of exploring (default: the recipe's)")
	unset(count(&f.epsilonHalving), "epsilon-halving", "decisions after which epsilon has halved, harmonically (default 0: it stays)")
	fs.Float64Var(&f.epsilonFloor, "epsilon-floor", 0, "least epsilon, where it halves")
	fs.StringVar(&f.starts, "starts", "", "where games begin: game, or exploring (a random state and action) (default: the recipe's)")
	fs.Var(count(&f.stepLimit), "step-limit", "decisions after which a game is cut off")
	fs.Var(size(&f.memory), "memory", "most memory that the agent's tables may take")
	fs.Lookup("memory").DefValue = "a quarter of the machine's"

	f.rival = addAgainst(fs)
	unset(count(&f.evalEvery), "eval-every", "decisions between the evaluations on the way; 0 for none (default 20M, or 40 for each entry of a larger table)")
	fs.Var(count(&f.evalGames), "eval-games", "games of the final evaluation, and a tenth of them on the way, with more than two players")
	fs.StringVar(&f.log, "log", "", "file for a row of figures at each evaluation: CSV if its name ends in .csv, JSON lines if in .jsonl")
	fs.StringVar(&f.checkpoint, "checkpoint", "", "file that keeps a state from which the training can go on, written at the end")
	fs.DurationVar(&f.checkpointEvery, "checkpoint-every", 0, "write it on the way too, so often, as in 1m")
	fs.StringVar(&f.resume, "resume", "", "go on from this checkpoint, with its settings; a length counts from the very start")
	fs.BoolVar(&f.quiet, "quiet", false, "print no progress")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	return f
}

func trainCommand() command {
	fs := newFlags("train")
	f := addTrainFlags(fs)
	return command{
		name: "train", flags: fs,
		short: "train an agent by self-play and save its policy",
		long: `Trains an agent by self-play, writes its policy to a file, and prints how often
that policy wins against another: exactly, with one or two players. The same
command writes the same file, byte for byte, with any number of workers and
however often it was resumed, unless --time or Ctrl-C ended the training. Ctrl-C
saves what is learned so far.

A decision is one choice of one player, a step. The table tells every state from
every other (full), or sees of the other players only the best score (summary);
auto takes full states for two players, and for more as long as the table stays
small. Each sample moves an estimate of the table a part of the way, the step
size; n counts the samples of that estimate. Epsilon is the chance of exploring.
The agents, their recipes, and the settings that these heed:
` + agentTable() + `

A log has these columns: steps, episodes and seconds of learning since the start;
win_mean, the win probability against --against, the mean of all seats;
exploitability, what a best response wins more than half, with two players;
expected_turns of a game; epsilon; step_size, the mean weight of the last sample
in its estimate; coverage, the part of the table's entries that have samples.`,
		example: "pigpen train --target 50 --agent montecarlo --steps 200M --out mc.msgpack\n" +
			"pigpen train --log curve.csv --checkpoint c.msgpack --checkpoint-every 1m\n" +
			"pigpen train --resume c.msgpack --steps 4G --log curve.csv",
		run: func(ctx context.Context, std streams, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			return f.train(ctx, std)
		},
	}
}

// train runs the command.
func (f *trainFlags) train(ctx context.Context, std streams) (err error) {
	var show *progress
	if !f.quiet {
		show = showProgress(std.err)
	}
	defer show.stop()
	c, final, err := f.config(ctx, show)
	if err != nil {
		return err
	}
	entries, bytes, err := c.Bytes()
	if err != nil {
		return usageError{err}
	}
	if bytes > float64(f.memory) {
		less := "a lower --target"
		if c.Game.Players() > 2 && c.States == policies.FullStates {
			less += " or --states summary"
		}
		return usagef("%w: the tables of %v with %s states, %d entries, take %s, and --memory allows %s; %s takes less",
			train.ErrMemory, c.Game, c.States, entries, humanBytes(bytes), humanBytes(float64(f.memory)), less)
	}
	if err := mayWrite(f.out); err != nil {
		return err
	}
	if f.checkpoint != "" {
		if err := policies.Writable(f.checkpoint); err != nil {
			return fmt.Errorf("the checkpoint could not be written: %w", err)
		}
	}
	if c.EvalEvery = f.evalEvery; !f.flags.Changed("eval-every") {
		c.EvalEvery = max(defaultEvalEvery, evalSteps*int64(entries))
	}
	onTheWay := *final
	if final.games > 0 {
		onTheWay.games = max(c.Game.Players(), final.games/10)
	}
	var log *train.Log
	if f.log != "" {
		resumed := int64(0)
		if c.Resume != nil {
			resumed = c.Resume.Steps
		}
		if log, err = train.OpenLog(f.log, c.Resume != nil, resumed); err != nil {
			return err
		}
		defer log.Close()
	}
	done := func() {}
	var shown *trainingProgress
	if !f.quiet {
		resumed := ""
		if c.Resume != nil {
			resumed = fmt.Sprintf(", resumed after %d decisions", c.Resume.Steps)
		}
		fmt.Fprintf(std.err, "%s on %v: %s, %s states, %d entries, %s%s\n", c.Agent.Name, c.Game, c.Recipe.Name, c.States, entries, humanBytes(bytes), resumed)
		shown = newProgress(std.err)
		onTheWay.show = shown.show
		done = shown.close
		c.ReportEvery = barEvery
		c.Report = shown.progress
	}
	if log != nil || shown != nil {
		c.Evaluate = onTheWay.rate
		c.Evaluated = func(r train.Row) error {
			if shown != nil {
				shown.evaluated(r, onTheWay.rival.name)
			}
			if log != nil {
				return log.Write(r)
			}
			return nil
		}
	}
	result, err := train.Run(ctx, c)
	done()
	if err != nil {
		return err
	}
	if err := policies.Save(f.out, result.File); err != nil {
		return fmt.Errorf("the policy could not be written: %w", err)
	}
	if !f.quiet {
		fmt.Fprintf(std.err, "%d decisions in %.1f s, %s a second\n", result.Steps, result.Elapsed.Seconds(), humanCount(result.StepsPerSecond()))
	}
	// An interrupted training is still scored, which takes a moment.
	scoring := ctx
	if result.Interrupted {
		scoring, final.games = context.WithoutCancel(ctx), min(final.games, defaultEvalGames)
	}
	score, err := final.score(scoring, player{name: f.out, policy: result.File.Table})
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(std.err, "pigpen: train: interrupted in the evaluation; the policy is saved in %s\n", f.out)
		return errInterrupted
	} else if err != nil {
		return err
	}
	if err := f.print(std.out, c, result, entries, score); err != nil {
		return err
	}
	if result.Interrupted {
		fmt.Fprintf(std.err, "pigpen: train: interrupted; the policy so far is saved in %s\n", f.out)
		return errInterrupted
	}
	return nil
}

// config returns what to train, and who judges it. It fills in f.out.
func (f *trainFlags) config(ctx context.Context, show *progress) (train.Config, *judge, error) {
	var c train.Config
	fail := func(err error) (train.Config, *judge, error) { return c, nil, err }
	if f.resume != "" {
		k, err := train.LoadCheckpoint(f.resume, f.memory)
		if err != nil {
			return fail(err)
		}
		c.Resume = k
		if err := f.adopt(k); err != nil {
			return fail(err)
		}
	}
	g, rivals, err := f.game.players(ctx, show, f.workers, f.rival())
	if err != nil {
		return fail(err)
	}
	kind, err := agents.Lookup(f.agent)
	if err != nil {
		return fail(usageError{err})
	}
	recipe, err := kind.Recipe(f.recipe, g)
	if err != nil {
		return fail(usageError{err})
	}
	c.Game, c.Agent, c.Recipe, c.Seed, c.Program = g, kind, recipe, f.seed, version
	c.Settings = recipe.Defaults
	if c.Resume != nil {
		c.Settings = c.Resume.Settings
	}
	if err := f.settings(recipe, &c.Settings); err != nil {
		return fail(usageError{err})
	}
	c.Length = train.Length{Steps: f.steps, Episodes: f.episodes, Time: f.time}
	c.StepLimit, c.MemoryLimit, c.Workers = int(f.stepLimit), f.memory, f.workers
	c.Checkpoint, c.CheckpointEvery = f.checkpoint, f.checkpointEvery
	switch c.States = policies.States(f.states); c.States {
	case "auto":
		c.States = policies.AutoStates(g)
	case policies.FullStates, policies.SummaryStates:
	default:
		return fail(usagef("--states %q; it is full, summary or auto", c.States))
	}
	if err := f.check(g); err != nil {
		return fail(err)
	}
	if c.Length == (train.Length{}) {
		switch {
		case recipe.Name == agents.Textbook:
			c.Length.Steps = textbookSteps
		case c.Settings.Update == agents.ExpectedUpdate:
			c.Length.Steps = expectedSteps
		default:
			c.Length.Steps = defaultSteps
		}
	}
	if f.out == "" {
		f.out = g.Variant().ID + "-" + kind.Name + ".msgpack"
	}
	final := &judge{game: g, rival: rivals[0], seed: f.seed, workers: f.workers, show: show}
	if !solvable(g) {
		final.games = int(f.evalGames)
	}
	return c, final, nil
}

// adopt takes from a checkpoint what the flags do not say.
func (f *trainFlags) adopt(k *train.Checkpoint) error {
	g, err := k.Game()
	if err != nil {
		return err
	}
	if err := f.game.agree(f.resume, "a checkpoint of", g); err != nil {
		return err
	}
	given := f.flags.Changed
	f.game.config, f.game.options = g.Config(), nil
	if !given("agent") {
		f.agent = k.Agent
	}
	if !given("recipe") {
		f.recipe = k.Recipe
	}
	if !given("states") {
		f.states = string(k.States)
	}
	if !given("seed") {
		f.seed = k.Seed
	}
	if !given("step-limit") {
		f.stepLimit = int64(k.StepLimit)
	}
	if !given("checkpoint") {
		f.checkpoint = f.resume
	}
	return nil
}

// check returns what is wrong with the numbers that the flags say.
func (f *trainFlags) check(g env.Game) error {
	given := f.flags.Changed
	switch {
	case given("steps") && f.steps < 1:
		return usagef("--steps %d; at least one is needed", f.steps)
	case given("episodes") && f.episodes < 1:
		return usagef("--episodes %d; at least one is needed", f.episodes)
	case given("time") && f.time <= 0:
		return usagef("--time %v; it must be positive", f.time)
	case f.workers < 1:
		return usagef("--workers %d; at least one is needed", f.workers)
	case f.stepLimit < 1 || f.stepLimit > maxStepLimit:
		return usagef("--step-limit %d is not in [1, 10M]", f.stepLimit)
	case f.evalGames < int64(g.Players()):
		return usagef("--eval-games %d; each of %d seats needs one", f.evalGames, g.Players())
	case f.checkpointEvery < 0:
		return usagef("--checkpoint-every %v; it must be positive", f.checkpointEvery)
	case f.checkpointEvery > 0 && f.checkpoint == "":
		return usagef("--checkpoint-every %v says no file; --checkpoint does", f.checkpointEvery)
	}
	return nil
}

// settings puts the flags that were given in the place of s.
func (f *trainFlags) settings(r agents.Recipe, s *agents.Settings) error {
	for flag, setting := range map[string]agents.Setting{
		"update": agents.UpdateSetting, "step-size": agents.StepSizeSetting, "step-size-floor": agents.StepSizeSetting,
		"epsilon": agents.EpsilonSetting, "epsilon-halving": agents.EpsilonSetting, "epsilon-floor": agents.EpsilonSetting,
		"starts": agents.StartsSetting,
	} {
		if f.flags.Changed(flag) && !slices.Contains(r.Uses, setting) {
			return fmt.Errorf("the recipe %s does not heed --%s", r.Name, flag)
		}
	}
	given := f.flags.Changed
	if given("update") {
		switch f.update {
		case agents.SampleUpdate.String():
			s.Update = agents.SampleUpdate
		case agents.ExpectedUpdate.String():
			*s = r.Expected
		default:
			return fmt.Errorf("--update %q; it is sample or expected", f.update)
		}
	}
	if given("step-size") {
		parsed, err := agents.ParseStepSize(f.stepSize)
		if err != nil {
			return err
		}
		parsed.Floor = s.StepSize.Floor
		if parsed.Power == 0 {
			parsed.Floor = 0 // a constant has no floor of its own
		}
		s.StepSize = parsed
	}
	if given("step-size-floor") {
		s.StepSize.Floor = f.stepSizeFloor
	}
	if given("epsilon") {
		s.Epsilon.Start = f.epsilon
	}
	if given("epsilon-halving") {
		s.Epsilon.Halving = f.epsilonHalving
	}
	if given("epsilon-floor") {
		s.Epsilon.Floor = f.epsilonFloor
	}
	if given("starts") {
		if f.starts != "game" && f.starts != "exploring" {
			return fmt.Errorf("--starts %q; it is game or exploring", f.starts)
		}
		s.ExploringStarts = f.starts == "exploring"
	}
	return s.Check()
}

func (f *trainFlags) print(w io.Writer, c train.Config, r train.Result, entries int, s score) error {
	if f.json {
		return printJSON(w, trainResult{
			gameResult: resultOf(c.Game, c.Seed),
			Agent:      c.Agent.Name, Recipe: c.Recipe.Name, States: string(c.States), Entries: entries,
			Steps: r.Steps, Episodes: r.Episodes,
			Seconds: r.Elapsed.Seconds(), StepsPerSecond: r.StepsPerSecond(),
			Interrupted: r.Interrupted, PolicyFile: f.out, Score: s,
		})
	}
	return print(w, fmt.Sprintf("%v, seed %d\n%s (%s) learned from %d decisions in %d episodes; its policy is in %s\n%v",
		c.Game, c.Seed, c.Agent.Name, c.Recipe.Name, r.Steps, r.Episodes, f.out, s))
}

func agentNames() string {
	var names []string
	for _, k := range agents.Kinds() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// agentTable describes every agent, its recipes and their settings.
func agentTable() string {
	var b strings.Builder
	for _, k := range agents.Kinds() {
		fmt.Fprintf(&b, "\n  %s: %s", k.Name, k.Doc)
		for _, r := range k.Recipes {
			players := "any number of players"
			if r.MaxPlayers < env.MaxPlayers {
				players = fmt.Sprintf("up to %d players", r.MaxPlayers)
			}
			fmt.Fprintf(&b, "\n    --recipe %-11s %s; %s", r.Name, r.Doc, players)
			if settings := describe(r, r.Defaults); settings != "" {
				fmt.Fprintf(&b, "\n%25s%s", "", settings)
			}
			if r.Expected != (agents.Settings{}) {
				fmt.Fprintf(&b, "\n%25s%s", "", describe(r, r.Expected))
			}
		}
	}
	return b.String()
}

// describe returns the settings that a recipe heeds, as flags.
func describe(r agents.Recipe, d agents.Settings) string {
	var flags []string
	for _, s := range r.Uses {
		switch s {
		case agents.UpdateSetting:
			flags = append(flags, "--update "+d.Update.String())
		case agents.StepSizeSetting:
			flags = append(flags, fmt.Sprintf("--step-size %v --step-size-floor %g", d.StepSize, d.StepSize.Floor))
		case agents.EpsilonSetting:
			flags = append(flags, fmt.Sprintf("--epsilon %g", d.Epsilon.Start))
		case agents.StartsSetting:
			starts := "game"
			if d.ExploringStarts {
				starts = "exploring"
			}
			flags = append(flags, "--starts "+starts)
		}
	}
	return strings.Join(flags, " ")
}

// humanCount writes a count to three digits, as in 41.2M.
func humanCount(x float64) string {
	for _, u := range []struct {
		size   float64
		suffix string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= u.size {
			return fmt.Sprintf("%.3g%s", x/u.size, u.suffix)
		}
	}
	return fmt.Sprintf("%.3g", x)
}

// humanBytes writes a size to three digits, as in 4.02 MB.
func humanBytes(x float64) string {
	text := humanCount(x)
	if last := text[len(text)-1]; last > '9' {
		return text[:len(text)-1] + " " + string(last) + "B"
	}
	return text + " B"
}
