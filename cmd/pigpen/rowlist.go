package main

// A rowList is a list of equally wide rows, in blocks, that grows without being
// copied.
type rowList[T any] struct {
	width  int
	blocks [][]T
}

// blockRows is the number of rows of a block.
const blockRows = 1 << 12

// add appends a row.
func (l *rowList[T]) add(row ...T) {
	last := len(l.blocks) - 1
	if last < 0 || len(l.blocks[last]) == blockRows*l.width {
		l.blocks = append(l.blocks, make([]T, 0, blockRows*l.width))
		last++
	}
	l.blocks[last] = append(l.blocks[last], row...)
}

// at returns row i.
func (l *rowList[T]) at(i int) []T {
	start := i % blockRows * l.width
	return l.blocks[i/blockRows][start : start+l.width]
}
