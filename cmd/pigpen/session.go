package main

import (
	"context"

	"pigpen/env"
	"pigpen/policies"
)

// What a session may hold.
const (
	maxEnvs  = 1024
	maxGames = 1 << 18 // of all environments together
)

// A session answers the requests of one client, whatever the framing.
type session struct {
	ctx      context.Context // ends what takes long
	game     env.Game        // the policy's; that of an environment by default
	policy   *player         // nil if none is served
	sample   bool
	seed     uint64
	rand     env.Rand // of single draws
	batches  uint64   // of states that were drawn for
	workers  int
	format   string
	maxFrame int
	// unread reports at once whether nobody can read the replies; nil where that
	// cannot be told.
	unread func() bool
	send   func() error // sends the replies that are held back

	policies     policyStore // that play in environments
	environments map[int64]*environment
	made         int64 // environments, closed ones too
	games        int   // of the open ones
}

// answer returns the reply to a request, and whether it ends the session.
func (s *session) answer(q *request) (r reply, quit bool) {
	r.id = q.id
	switch q.op {
	case "hello":
		r.fields = s.hello()
	case "act":
		r.fields, r.wrong = s.act(q)
	case "make":
		r.fields, r.wrong = s.makeEnvironment(q)
	case "quit":
		quit = true
	default:
		e := s.environments[q.env]
		if e == nil {
			r.wrong = wrongf(codeUnknownEnv, "no environment is open under the number %d", q.env)
			break
		}
		switch q.op {
		case "reset":
			r.fields, r.wrong = e.reset(q)
		case "step":
			r.fields, r.wrong = e.step(q)
		case "state":
			r.fields, r.wrong = e.state()
		case "restore":
			r.fields, r.wrong = e.restore(q)
		case "close":
			s.games -= e.games
			s.policies.release(e.opponents...)
			delete(s.environments, q.env)
		}
	}
	if r.wrong != nil {
		r.fields = nil
	}
	return r, quit
}

// limitsResult is what hello says of the session's bounds.
type limitsResult struct {
	MaxFrame int `json:"max_frame"`
	MaxEnvs  int `json:"max_envs"`
	MaxGames int `json:"max_games"`
	// MaxPolicyBytes bounds the opponents of all environments together.
	MaxPolicyBytes int64 `json:"max_policy_bytes"`
}

func (s *session) hello() []field {
	var policy any
	if s.policy != nil {
		policy = s.policy.name
	}
	var fixed []string
	for _, f := range policies.FixedPolicies() {
		fixed = append(fixed, f.Name)
	}
	fields := []field{{"protocol", protocolVersion}, {"program", "pigpen " + version}, {"format", s.format}, {"policy", policy}}
	fields = append(fields, gameFields(s.game)...)
	return append(fields,
		field{"sample", s.sample},
		field{"seed", s.seed},
		field{"actions", []string{env.Hold.String(), env.Roll.String()}},
		field{"dtypes", dtypes},
		field{"variants", variantResults()},
		field{"policies", fixed},
		field{"files", s.policies.access()},
		field{"limits", limitsResult{s.maxFrame, maxEnvs, maxGames, s.policies.limit}},
	)
}

// gameFields are what replies say of a game.
func gameFields(g env.Game) []field {
	c := g.Config()
	if c.Options == nil {
		c.Options = map[string]bool{}
	}
	return []field{
		{"variant", c.Variant}, {"players", c.Players}, {"target", c.Target}, {"options", c.Options},
		{"fingerprint", g.Fingerprint()}, {"observation", g.Columns()},
	}
}
