package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"pigpen/env"
)

// maxImport is the most bytes of a map of msgpack that are read.
const maxImport = 1 << 30

// A decisionMap reads decisions that are columns of one map of msgpack, as they
// arrive. It holds the column that comes first, in about as much memory as the
// column has bytes, and none of the second.
type decisionMap struct {
	table        *importedTable
	limit        uint64 // bytes of the map
	r            *bufio.Reader
	rows         uint64 // of both columns, once one is known
	observations chunks[int16]
	actions      chunks[env.Action]
}

// readMap reads decisions that are packed in one map of msgpack, of at most limit
// bytes.
func (t *importedTable) readMap(in io.Reader, limit int64) error {
	columns := t.game.NumColumns()
	m := decisionMap{
		table: t, limit: uint64(limit), r: bufio.NewReaderSize(&limitedReader{in, limit, tooMuch(limit)}, readBuffer),
		observations: chunks[int16]{width: columns}, actions: chunks[env.Action]{width: 1},
	}
	return m.read()
}

// tooMuch says how much is read.
func tooMuch(limit int64) error {
	return fmt.Errorf("the map is longer than %d bytes, which is the most that is read; in jsonl there may be more", limit)
}

func (m *decisionMap) read() error {
	if _, err := m.r.Peek(1); err == io.EOF {
		return errors.New("it is empty; it should be one map")
	}
	c, _, values, err := m.head()
	switch {
	case err != nil:
		return err
	case c&0xf0 != 0x80 && c != 0xde && c != 0xdf:
		return errors.New("the input is one map")
	}
	given := make(map[string]bool)
	for ; values > 0; values -= 2 {
		name, err := m.name()
		switch {
		case err != nil:
			return err
		case name != "observations" && name != "actions":
			return fmt.Errorf("a decision has no field %.40q", name)
		case given[name]:
			return fmt.Errorf("the field %q comes twice", name)
		}
		read := m.readActions
		if name == "observations" {
			read = m.readObservations
		}
		if err := read(len(given) > 0); err != nil {
			return err
		}
		given[name] = true
	}
	for _, name := range []string{"observations", "actions"} {
		if !given[name] {
			return fmt.Errorf("the field %q is missing", name)
		}
	}
	if _, err := m.r.ReadByte(); err == nil {
		return errors.New("it should be one map, and something follows it")
	} else if err != io.EOF {
		return err
	}
	return nil
}

// head reads the first bytes of a value: how it begins, and so many bytes and
// then values that follow.
func (m *decisionMap) head() (c byte, payload, values uint64, err error) {
	c, err = m.r.ReadByte()
	if err != nil {
		return 0, 0, 0, cutShort(err)
	}
	if c == neverUsed {
		return 0, 0, 0, fmt.Errorf("%w: a byte %#x, with which no msgpack value begins", errFramingLost, c)
	}
	var length [4]byte
	n := lengthBytes(c)
	if _, err := io.ReadFull(m.r, length[:n]); err != nil {
		return 0, 0, 0, cutShort(err)
	}
	payload, values = goesOn(c, lengthOf(length[:n]))
	if payload > m.limit || values > m.limit { // each value has a byte at least
		return 0, 0, 0, tooMuch(int64(m.limit))
	}
	return c, payload, values, nil
}

// cutShort returns the error of an input that ends inside its map.
func cutShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: the input ends inside a value", errFramingLost)
	}
	return err
}

// name reads the name of a field, of which no more is kept than is shown.
func (m *decisionMap) name() (string, error) {
	c, payload, _, err := m.head()
	if err != nil {
		return "", err
	}
	if c&0xe0 != 0xa0 && (c < 0xd9 || c > 0xdb) {
		return "", errors.New("the name of a field is no string")
	}
	text := make([]byte, min(payload, 64)) // more than any field's
	_, err = io.ReadFull(m.r, text)
	return string(text), cutShort(err)
}

// integer reads a value that should be an integer in [low, high]; ok tells
// whether it is.
func (m *decisionMap) integer(low, high int64) (x int64, ok bool, err error) {
	c, payload, values, err := m.head()
	if err != nil || values > 0 || payload > 8 || lengthBytes(c) > 0 {
		return 0, false, err
	}
	var value [9]byte
	value[0] = c
	if _, err := io.ReadFull(m.r, value[1:1+payload]); err != nil {
		return 0, false, cutShort(err)
	}
	x, ok = msgpackNotation{}.integer(value[:1+payload])
	return x, ok && x >= low && x <= high, nil
}

// agree compares the rows of a column with those of the one before, if any.
func (m *decisionMap) agree(second bool, actions, rows uint64, numbers uint64) error {
	if second && m.rows != rows {
		return fmt.Errorf("%d actions and %d numbers of observations; %v has %d columns for each",
			actions, numbers, m.table.game, m.observations.width)
	}
	m.rows = rows
	return nil
}

// readObservations reads the observations, and decides if they come second.
func (m *decisionMap) readObservations(second bool) error {
	columns := uint64(m.observations.width)
	c, payload, rows, err := m.head()
	if err != nil {
		return err
	}
	list := c&0xf0 == 0x90 || c == 0xdc || c == 0xdd
	isPacked := c >= 0xc4 && c <= 0xc6
	numbers := rows * columns
	if isPacked {
		numbers = payload / 2
		rows = numbers / columns
	}
	switch {
	case !list && (!isPacked || payload%2 != 0):
		return fmt.Errorf("the field %q is not %s", "observations", kinds["observations"].what)
	case isPacked && numbers%columns != 0:
		if second {
			rows = math.MaxUint64 // other than that of the actions
			break
		}
		return fmt.Errorf("%d numbers of observations; %v has %d columns for each action", numbers, m.table.game, columns)
	}
	if err := m.agree(second, m.rows, rows, numbers); err != nil {
		return err
	}
	row := make([]int16, columns)
	for i := range rows {
		err := m.readRow(row, isPacked)
		if err == nil && second {
			err = m.table.decide(row, m.actions.at(int(i))[0])
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		if !second {
			m.observations.add(row...)
		}
	}
	return nil
}

// readRow reads one observation.
func (m *decisionMap) readRow(row []int16, packed bool) error {
	if packed {
		b, err := m.r.Peek(2 * len(row))
		if err != nil {
			return cutShort(err)
		}
		for k := range row {
			row[k] = int16(binary.LittleEndian.Uint16(b[2*k:]))
		}
		_, err = m.r.Discard(len(b))
		return err
	}
	c, _, n, err := m.head()
	if err != nil {
		return err
	}
	if c&0xf0 != 0x90 && c != 0xdc && c != 0xdd {
		return errors.New("an observation is not a list of 16-bit integers")
	}
	if n != uint64(len(row)) {
		return fmt.Errorf("an observation of %v has %d columns, not %d", m.table.game, len(row), n)
	}
	for k := range row {
		x, ok, err := m.integer(math.MinInt16, math.MaxInt16)
		if err != nil {
			return err
		}
		if !ok {
			return errors.New("an observation is not a list of 16-bit integers")
		}
		row[k] = int16(x)
	}
	return nil
}

// readActions reads the actions, and decides if they come second.
func (m *decisionMap) readActions(second bool) error {
	c, payload, n, err := m.head()
	if err != nil {
		return err
	}
	wrong := fmt.Errorf("the field %q is not %s", "actions", kinds["actions"].what)
	isPacked := c >= 0xc4 && c <= 0xc6
	if isPacked {
		n = payload
	} else if c&0xf0 != 0x90 && c != 0xdc && c != 0xdd {
		return wrong
	}
	if err := m.agree(second, n, n, m.rows*uint64(m.observations.width)); err != nil {
		return err
	}
	for i := range n {
		var action env.Action
		if isPacked {
			b, err := m.r.ReadByte()
			if err != nil {
				return cutShort(err)
			}
			action = env.Action(b)
		} else {
			x, ok, err := m.integer(0, math.MaxUint8)
			if err != nil {
				return err
			}
			if !ok {
				return wrong
			}
			action = env.Action(x)
		}
		if !second {
			m.actions.add(action)
		} else if err := m.table.decide(m.observations.at(int(i)), action); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// chunks are a list of equally wide rows that grows without being copied.
type chunks[T any] struct {
	width int
	list  [][]T
}

// chunkRows is the number of rows of a chunk.
const chunkRows = 1 << 12

// add appends a row.
func (c *chunks[T]) add(row ...T) {
	last := len(c.list) - 1
	if last < 0 || len(c.list[last]) == chunkRows*c.width {
		c.list = append(c.list, make([]T, 0, chunkRows*c.width))
		last++
	}
	c.list[last] = append(c.list[last], row...)
}

// at returns row i.
func (c *chunks[T]) at(i int) []T {
	start := i % chunkRows * c.width
	return c.list[i/chunkRows][start : start+c.width]
}

// A limitedReader reads at most so many bytes; whoever wants more gets its error.
type limitedReader struct {
	r    io.Reader
	left int64
	err  error
}

// Read implements [io.Reader].
func (l *limitedReader) Read(b []byte) (int, error) {
	if l.left == 0 && len(b) > 0 {
		n, err := l.r.Read(b[:1])
		if n > 0 {
			err = l.err
		}
		return 0, err
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}
