package main

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
