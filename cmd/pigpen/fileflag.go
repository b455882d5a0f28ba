package main

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"
)

// checkFileName refuses names that no file has. "-", which stands for stdin or
// stdout elsewhere, does not here.
func checkFileName(name string) error {
	switch name {
	case "":
		return errors.New("it is empty; give the name of a file")
	case "-":
		return errors.New("it is a file here, not stdin or stdout; write ./- if a file has that name")
	}
	return nil
}

// A fileName is a flag for the name of a file, which is not empty.
type fileName struct{ value *string }

// file returns a flag value for the name of a file. An empty one is refused when
// the flags are parsed, so that value is "" only where the flag is not given.
func file(value *string) pflag.Value { return fileName{value} }

// addFile adds such a flag, and returns where its value will be.
func addFile(fs *pflag.FlagSet, name, usage string) *string {
	value := new(string)
	fs.Var(file(value), name, usage)
	return value
}

// Set implements pflag.Value.
func (f fileName) Set(text string) error {
	if err := checkFileName(text); err != nil {
		return err
	}
	*f.value = text
	return nil
}

// String implements pflag.Value.
func (f fileName) String() string {
	if f.value == nil {
		return ""
	}
	return *f.value
}

// Type implements pflag.Value.
func (f fileName) Type() string { return "file" }

// A fileNames is a flag for names of files, one each time that it is given.
type fileNames struct{ values *[]string }

// addFiles adds such a flag, and returns where its values will be.
func addFiles(fs *pflag.FlagSet, name, usage string) *[]string {
	values := new([]string)
	fs.Var(fileNames{values}, name, usage+"; may be repeated")
	return values
}

// Set implements pflag.Value.
func (f fileNames) Set(text string) error {
	if err := checkFileName(text); err != nil {
		return err
	}
	*f.values = append(*f.values, text)
	return nil
}

// String implements pflag.Value.
func (f fileNames) String() string {
	if f.values == nil {
		return ""
	}
	return strings.Join(*f.values, ",")
}

// Type implements pflag.Value.
func (f fileNames) Type() string { return "file" }
