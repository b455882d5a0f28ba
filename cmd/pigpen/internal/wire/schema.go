package wire

import "fmt"

// A Schema declares the fields of an object that is read into a T. It is made of
// [Required] and [Optional] fields.
type Schema[T any] []SchemaField[T]

// A SchemaField declares one field of an object.
type SchemaField[T any] struct {
	Name     string
	Required bool
	// Want says what the value should be, as in "a string".
	Want string
	// DType is the type that numpy has for the numbers of a column, as in "<i2";
	// "" for other fields.
	DType string

	long bool
	read func(n Notation, value []byte, to *T) bool
}

// maxShort is the most bytes of a value whose kind is not Long.
const maxShort = 1 << 16

// Required declares a field that every object has. The value is stored where to
// points.
func Required[T, V any](name string, k Kind[V], to func(*T) *V) SchemaField[T] {
	f := Optional(name, k, to)
	f.Required = true
	return f
}

// Optional declares a field that may be absent, which leaves the T as it is.
func Optional[T, V any](name string, k Kind[V], to func(*T) *V) SchemaField[T] {
	return SchemaField[T]{
		Name: name, Want: k.Want, DType: k.DType, long: k.Long,
		read: func(n Notation, value []byte, t *T) bool {
			v, ok := k.Read(n, value)
			*to(t) = v
			return ok
		},
	}
}

// Read reads the members of o into to. Errors are complete sentences for the
// author of the object, which they call what.
func (s Schema[T]) Read(o Object, what string, to *T) error {
	for _, m := range o.Members {
		if s.field(m.Name) == nil {
			return fmt.Errorf("%s has no field %.40q", what, m.Name)
		}
	}
	for i := range s {
		if s[i].Required && o.index(s[i].Name) < 0 {
			return fmt.Errorf("the field %q is missing", s[i].Name)
		}
	}
	for _, m := range o.Members {
		f := s.field(m.Name)
		if !f.long && len(m.Value) > maxShort || !f.read(o.Notation, m.Value, to) {
			return fmt.Errorf("the field %q is not %s", m.Name, f.Want)
		}
	}
	return nil
}

// field returns the field called name, or nil if there is none.
func (s Schema[T]) field(name string) *SchemaField[T] {
	for i := range s {
		if s[i].Name == name {
			return &s[i]
		}
	}
	return nil
}
