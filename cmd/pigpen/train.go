package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"pigpen/agents"
	"pigpen/policies"
	"pigpen/train"
)

// trainResult is what train prints as JSON.
type trainResult struct {
	gameResult
	Agent          string  `json:"agent"`
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

// defaultSteps is the length of a training that is given none.
const defaultSteps = 100_000_000

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

// scheduleFlags override an agent's default settings.
type scheduleFlags struct {
	stepSize, starts                     string
	stepSizeFloor, epsilon, epsilonFloor float64
	epsilonHalving                       int64
}

func trainCommand() command {
	fs := newFlags("train")
	var (
		game     = addGameFlags(fs)
		agent    = fs.String("agent", "qlearning", "learner: "+agentNames())
		states   = fs.String("states", "auto", "what the table distinguishes: full, summary (own score, turn total, best other score), or auto")
		out      = fs.String("out", "", "policy file to write (default VARIANT-AGENT.msgpack)")
		seed     = fs.Uint64("seed", 1, "seed of dice and exploration")
		steps    = int64(0)
		episodes = int64(0)
	)
	fs.Var(count(&steps), "steps", "train for so many decisions (default 100M if no length is given)")
	fs.Var(count(&episodes), "episodes", "train for so many games")
	length := fs.Duration("time", 0, "train for so long, as in 30s; the result then depends on the machine")

	var s scheduleFlags
	fs.StringVar(&s.stepSize, "step-size", "", "weight of the n-th sample: a number, 1/n, or n^-P (default: the agent's)")
	fs.Float64Var(&s.stepSizeFloor, "step-size-floor", 0, "least weight of a sample (default: the agent's)")
	fs.Float64Var(&s.epsilon, "epsilon", 0, "chance of a random action (default: the agent's)")
	fs.Var(count(&s.epsilonHalving), "epsilon-halving", "decisions after which epsilon has halved, harmonically (default 0: it stays)")
	fs.Float64Var(&s.epsilonFloor, "epsilon-floor", 0, "least epsilon, where it halves")
	fs.StringVar(&s.starts, "starts", "", "where games begin: game, or exploring (a random state and action) (default: the agent's)")
	stepLimit, memory := int64(policies.DefaultStepLimit), quarterOfMemory()
	fs.Var(count(&stepLimit), "step-limit", "decisions after which a game is cut off")
	fs.Var(size(&memory), "memory", "most memory that the agent's tables may take")
	fs.Lookup("memory").DefValue = "a quarter of the machine's"

	rival := fs.String("against", "", againstHelp)
	evalEvery, evalGames := int64(0), int64(defaultEvalGames)
	fs.Var(count(&evalEvery), "eval-every", "decisions between the evaluations shown on the way; 0 for none (default 20M, or 40 for each entry of a larger table)")
	fs.Var(count(&evalGames), "eval-games", "games of the final evaluation, and a tenth of them on the way, with more than two players")
	fs.Lookup("eval-every").DefValue = ""
	quiet := fs.Bool("quiet", false, "print no progress")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "train", flags: fs,
		short: "train an agent by self-play and save its policy",
		long: `Trains an agent by self-play, writes its policy to a file, and prints how often
that policy wins against another: exactly, with one or two players. The same command writes the same file, byte
for byte, unless --time or Ctrl-C ended the training. Ctrl-C saves what is
learned so far.

A decision is one choice of one player, a step. Each moves an estimate of the
table a part of the way, the step size, towards what was seen; n counts the
moves of that estimate. Epsilon is the chance of trying a random action. The
table tells every state from every other (full), or sees of the other players
only the best score (summary); auto takes full states for two players, and for
more as long as the table stays small. The agents, with their defaults:
` + agentTable(),
		example: "pigpen train --target 50 --agent montecarlo --steps 200M --out mc.msgpack",
		run: func(ctx context.Context, std streams, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			g, rivals, err := game.players(ctx, *rival)
			if err != nil {
				return err
			}
			kind, err := agents.Lookup(*agent)
			if err != nil {
				return usageError{err}
			}
			c := train.Config{
				Game: g, Agent: kind, Settings: kind.Defaults, Seed: *seed, States: policies.States(*states),
				Length:    train.Length{Steps: steps, Episodes: episodes, Time: *length},
				StepLimit: int(stepLimit), MemoryLimit: memory,
				ReportEvery: barEvery, Program: version,
			}
			switch c.States {
			case "auto":
				c.States = policies.AutoStates(g)
			case policies.FullStates, policies.SummaryStates:
			default:
				return usagef("--states %q; it is full, summary or auto", c.States)
			}
			if err := s.override(&c.Settings, fs.Changed); err != nil {
				return usageError{err}
			}
			switch {
			case fs.Changed("steps") && steps < 1:
				return usagef("--steps %d; at least one is needed", steps)
			case fs.Changed("episodes") && episodes < 1:
				return usagef("--episodes %d; at least one is needed", episodes)
			case fs.Changed("time") && *length <= 0:
				return usagef("--time %v; it must be positive", *length)
			}
			if c.Length == (train.Length{}) {
				c.Length.Steps = defaultSteps
			}
			if stepLimit < 1 || stepLimit > maxStepLimit {
				return usagef("--step-limit %d is not in [1, 10M]", stepLimit)
			}
			if evalGames < int64(g.Players()) {
				return usagef("--eval-games %d; each of %d seats needs one", evalGames, g.Players())
			}
			if *out == "" {
				*out = g.Variant().ID + "-" + kind.Name + ".msgpack"
			}
			entries, bytes, err := c.Bytes()
			if err != nil {
				return usageError{err}
			}
			if bytes > float64(memory) {
				less := "a lower --target"
				if g.Players() > 2 && c.States == policies.FullStates {
					less += " or --states summary"
				}
				return usagef("%w: the tables of %v with %s states, %d entries, take %s, and --memory allows %s; %s takes less",
					train.ErrMemory, g, c.States, entries, humanBytes(bytes), humanBytes(float64(memory)), less)
			}
			if err := mayWrite(*out); err != nil {
				return err
			}
			if !fs.Changed("eval-every") {
				evalEvery = max(defaultEvalEvery, evalSteps*int64(entries))
			}
			if evalEvery > 0 {
				c.ReportEvery = min(evalEvery, barEvery)
			}
			final := judge{game: g, rival: rivals[0], seed: *seed}
			if !solvable(g) {
				final.games = int(evalGames)
			}
			done := func() {}
			if !*quiet {
				fmt.Fprintf(std.err, "%s on %v: %s states, %d entries, %s\n", kind.Name, g, c.States, entries, humanBytes(bytes))
				shown := newProgress(std.err)
				done = shown.close
				onTheWay := final
				onTheWay.games = final.games / 10
				if final.games > 0 {
					onTheWay.games = max(g.Players(), onTheWay.games)
				}
				nextEval := evalEvery
				c.Report = func(p train.Progress) {
					if evalEvery > 0 && p.Steps >= nextEval {
						nextEval = (p.Steps/evalEvery + 1) * evalEvery
						if r, err := onTheWay.score(ctx, player{policy: p.Greedy()}); err == nil {
							shown.evaluated(p, r)
						}
					}
					shown.progress(p)
				}
			}
			result, err := train.Run(ctx, c)
			done()
			if err != nil {
				return err
			}
			if err := policies.Save(*out, result.File); err != nil {
				return fmt.Errorf("the policy could not be written: %w", err)
			}
			if !*quiet {
				fmt.Fprintf(std.err, "%d decisions in %.1f s, %s a second\n", result.Steps, result.Elapsed.Seconds(), humanCount(result.StepsPerSecond()))
			}
			// An interrupted training is still scored, which takes a moment.
			scoring := ctx
			if result.Interrupted {
				scoring, final.games = context.WithoutCancel(ctx), min(final.games, defaultEvalGames)
			}
			score, err := final.score(scoring, player{name: *out, policy: result.File.Table})
			if errors.Is(err, context.Canceled) {
				fmt.Fprintf(std.err, "pigpen: train: interrupted in the evaluation; the policy is saved in %s\n", *out)
				return errInterrupted
			} else if err != nil {
				return err
			}
			if err := printTraining(std.out, c, result, *out, entries, score, *asJSON); err != nil {
				return err
			}
			if result.Interrupted {
				fmt.Fprintf(std.err, "pigpen: train: interrupted; the policy so far is saved in %s\n", *out)
				return errInterrupted
			}
			return nil
		},
	}
}

func printTraining(w io.Writer, c train.Config, r train.Result, file string, entries int, s score, asJSON bool) error {
	if asJSON {
		return printJSON(w, trainResult{
			gameResult: resultOf(c.Game, c.Seed),
			Agent:      c.Agent.Name, States: string(c.States), Entries: entries,
			Steps: r.Steps, Episodes: r.Episodes,
			Seconds: r.Elapsed.Seconds(), StepsPerSecond: r.StepsPerSecond(),
			Interrupted: r.Interrupted, PolicyFile: file, Score: s,
		})
	}
	return print(w, fmt.Sprintf("%v, seed %d\n%s learned from %d decisions in %d games; its policy is in %s\n%v",
		c.Game, c.Seed, c.Agent.Name, r.Steps, r.Episodes, file, s))
}

// override puts the flags that were given in the place of an agent's
// defaults.
func (f scheduleFlags) override(s *agents.Settings, given func(flag string) bool) error {
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

func agentNames() string {
	var names []string
	for _, k := range agents.Kinds() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// agentTable describes every agent and its defaults, a line each.
func agentTable() string {
	var b strings.Builder
	for _, k := range agents.Kinds() {
		d := k.Defaults
		starts := "game"
		if d.ExploringStarts {
			starts = "exploring"
		}
		fmt.Fprintf(&b, "\n  %-11s%s\n    --step-size %v --step-size-floor %g --epsilon %g --starts %s",
			k.Name, k.Doc, d.StepSize, d.StepSize.Floor, d.Epsilon.Start, starts)
	}
	return b.String()
}

// trainingProgress shows how far a training is: as a bar on a terminal, as a
// line for each evaluation elsewhere.
type trainingProgress struct {
	w   io.Writer
	bar *progressbar.ProgressBar // nil where w is no terminal
	won string                   // the last evaluation
}

// barSteps is the number of steps of the bar.
const barSteps = 1000

func newProgress(w io.Writer) *trainingProgress {
	p := &trainingProgress{w: w}
	if isTerminal(w) {
		p.bar = progressbar.NewOptions(barSteps,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetWidth(24),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

func (p *trainingProgress) evaluated(at train.Progress, s score) {
	p.won = ", " + s.brief()
	if p.bar == nil {
		fmt.Fprintf(p.w, "%s decisions, %s a second%s\n", humanCount(float64(at.Steps)), humanCount(at.StepsPerSecond()), p.won)
	}
}

func (p *trainingProgress) progress(at train.Progress) {
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%s steps, %s/s%s", humanCount(float64(at.Steps)), humanCount(at.StepsPerSecond()), p.won))
		p.bar.Set(int(at.Done * barSteps))
	}
}

func (p *trainingProgress) close() {
	if p.bar != nil {
		p.bar.Clear()
	}
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
