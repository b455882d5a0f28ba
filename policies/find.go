package policies

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"pigpen/env"
	"pigpen/policies/exact"
	"pigpen/policies/trained"
)

// Optimal is the name of perfect play, a fixed policy.
const Optimal = "optimal"

// TrainedPrefix begins the names of the policies of package trained.
const TrainedPrefix = "trained/"

// An Origin says where a policy comes from.
type Origin int

const (
	// FromFile is the origin of a policy file.
	FromFile Origin = iota
	// FromRule is the origin of a fixed policy; see [FixedPolicies].
	FromRule
	// FromTrained is the origin of a policy of package trained.
	FromTrained
)

// String returns the origin in words.
func (o Origin) String() string {
	switch o {
	case FromFile:
		return "policy file"
	case FromRule:
		return "fixed policy"
	case FromTrained:
		return "trained policy"
	}
	return fmt.Sprintf("Origin(%d)", int(o))
}

// OriginOf returns the origin of the policy that name stands for: a fixed policy,
// else a policy of package trained, else a file, whether or not there is one. A
// path such as ./NAME always stands for a file.
func OriginOf(name string) Origin {
	if _, _, ok := fixed(name); ok {
		return FromRule
	}
	if _, ok := trainedData(name); ok {
		return FromTrained
	}
	return FromFile
}

// trainedData returns the policy file that is built in under name, prefix
// included.
func trainedData(name string) (data []byte, ok bool) {
	if name, ok = strings.CutPrefix(name, TrainedPrefix); ok {
		data, ok = trained.Data(name)
	}
	return data, ok
}

var (
	// ErrNoFile is wrapped by the error of a name that stands for nothing where
	// files are looked for.
	ErrNoFile = errors.New("there is no file of that name")
	// ErrFixed is wrapped where a policy file is wanted, and the name is that of
	// a fixed policy.
	ErrFixed = errors.New("it is a fixed policy, not a file")
)

// A Resolver finds policies by name, as [OriginOf] has it.
type Resolver struct {
	// Files opens policy files. If it is nil, no name stands for a file.
	Files Source
	// Own are variants beside [env.Variants] whose policies the files may hold.
	Own []*env.Variant
}

// A Ref is a policy that a [Resolver] has found and not yet read.
type Ref struct {
	// Name is what the resolver was asked for.
	Name   string
	Origin Origin
	// Info describes the file of a policy file; nil if Files cannot tell, which
	// makes [Resolver.Load] fail.
	Info fs.FileInfo
}

// Same reports whether r and o are the same policy: of one name or, for files, one
// file, by whatever path, of the same size and time of change.
func (r Ref) Same(o Ref) bool {
	switch {
	case r.Origin != o.Origin:
		return false
	case r.Origin != FromFile:
		return r.Name == o.Name
	case r.Info == nil || o.Info == nil:
		return false
	}
	return os.SameFile(r.Info, o.Info) && r.Info.Size() == o.Info.Size() && r.Info.ModTime().Equal(o.Info.ModTime())
}

// Resolve returns what name stands for. If it stands for nothing, the error wraps
// an [*env.UnknownNameError], which wraps [ErrUnknown]; it also wraps [ErrNoFile] if
// r looks for files.
func (r *Resolver) Resolve(name string) (Ref, error) {
	if origin := OriginOf(name); origin != FromFile {
		return Ref{Name: name, Origin: origin}, nil
	}
	return r.ResolveFile(name)
}

// ResolveFile is Resolve for a name that always stands for a file.
func (r *Resolver) ResolveFile(name string) (Ref, error) {
	ref := Ref{Name: name, Origin: FromFile}
	if r.Files == nil {
		return ref, unknownName(name)
	}
	info, err := r.Files.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ref, fmt.Errorf("%w, and %w", unknownName(name), ErrNoFile)
	} else if err == nil {
		ref.Info = info
	} // Load returns any other error
	return ref, nil
}

// unknownName returns the error of a name that stands for nothing, with the names of
// the kind that it looks like.
func unknownName(name string) error {
	if name, ok := strings.CutPrefix(name, TrainedPrefix); ok {
		var names []string
		for _, p := range trained.List() {
			names = append(names, p.Name)
		}
		return &env.UnknownNameError{Err: ErrUnknown, Name: name, Known: names, List: "they are " + strings.Join(names, ", ")}
	}
	var names, known []string
	for _, f := range FixedPolicies() {
		names = append(names, f.Name)
		// hold20 is nearer to hold-20 than to hold-N.
		if stem, numbered := strings.CutSuffix(f.Name, "N"); numbered {
			digits := name[len(strings.TrimRight(name, "0123456789")):]
			if n, err := strconv.Atoi(digits); err == nil && n > 0 && n <= math.MaxInt32 {
				known = append(known, stem+strconv.Itoa(n))
				continue
			}
		}
		known = append(known, f.Name)
	}
	return &env.UnknownNameError{Err: ErrUnknown, Name: name, Known: known, List: "the fixed policies are " + strings.Join(names, ", ") + " (N from 1)"}
}

// Load reads a policy of package trained or a policy file. The error wraps
// [ErrFixed] for a fixed policy; else it is that of [LoadFrom].
func (r *Resolver) Load(ref Ref) (File, error) {
	switch ref.Origin {
	case FromRule:
		return File{}, fmt.Errorf("%s: %w", ref.Name, ErrFixed)
	case FromTrained:
		data, ok := trainedData(ref.Name)
		if !ok {
			return File{}, unknownName(ref.Name)
		}
		f, err := read(bytes.NewReader(data), int64(len(data)), nil)
		if err != nil {
			return File{}, fmt.Errorf("%s: %w", ref.Name, err)
		}
		return f, nil
	}
	return LoadFrom(r.Files, ref.Name, r.Own...)
}

// Find returns the policy that name stands for, to play g: the fixed policy of that
// name, solved as o has it, or that of a policy file, [File.Policy]. The error is that of
// Resolve, Load or [Named], or wraps [ErrGame] if a file is for another game.
func (r *Resolver) Find(ctx context.Context, name string, g env.Game, o exact.Options) (Policy, error) {
	ref, err := r.Resolve(name)
	if err != nil {
		return nil, err
	}
	if ref.Origin == FromRule {
		return Named(ctx, name, g, o)
	}
	f, err := r.Load(ref)
	if err != nil {
		return nil, err
	}
	if x := f.Table.Index(); x.game != g {
		return nil, fmt.Errorf("%s: %w: it is for %v, not for %v", name, ErrGame, x.game, g)
	}
	return f.Policy(), nil
}

// Find is [Resolver.Find] with the files of this machine.
func Find(ctx context.Context, name string, g env.Game, o exact.Options) (Policy, error) {
	return (&Resolver{Files: Disk{}}).Find(ctx, name, g, o)
}

// Reference returns the name of the policy that others are scored against in g:
// [Optimal] where it is solved soon, [exact.SolvesSoon], else "hold-20".
func Reference(g env.Game) string {
	if exact.SolvesSoon(g) {
		return Optimal
	}
	return "hold-20"
}
