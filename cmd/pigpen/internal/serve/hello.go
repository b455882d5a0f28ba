package serve

import (
	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies"
)

// helloOp tells what the program and the session are.
func helloOp() op {
	return newOp("hello", nil, (*session).hello, results(
		"protocol", "program", "format", "policy", "values", "variant", "players", "target", "options", "fingerprint", "observation",
		"sample", "seed", "actions", "effects", "dtypes", "variants", "policies", "files", "limits",
	)...)
}

// limits are the limits of a session.
type limits struct {
	MaxFrame int `json:"max_frame"` // bytes
	MaxEnvs  int `json:"max_envs"`
	MaxGames int `json:"max_games"`
	// MaxPolicyBytes bounds the opponents of all environments together.
	MaxPolicyBytes int64 `json:"max_policy_bytes"`
}

func (s *session) hello(*struct{}) ([]wire.Field, *Error) {
	var policy, values any
	if s.Policy != nil {
		policy, values = s.Policy.Name, valueKind(s.Policy.Policy)
	}
	var fixed []string
	for _, f := range policies.FixedPolicies() {
		fixed = append(fixed, f.Name)
	}
	fields := []wire.Field{named("protocol", ProtocolVersion), named("program", s.Program), named("format", s.Format), named("policy", policy), named("values", values)}
	fields = append(fields, gameFields(s.Game)...)
	return append(fields,
		named("sample", s.Sample),
		named("seed", s.Seed),
		named("actions", []string{env.Hold.String(), env.Roll.String()}),
		named("effects", effectNames()),
		named("dtypes", s.dtypes),
		named("variants", s.Variants),
		named("policies", fixed),
		named("files", s.policies.access()),
		named("limits", limits{s.MaxFrame, maxEnvs, maxGames, s.policies.limit}),
	), nil
}
