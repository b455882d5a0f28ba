package wire

import (
	"fmt"
	"slices"
)

// A Notation reads the values of one format. It expects well-formed values
// without space around them, as [Format.Object] returns them. The second result
// of its methods is false if the value is of another type.
type Notation interface {
	// List returns the inside of a list, Map the inside of a map.
	List(value []byte) (inside []byte, ok bool)
	Map(value []byte) (inside []byte, ok bool)
	// Cut splits an inside into its first value and the rest. First is nil at the
	// end. The inside of a map alternates names and values.
	Cut(inside []byte) (first, rest []byte)

	Text(value []byte) (string, bool)
	Bool(value []byte) (bool, bool)
	// Int reads an integer in [-2^63, 2^63), Uint one in [0, 2^64).
	Int(value []byte) (int64, bool)
	Uint(value []byte) (uint64, bool)
	// Packed returns the bytes of a list of numbers that is encoded as bytes. They
	// are part of value. It is always false in JSON.
	Packed(value []byte) ([]byte, bool)
	// Blob returns the bytes of a [Blob], which may be part of value.
	Blob(value []byte) ([]byte, bool)
}

// An Object is a frame that is taken apart into its members.
type Object struct {
	Notation Notation
	Members  []Member
	inside   []byte // of the whole object; nil if the frame is none
}

// A Member is one name of an object, with its value as it is encoded.
type Member struct {
	Name  string
	Value []byte
}

// MaxMembers is the most members that an object may have.
const MaxMembers = 32

// A NotObjectError reports that a frame is not one object.
type NotObjectError struct {
	// Want says what a frame should be, as in "one map".
	Want string
}

// Error implements error.
func (e *NotObjectError) Error() string { return "the frame is not " + e.Want }

// newObject takes apart one well-formed value. Want says what the value should
// be.
func newObject(n Notation, value []byte, want string) (Object, error) {
	inside, ok := n.Map(value)
	if !ok {
		return Object{Notation: n}, &NotObjectError{want}
	}
	o := Object{Notation: n, Members: make([]Member, 0, 8), inside: inside}
	for key, rest := n.Cut(inside); key != nil; key, rest = n.Cut(rest) {
		value, rest = n.Cut(rest)
		name, ok := n.Text(key)
		switch {
		case !ok:
			return o, fmt.Errorf("the name of a field is no string")
		case o.index(name) >= 0:
			return o, fmt.Errorf("the field %.40q comes twice", name)
		case len(o.Members) == MaxMembers:
			return o, fmt.Errorf("there are more than %d fields", MaxMembers)
		}
		o.Members = append(o.Members, Member{name, value})
	}
	return o, nil
}

// index returns the index of the member called name, or -1.
func (o *Object) index(name string) int {
	for i := range o.Members {
		if o.Members[i].Name == name {
			return i
		}
	}
	return -1
}

// Take removes the member called name and returns its value, or nil if there is
// no such member.
func (o *Object) Take(name string) []byte {
	i := o.index(name)
	if i < 0 {
		return nil
	}
	value := o.Members[i].Value
	o.Members = slices.Delete(o.Members, i, i+1)
	return value
}

// Find returns the first value called name in the frame, or nil if there is none.
// Unlike [Object.Take] it also works if the object has errors.
func (o *Object) Find(name string) []byte {
	if o.inside == nil {
		return nil
	}
	n := o.Notation
	for key, rest := n.Cut(o.inside); key != nil; key, rest = n.Cut(rest) {
		var value []byte
		value, rest = n.Cut(rest)
		if text, ok := n.Text(key); ok && text == name {
			return value
		}
	}
	return nil
}
