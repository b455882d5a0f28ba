package serve

import (
	"math"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/policies"
)

// maxStates is the most states of one reply.
const maxStates = 1 << 20

// A statesRequest asks for a page of the decision points of a game.
type statesRequest struct {
	game  gameRequest
	start int64
	limit *int64 // nil for maxStates
}

// statesOp lists decision points.
func statesOp() op {
	return newOp("states", append(gameSchema(func(q *statesRequest) *gameRequest { return &q.game }),
		wire.Optional("start", wire.Int(0, math.MaxInt64), func(q *statesRequest) *int64 { return &q.start }),
		wire.Optional("limit", wire.Pointer(wire.Int(1, maxStates)), func(q *statesRequest) **int64 { return &q.limit }),
	), (*session).listStates, result{name: "total"}, result{name: "num_columns"}, result{"observations", "<i2"})
}

func (s *session) listStates(q *statesRequest) ([]wire.Field, *Error) {
	g, wrong := s.gameOf(&q.game)
	if wrong != nil {
		return nil, wrong
	}
	points, err := policies.NewDecisionPoints(g)
	if err != nil {
		return nil, s.failed(CodeLimit, err)
	}
	total := int64(points.Len())
	if q.start > total {
		return nil, errorf(CodeBadRequest, "start %d is not in [0, %d], up to the number of states", q.start, total)
	}
	n := min(maxStates, total-q.start)
	if q.limit != nil {
		n = min(n, *q.limit)
	}
	columns := g.NumColumns()
	observations := make([]int16, 0, int(n)*columns)
	for i := range n {
		observations = points.Observation(observations, int(q.start+i))
	}
	return []wire.Field{named("total", total), named("num_columns", columns), named("observations", rows(observations, columns))}, nil
}
