package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// A policyStore holds the policies that play in the environments of a session:
// each is loaded, or solved, once, shared by all environments that use it, and
// dropped with the last of them.
type policyStore struct {
	// files are those that a client may name; nil for none.
	files   policies.Source
	folder  bool                                           // a client may name only the files of one folder
	own     []*env.Variant                                 // see [Options]
	solving func(g env.Game) (o exact.Options, end func()) // see [Options]
	limit   int64                                          // of bytes
	bytes   int64                                          // of all that is held
	held    []*heldPolicy
}

// A heldPolicy is one policy of a store.
type heldPolicy struct {
	policy env.Player
	game   env.Game // that it plays
	// name is that of a fixed or built-in policy; "" for a file, which is known by
	// its identity, size and time of change, whatever its path.
	name  string
	file  os.FileInfo
	bytes int64
	users int // environments, and 1 for the policy that the session serves
}

var (
	// errPolicyLimit tells that a policy would not fit into a store.
	errPolicyLimit = errors.New("too many policies")
	// errNoFiles tells that a client may not name a file.
	errNoFiles = errors.New("this server takes no files from its clients")
)

// access says which files a client may name: "any", those in a "folder", or
// "none".
func (s *policyStore) access() string {
	switch {
	case s.files == nil:
		return "none"
	case s.folder:
		return "folder"
	}
	return "any"
}

// serves adds the policy that a session serves, whose bytes do not count.
func (s *policyStore) serves(p Policy, g env.Game) {
	h := &heldPolicy{policy: p.Policy, game: g, name: p.Name, file: p.File, users: 1}
	if p.File != nil {
		h.name = ""
	}
	s.held = append(s.held, h)
}

// acquire returns the policy of a name for g, which has one user more until it is
// released. The error wraps [errPolicyLimit] if it does not fit.
func (s *policyStore) acquire(ctx context.Context, name string, g env.Game) (*heldPolicy, error) {
	if s.folder && policies.OriginOf(name) == policies.FromFile && !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%q: a file is named by its path in the folder that this server was given, which .. may not leave", name)
	}
	resolver := policies.Resolver{Files: s.files, Own: s.own}
	ref, err := resolver.Resolve(name)
	if err != nil && s.files == nil {
		return nil, fmt.Errorf("%w, and %w", err, errNoFiles)
	} else if err != nil {
		return nil, err
	}
	if ref.Origin == policies.FromRule {
		if err := policies.Available(name, g); err != nil {
			return nil, err
		}
		bytes := int64(0)
		switch name {
		case policies.Optimal:
			bytes = solutionBytes(g)
		case policies.TwoPlayer:
			bytes = pairBytes(g, 2)
		}
		return s.use(func(h *heldPolicy) bool { return h.name == name && h.game == g }, name, bytes, func() (*heldPolicy, error) {
			options, end := s.solving(g)
			defer end()
			p, err := policies.Named(ctx, name, g, options)
			return &heldPolicy{policy: p, game: g, name: name}, err
		})
	}
	bytes := int64(0)
	if ref.Info != nil && ref.Info.Mode().IsRegular() {
		bytes = ref.Info.Size()
	}
	held := name // as the store knows it; a file is known by its identity
	if ref.Origin == policies.FromFile {
		held = ""
	}
	same := func(h *heldPolicy) bool {
		return ref.Same(policies.Ref{Name: h.name, Origin: policies.OriginOf(h.name), Info: h.file})
	}
	h, err := s.use(same, name, bytes, func() (*heldPolicy, error) {
		f, err := resolver.Load(ref)
		return heldTable(f, held, ref.Info), err
	})
	if err != nil {
		return nil, err
	}
	if h.game != g {
		s.release(h)
		return nil, fmt.Errorf("%s is a policy for %v, not for %v", name, h.game, g)
	}
	return h, nil
}

// heldTable returns a policy that was read.
func heldTable(f policies.File, name string, file os.FileInfo) *heldPolicy {
	if f.Table == nil {
		return nil // it could not be read
	}
	index := f.Table.Index()
	return &heldPolicy{policy: f.Table, game: index.Game(), name: name, file: file, bytes: int64(index.Size())/8 + 1 + 16*int64(f.Table.Mixed())}
}

// use counts a user of the policy that is meant, and gets it if it is not held.
// It takes so many bytes, or more if that is found when it is there.
func (s *policyStore) use(meant func(h *heldPolicy) bool, name string, bytes int64, get func() (*heldPolicy, error)) (*heldPolicy, error) {
	i := slices.IndexFunc(s.held, meant)
	if i >= 0 {
		s.held[i].users++
		return s.held[i], nil
	}
	if err := s.fits(name, bytes); err != nil {
		return nil, err
	}
	h, err := get()
	if err != nil {
		return nil, err
	}
	h.bytes = max(h.bytes, bytes)
	if err := s.fits(name, h.bytes); err != nil {
		return nil, err
	}
	h.users = 1
	s.bytes += h.bytes
	s.held = append(s.held, h)
	return h, nil
}

// fits returns an error if a policy of so many bytes is too much.
func (s *policyStore) fits(name string, bytes int64) error {
	if bytes > s.limit-s.bytes {
		return fmt.Errorf("%w; %s takes %d bytes and those in use %d; a session holds at most %d", errPolicyLimit, name, bytes, s.bytes, s.limit)
	}
	return nil
}

// release ends the use of policies.
func (s *policyStore) release(list ...*heldPolicy) {
	for _, h := range list {
		if h.users--; h.users == 0 {
			s.bytes -= h.bytes
			s.held = slices.DeleteFunc(s.held, func(other *heldPolicy) bool { return other == h })
		}
	}
}

// solutionBytes bounds the memory of a solved game.
func solutionBytes(g env.Game) int64 {
	if g.Players() > 2 {
		const most = 1 << 60 // more than any machine has
		return int64(min(most, exact.NeedsOf(g, exact.Options{}).Bytes))
	}
	return pairBytes(g, g.Players())
}

// pairBytes is solutionBytes of g for one or two players: two tables of values and two
// of plans, with an entry for each combination of scores, which go a few dozen past the
// target.
func pairBytes(g env.Game, players int) int64 {
	entries := int64(1)
	for range players {
		entries *= int64(g.Target() + 64)
	}
	return 32 * entries
}
