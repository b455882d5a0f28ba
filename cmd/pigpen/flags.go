package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/atomicfile"
	"pigpen/policies/trained"
)

// gameFlags choose a game.
type gameFlags struct {
	flags   *pflag.FlagSet
	config  env.Config
	options []string
	files   policyReader
}

func addGameFlags(fs *pflag.FlagSet) *gameFlags {
	g := &gameFlags{flags: fs}
	fs.StringVar(&g.config.Variant, "variant", "pig", "game to play; 'pigpen variants' lists them")
	fs.IntVar(&g.config.Players, "players", env.DefaultPlayers, "number of seats")
	fs.IntVar(&g.config.Target, "target", 0, "score that ends the game (default: the variant's own)")
	fs.StringSliceVar(&g.options, "option", nil, "switch of the variant, as NAME=true or NAME=false; may be repeated")
	return g
}

// game returns the game that the flags ask for.
func (g *gameFlags) game() (env.Game, error) {
	if err := g.check(); err != nil {
		return env.Game{}, err
	}
	c := g.config
	var err error
	if c.Options, err = g.switches(); err != nil {
		return env.Game{}, err
	}
	game, err := env.New(c)
	if err != nil {
		return env.Game{}, usageError{err}
	}
	return game, nil
}

// check refuses what an env.Config would take for a wish for the default.
func (g *gameFlags) check() error {
	switch {
	case g.config.Variant == "":
		return usagef("--variant is empty; 'pigpen variants' lists the variants")
	case g.config.Players == 0:
		return usagef("--players 0; 'pigpen variants' lists how many each game is for")
	case g.config.Target == 0 && g.flags.Changed("target"):
		return usagef("--target 0; 'pigpen variants' lists the targets of each game")
	case len(g.options) == 0 && g.flags.Changed("option"):
		return usagef("--option is empty; write NAME=true or NAME=false")
	}
	return nil
}

// switches returns what --option says.
func (g *gameFlags) switches() (map[string]bool, error) {
	on := make(map[string]bool)
	for _, o := range g.options {
		name, value, _ := strings.Cut(o, "=")
		b, err := strconv.ParseBool(value)
		if err != nil {
			return nil, usagef("--option %q; write NAME=true or NAME=false", o)
		}
		on[name] = b
	}
	return on, nil
}

// agree returns a usage error if a flag asks for another game than the file
// at path has, which is described as in "a policy for".
func (g *gameFlags) agree(path, is string, has env.Game) error {
	if err := g.check(); err != nil {
		return err
	}
	for _, name := range []string{"variant", "players", "target", "option"} {
		if !g.flags.Changed(name) {
			continue
		}
		asked := has.Config()
		flag := g.flags.Lookup(name).Value.String()
		switch name {
		case "variant":
			v, err := env.Lookup(g.config.Variant)
			if err != nil {
				return usageError{err}
			}
			asked.Variant = v.ID
		case "players":
			asked.Players = g.config.Players
		case "target":
			asked.Target = g.config.Target
		case "option":
			on, err := g.switches()
			if err != nil {
				return err
			}
			for name, value := range on {
				if asked.Options == nil {
					asked.Options = make(map[string]bool)
				}
				asked.Options[name] = value
			}
		}
		if game, err := env.New(asked); err != nil || game != has {
			return usagef("%s is %s %v, and --%s %s asks for another game; leave the flag out", path, is, has, name, flag)
		}
	}
	return nil
}

// A player is a policy with what it is called.
type player struct {
	name   string // as on the command line
	policy policies.Policy
	file   *policies.File // nil for a fixed policy
}

// players returns the policies of the given names or files, and the game they
// are for. It is [gameFlags.find] and [makePlayers].
func (g *gameFlags) players(ctx context.Context, show *progress, workers int, names ...string) (env.Game, []player, error) {
	game, list, err := g.find(names...)
	if err != nil {
		return env.Game{}, nil, err
	}
	return game, list, makePlayers(ctx, show, workers, game, list)
}

// find checks the names of policies and reads those that are files, and returns
// them with the game they are for: the one that the files name, else the one
// that the flags ask for. A file that is named twice is read once. The name
// [byDefault] asks for the game's [reference]. What remains to be done by
// [makePlayers] takes long and cannot fail.
//
// A name is looked for among the fixed policies first, then among those that
// are built in, then among the files: ./NAME is always a file.
func (g *gameFlags) find(names ...string) (env.Game, []player, error) {
	list := make([]player, len(names))
	var game env.Game
	var from string // the file that named the game
	for i, name := range names {
		list[i].name = name
		if name == byDefault || policies.Known(name) == nil {
			continue
		}
		f, err := g.files.load(name)
		if err != nil {
			return env.Game{}, nil, err
		}
		l := f.Table.Layout()
		if from == "" {
			from, game = name, l.Game()
			if err := g.agree(from, "a policy for", game); err != nil {
				return env.Game{}, nil, err
			}
		} else if l.Game() != game {
			return env.Game{}, nil, usagef("%s is a policy for %v, and %s for %v; both must be for the same game", from, game, name, l.Game())
		}
		list[i].policy, list[i].file = f.Table, f
	}
	if from == "" {
		var err error
		if game, err = g.game(); err != nil {
			return env.Game{}, nil, err
		}
	}
	for i := range list {
		p := &list[i]
		if p.policy != nil {
			continue
		}
		if p.name == byDefault {
			p.name = reference(game)
		}
		if err := policies.Available(p.name, game); err != nil {
			return env.Game{}, nil, usageError{err}
		}
	}
	return game, list, nil
}

// makePlayers makes the fixed policies of a list that [gameFlags.find] returned.
// Each is made once: optimal is solved with so many workers, and shown.
func makePlayers(ctx context.Context, show *progress, workers int, game env.Game, list []player) error {
	made := make(map[string]policies.Policy)
	for i := range list {
		p := &list[i]
		if p.policy != nil {
			continue
		}
		if p.policy = made[p.name]; p.policy != nil {
			continue
		}
		solving := show.begin("solving", game.Variant().ID, fmt.Sprintf("target %d", game.Target()))
		var err error
		p.policy, err = policies.Named(ctx, p.name, game, solving.options(workers))
		solving.end()
		if err != nil {
			return err
		}
		made[p.name] = p.policy
	}
	return nil
}

// byDefault stands for a policy that nobody named.
const byDefault = "\x00"

// againstUsage describes the flag --against.
const againstUsage = "policy in all other seats: a name or a file (default optimal or, with more than two players, hold-20)"

// addAgainst adds the flag --against for one policy, and returns what reads it.
func addAgainst(fs *pflag.FlagSet) func() string {
	var names nameList
	fs.Var(&names, "against", againstUsage)
	names.single = true
	return func() string {
		if len(names.names) == 0 {
			return byDefault
		}
		return names.names[0]
	}
}

// everyRule is the name that stands for all of [rules] in --against.
const everyRule = "all"

// addAgainstSeveral adds the flag --against for any number of policies, and
// returns what reads it.
func addAgainstSeveral(fs *pflag.FlagSet) func() []string {
	var names nameList
	fs.Var(&names, "against", againstUsage+`; repeated or as a list, A,B,C, several; "all" stands for optimal and every rule of thumb, with hold-20 and hold-25`)
	return func() []string {
		if len(names.names) == 0 {
			return []string{byDefault}
		}
		return names.names
	}
}

// rules returns the fixed policies that there are for a game, hold-N as hold-20
// and hold-25.
func rules(game env.Game) []string {
	var names []string
	for _, f := range policies.FixedPolicies() {
		if stem, numbered := strings.CutSuffix(f.Name, "N"); numbered {
			names = append(names, stem+"20", stem+"25")
		} else if policies.Available(f.Name, game) == nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// A nameList is a flag for names of policies, separated by commas or in several
// flags; a value that is the name of a file is one name, commas or not. If it is
// single, only one name is taken.
type nameList struct {
	names  []string
	single bool
}

// Set implements pflag.Value.
func (l *nameList) Set(text string) error {
	names := []string{text}
	if _, err := os.Stat(text); err != nil && !l.single {
		names = strings.Split(text, ",")
	}
	if l.single && len(l.names) > 0 {
		return fmt.Errorf("it is given already, as %s; one policy is wanted", l.names[0])
	}
	for _, name := range names {
		if err := checkFileName(name); err != nil {
			return err
		}
	}
	l.names = append(l.names, names...)
	return nil
}

// String implements pflag.Value.
func (l *nameList) String() string { return strings.Join(l.names, ",") }

// Type implements pflag.Value.
func (l *nameList) Type() string { return "policy" }

// trainedPrefix begins the names of policies that are built in.
const trainedPrefix = "trained/"

// A policyReader reads policy files, each once.
type policyReader struct {
	byName map[string]*policies.File
	files  []os.FileInfo
	tables []*policies.File // of files
}

// load returns the policy of that name: one that is built in, or a file. It is a
// [usageError] if there is none.
func (r *policyReader) load(name string) (*policies.File, error) {
	if f := r.byName[name]; f != nil {
		return f, nil
	}
	info, _ := os.Stat(name)
	for i, known := range r.files {
		if info != nil && os.SameFile(info, known) {
			return r.tables[i], nil
		}
	}
	f, err := loadPolicy(name)
	if err != nil {
		return nil, err
	}
	if r.byName == nil {
		r.byName = make(map[string]*policies.File)
	}
	r.byName[name] = &f
	if info != nil && !isBuiltIn(name) {
		r.files, r.tables = append(r.files, info), append(r.tables, &f)
	}
	return &f, nil
}

// isBuiltIn reports whether name is that of a policy that is built in.
func isBuiltIn(name string) bool {
	built, ok := strings.CutPrefix(name, trainedPrefix)
	return ok && slices.ContainsFunc(trained.List(), func(p trained.Policy) bool { return p.Name == built })
}

// loadPolicy reads a policy that is built in, or a policy file. It is a
// [usageError] if there is none of that name.
func loadPolicy(name string) (policies.File, error) {
	if err := checkFileName(name); err != nil {
		return policies.File{}, usagef("the name of a policy: %w", err)
	}
	built, isTrained := strings.CutPrefix(name, trainedPrefix)
	if isBuiltIn(name) {
		return trained.Load(built)
	}
	f, err := policies.Load(name)
	if !errors.Is(err, os.ErrNotExist) {
		return f, err
	}
	if isTrained {
		_, err := trained.Load(built)
		return policies.File{}, usagef("%w, and there is no file of that name", err)
	}
	if policies.Known(name) == nil {
		return policies.File{}, usagef("%s is a fixed policy, and there is no file of that name", name)
	}
	return policies.File{}, usagef("%w, and there is no file of that name", policies.Known(name))
}

// mayWrite returns an error if no policy could be written to path, or none that
// could be named again.
func mayWrite(path string) error {
	switch {
	case path == everyRule, policies.Known(path) == nil:
		return usagef("--out %s is the name of a fixed policy, which would hide the file; write ./%s", path, path)
	case isBuiltIn(path):
		return usagef("--out %s is the name of a policy that is built in, which would hide the file; write ./%s", path, path)
	}
	if err := atomicfile.Check(path); err != nil {
		return fmt.Errorf("the policy could not be written: %w", err)
	}
	return nil
}

// checkFileName refuses names that no file has. "-", which stands for stdin or
// stdout elsewhere, does not here.
func checkFileName(name string) error {
	switch name {
	case "":
		return errors.New("it is empty; give the name of a file")
	case "-":
		return errors.New("it is a file here, not stdin or stdout; write ./- if a file has that name")
	}
	return nil
}

// A fileName is a flag for the name of a file, which is not empty.
type fileName struct{ value *string }

// file returns a flag value for the name of a file. An empty one is refused when
// the flags are parsed, so that value is "" only where the flag is not given.
func file(value *string) pflag.Value { return fileName{value} }

// addFile adds such a flag, and returns where its value will be.
func addFile(fs *pflag.FlagSet, name, usage string) *string {
	value := new(string)
	fs.Var(file(value), name, usage)
	return value
}

// Set implements pflag.Value.
func (f fileName) Set(text string) error {
	if err := checkFileName(text); err != nil {
		return err
	}
	*f.value = text
	return nil
}

// String implements pflag.Value.
func (f fileName) String() string {
	if f.value == nil {
		return ""
	}
	return *f.value
}

// Type implements pflag.Value.
func (f fileName) Type() string { return "file" }

// mostWorkers is how many workers are used at most: more than there are
// processors gain nothing, and no result depends on their number. It is more
// than few processors so that this can be tried on any machine.
func mostWorkers() int { return max(64, runtime.GOMAXPROCS(0)) }

// A workerCount is a flag for a number of workers, at least 1; those beyond
// [mostWorkers] are left out.
type workerCount struct{ value *int }

// addWorkers adds the flag --workers, and returns where its value will be.
func addWorkers(fs *pflag.FlagSet, value *int, what string) {
	*value = runtime.GOMAXPROCS(0)
	fs.Var(workerCount{value}, "workers", "processors to use, "+strconv.Itoa(mostWorkers())+" at most; does not change "+what)
}

// Set implements pflag.Value.
func (w workerCount) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && n > 0:
	case err != nil:
		return errors.New("write a whole number of processors, at least 1")
	case n < 1:
		return errors.New("at least one is needed")
	}
	*w.value = int(min(n, int64(mostWorkers())))
	return nil
}

// String implements pflag.Value.
func (w workerCount) String() string {
	if w.value == nil {
		return "0"
	}
	return strconv.Itoa(*w.value)
}

// Type implements pflag.Value; pflag shows it in the help.
func (w workerCount) Type() string { return "int" }

// finiteFlags returns an error if a flag's number is infinite or none.
func finiteFlags(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if f.Value.Type() != "float64" {
			return
		}
		if x, wrong := strconv.ParseFloat(f.Value.String(), 64); wrong != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			err = usagef("--%s %s: %s", f.Name, f.Value, wanted["float64"])
		}
	})
	return err
}

// wanted tells what to write for a flag of pflag's own types.
var wanted = map[string]string{
	"int":         "write a whole number",
	"int64":       "write a whole number",
	"uint64":      "write a whole number from 0 to 2^64 - 1",
	"float64":     "write a finite number such as 0.1",
	"duration":    "write a duration such as 30s, 5m or 1h30m",
	"bool":        "write true or false",
	"stringSlice": "write NAME=true or NAME=false",
}

// flagError says what is wrong with the command's flags, and what would be
// right; err is pflag's.
func (c command) flagError(err error) error {
	see := fmt.Sprintf("see 'pigpen %s --help'", c.name)
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &unknown):
		name, written := unknown.GetSpecifiedName(), "--"+unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name, written = letters, "-"+letters
		}
		var names []string
		c.flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		maybe := ""
		if near := plaintext.Nearest(name, names); near != "" {
			maybe = fmt.Sprintf("did you mean --%s? ", near)
		}
		return usagef("unknown flag %s; %s%s", written, maybe, see)
	case errors.As(err, &missing):
		return usagef("--%s needs a value; %s", missing.GetFlag().Name, see)
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		what, ok := wanted[flag.Value.Type()]
		if _, own := flag.Value.(workerCount); own || !ok {
			what = errors.Unwrap(invalid).Error()
		}
		return usagef("--%s %q: %s; %s", flag.Name, invalid.GetValue(), what, see)
	case errors.As(err, &syntax):
		return usagef("%s is no flag; write --NAME VALUE or --NAME=VALUE; %s", syntax.GetSpecifiedFlag(), see)
	}
	return err
}

// A quantity is a flag for a whole number with a unit, as in 200M or 4GiB.
type quantity struct {
	value *int64
	units []unit // the first of a size is the one to show
	kind  string // what pflag shows as the type
}

type unit struct {
	suffix string
	size   int64
}

var (
	counts = []unit{{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}}
	sizes  = []unit{
		{"B", 1},
		{"kB", 1e3}, {"KB", 1e3}, {"k", 1e3}, {"K", 1e3}, {"KiB", 1 << 10},
		{"MB", 1e6}, {"M", 1e6}, {"MiB", 1 << 20},
		{"GB", 1e9}, {"G", 1e9}, {"GiB", 1 << 30},
		{"TB", 1e12}, {"T", 1e12}, {"TiB", 1 << 40},
	}
)

// count returns a flag value for numbers like 200M.
func count(value *int64) pflag.Value { return quantity{value, counts, "count"} }

// size returns a flag value for sizes in bytes like 4GiB.
func size(value *int64) pflag.Value { return quantity{value, sizes, "size"} }

func (q quantity) Type() string { return q.kind }

// numeral matches digits, grouped by underscores or not, with a fraction and a
// power of ten or without. It is short: 1e999999999 would fill the memory.
var numeral = regexp.MustCompile(`^[0-9]+(_[0-9]+)*(\.[0-9]+)?([eE]\+?[0-9]{1,2})?$`)

// Set implements pflag.Value.
func (q quantity) Set(text string) error {
	digits, scale := text, int64(1)
	var suffixes []string
	for _, u := range q.units {
		// The longest suffix is the unit: 1KiB ends in B, too.
		if d, ok := strings.CutSuffix(text, u.suffix); ok && len(d) < len(digits) {
			digits, scale = d, u.size
		}
		suffixes = append(suffixes, u.suffix)
	}
	if len(digits) < 40 && numeral.MatchString(digits) {
		whole, ok := new(big.Rat).SetString(strings.ReplaceAll(digits, "_", ""))
		if ok && whole.Mul(whole, big.NewRat(scale, 1)).IsInt() && whole.Num().IsInt64() {
			*q.value = whole.Num().Int64()
			return nil
		}
	}
	return fmt.Errorf("write a whole number below 2^63, such as 1500000, 1_500_000, 1.5e6 or 1.5M; units are %s", strings.Join(suffixes, ", "))
}

// String implements pflag.Value; it returns the shortest form.
func (q quantity) String() string {
	if q.value == nil {
		return "0"
	}
	best := strconv.FormatInt(*q.value, 10)
	last := int64(1)
	for _, u := range q.units {
		if *q.value != 0 && u.size != last && *q.value%u.size == 0 {
			if text := strconv.FormatInt(*q.value/u.size, 10) + u.suffix; len(text) < len(best) {
				best = text
			}
		}
		last = u.size
	}
	return best
}
