package main

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
)

// An importFormat is a format of decisions.
type importFormat struct {
	name string
	what string // what the input is
	// read reads all decisions; size is that of a file, or 0.
	read func(t *importedTable, in io.Reader, size int64) error
}

func importFormats() []importFormat {
	return []importFormat{
		{"jsonl", "one JSON object on each line", func(t *importedTable, in io.Reader, size int64) error {
			return t.readLines(unlessGrows(in, size))
		}},
		{"msgpack", "one map of msgpack", func(t *importedTable, in io.Reader, size int64) error {
			return t.readMap(unlessGrows(in, size), maxImport)
		}},
		{"csv", "a table with a header", func(t *importedTable, in io.Reader, size int64) error {
			return t.readCSV(unlessGrows(in, size))
		}},
		{"npz", "NumPy arrays", func(t *importedTable, in io.Reader, size int64) error {
			file, ok := in.(io.ReaderAt)
			if !ok || size == 0 {
				return errors.New("npz is read from a file; give its name")
			}
			return t.readNPZ(file, size)
		}},
	}
}

// unlessGrows reads a file of size bytes, and fails if it has more by then.
func unlessGrows(in io.Reader, size int64) io.Reader {
	if size == 0 {
		return in
	}
	return &limitedReader{in, size, errors.New("the file grows while it is read")}
}

// importFormatOf returns the format that the flag says or, if it is empty, that the name
// of the input ends in, else jsonl.
func importFormatOf(flag string, args []string) (importFormat, error) {
	formats := importFormats()
	if flag == "" && len(args) == 1 {
		for _, f := range formats {
			if strings.EqualFold(filepath.Ext(args[0]), "."+f.name) {
				return f, nil
			}
		}
	}
	if flag == "" {
		return formats[0], nil
	}
	for _, f := range formats {
		if f.name == flag {
			return f, nil
		}
	}
	return importFormat{}, usagef("--format %q; it is jsonl, msgpack, csv or npz", flag)
}
