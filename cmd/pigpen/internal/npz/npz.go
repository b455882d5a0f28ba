// Package npz writes and reads NumPy's files of several arrays, .npz: a zip of .npy
// files, in version 1.0 of their format (NumPy Enhancement Proposal 1).
package npz

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// An Array is an array to be written, row after row.
type Array struct {
	Name string
	// DType is NumPy's type of its elements, as in "<i2".
	DType string
	Shape []int
	// Write writes the elements, little-endian.
	Write func(w io.Writer) error
}

const (
	magic = "\x93NUMPY\x01\x00"
	// align is the alignment of the first element.
	align = 64
)

// Write writes a file of arrays.
func Write(w io.Writer, arrays ...Array) error {
	z := zip.NewWriter(w)
	for _, a := range arrays {
		f, err := z.Create(a.Name + ".npy")
		if err != nil {
			return err
		}
		shape := ""
		for _, n := range a.Shape {
			shape += strconv.Itoa(n) + ","
		}
		header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", a.DType, shape)
		header += strings.Repeat(" ", align-1-(len(magic)+2+len(header))%align) + "\n"
		b := bufio.NewWriter(f)
		b.WriteString(magic) // b returns its first error from Flush
		b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
		b.WriteString(header)
		if err := a.Write(b); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
	}
	return z.Close()
}

// A File is a file of arrays that is read.
type File struct{ zip *zip.Reader }

// Open reads the directory of a file of size bytes.
func Open(r io.ReaderAt, size int64) (*File, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, errors.New("it is no .npz file")
	}
	return &File{z}, nil
}

// An Integers reads the elements of an array of integers in order.
type Integers struct{ elements }

// A Floats reads the elements of an array of 64-bit floats in order.
type Floats struct{ elements }

// An elements is an array that is read.
type elements struct {
	Shape []int
	name  string
	r     *bufio.Reader
	close func() error
	kind  byte // NumPy's letter
	width int  // bytes
}

var (
	descr = regexp.MustCompile(`'descr': *'([^']*)'`)
	order = regexp.MustCompile(`'fortran_order': *(True|False)`)
	shape = regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`)

	integers = regexp.MustCompile(`^[<|]([iub])([1248])$`)
	floats   = regexp.MustCompile(`^<(f)(8)$`)
)

// Has reports whether the file has an array of the name.
func (f *File) Has(name string) bool {
	for _, file := range f.zip.File {
		if file.Name == name+".npy" {
			return true
		}
	}
	return false
}

// Integers opens an array of integers or booleans, in C order and little-endian.
func (f *File) Integers(name string) (*Integers, error) {
	a, err := f.open(name, integers, "integers")
	return &Integers{a}, err
}

// Floats opens an array of 64-bit floats, in C order and little-endian.
func (f *File) Floats(name string) (*Floats, error) {
	a, err := f.open(name, floats, "64-bit floats")
	return &Floats{a}, err
}

// open opens an array of a type that dtype matches; what names its elements.
func (f *File) open(name string, dtype *regexp.Regexp, what string) (elements, error) {
	file, err := f.zip.Open(name + ".npy")
	if err != nil {
		return elements{}, fmt.Errorf("the array %q is missing", name)
	}
	a := elements{name: name, r: bufio.NewReader(file), close: file.Close}
	if err := a.readHeader(dtype, what); err != nil {
		return elements{}, errors.Join(fmt.Errorf("the array %q: %w", name, err), file.Close())
	}
	return a, nil
}

func (a *elements) readHeader(dtype *regexp.Regexp, what string) error {
	start := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(a.r, start); err != nil || string(start[:len(magic)]) != magic {
		return errors.New("it is no .npy file of version 1.0")
	}
	header := make([]byte, binary.LittleEndian.Uint16(start[len(magic):]))
	if _, err := io.ReadFull(a.r, header); err != nil {
		return errors.New("its header is cut off")
	}
	d, o, s := descr.FindSubmatch(header), order.FindSubmatch(header), shape.FindSubmatch(header)
	if d == nil || o == nil || s == nil {
		return errors.New("its header lacks descr, fortran_order or shape")
	}
	kind := dtype.FindSubmatch(d[1])
	if kind == nil || string(o[1]) == "True" {
		return fmt.Errorf("it is of type %q and fortran_order %s; it should be of little-endian %s in C order", d[1], o[1], what)
	}
	a.kind, a.width = kind[1][0], int(kind[2][0]-'0')
	for text := range strings.SplitSeq(string(s[1]), ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("its shape is (%s)", s[1])
		}
		a.Shape = append(a.Shape, n)
	}
	return nil
}

// next returns the bytes of the next element, little-endian.
func (a *elements) next() (uint64, error) {
	var b [8]byte
	if _, err := io.ReadFull(a.r, b[:a.width]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it is shorter than its shape")
		}
		return 0, fmt.Errorf("the array %q: %w", a.name, err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

// Next returns the next element; an unsigned one beyond the largest int64 as that.
func (a *Integers) Next() (int64, error) {
	x, err := a.next()
	if a.kind == 'i' {
		shift := 64 - 8*a.width
		return int64(x) << shift >> shift, err
	}
	return int64(min(x, math.MaxInt64)), err
}

// Next returns the next element.
func (a *Floats) Next() (float64, error) {
	x, err := a.next()
	return math.Float64frombits(x), err
}

// Close closes the array.
func (a *elements) Close() error { return a.close() }
