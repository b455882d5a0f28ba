package main

import (
	"slices"

	"pigpen/policies"
)

// A policyReader finds policies and reads each file once.
type policyReader struct {
	resolver policies.Resolver
	refs     []policies.Ref
	files    []policies.File // of refs
}

func newPolicyReader() policyReader {
	return policyReader{resolver: policies.Resolver{Files: policies.Disk{}}}
}

// load returns the policy file that ref stands for.
func (r *policyReader) load(ref policies.Ref) (policies.File, error) {
	if i := slices.IndexFunc(r.refs, ref.Same); i >= 0 {
		return r.files[i], nil
	}
	f, err := r.resolver.Load(ref)
	if err != nil {
		return f, err
	}
	r.refs, r.files = append(r.refs, ref), append(r.files, f)
	return f, nil
}

// loadPolicy reads a policy file, or a policy that is built in.
func loadPolicy(name string) (policies.File, error) {
	if err := checkFileName(name); err != nil {
		return policies.File{}, usagef("the name of a policy: %w", err)
	}
	resolver := policies.Resolver{Files: policies.Disk{}}
	find := resolver.Resolve
	if policies.OriginOf(name) == policies.FromRule {
		find = resolver.ResolveFile // a fixed policy has no file, but a file may have its name
	}
	ref, err := find(name)
	switch {
	case err != nil && policies.OriginOf(name) == policies.FromRule:
		return policies.File{}, usagef("%s is a fixed policy, and %w", name, policies.ErrNoFile)
	case err != nil:
		return policies.File{}, usageError{err}
	}
	return resolver.Load(ref)
}
