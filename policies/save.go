package policies

import (
	"io"

	"pigpen/env"
	"pigpen/policies/atomicfile"
)

// Load reads the policy file at path; the error names it. See [LoadFrom].
func Load(path string, own ...*env.Variant) (File, error) { return LoadFrom(Disk{}, path, own...) }

// Save writes f to path: whole or, if there is an error, not at all. See
// [atomicfile.Write].
func Save(path string, f File) error {
	return atomicfile.Write(path, func(w io.Writer) error { return Write(w, f) })
}

// SaveKeeping is Save, but a file of other content that is at path stays
// beside it under a numbered name, kept. See [atomicfile.WriteKeeping].
func SaveKeeping(path string, f File) (kept string, err error) {
	return atomicfile.WriteKeeping(path, func(w io.Writer) error { return Write(w, f) })
}

// SaveElsewhere writes f to the first place that takes it, other than path,
// and returns its name. See [atomicfile.WriteElsewhere].
func SaveElsewhere(path string, f File) (name string, err error) {
	return atomicfile.WriteElsewhere(path, func(w io.Writer) error { return Write(w, f) })
}
