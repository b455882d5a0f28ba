package charts

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// decades marks powers of ten, and 2 to 9 times these with small ticks.
type decades struct {
	zero bool // whether the least one stands for 0
}

// Ticks implements plot.Ticker.
func (d decades) Ticks(low, high float64) (ticks []plot.Tick) {
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		power := math.Pow(10, e)
		for factor := 1.0; factor < 10; factor++ {
			at := factor * power
			first := at < low*(1+1e-9)
			if at < low*(1-1e-9) || at > high*(1+1e-9) || d.zero && power < low*(1+1e-9) && !first {
				continue
			}
			label := ""
			switch {
			case d.zero && first:
				label = "0"
			case factor == 1:
				label = countText(power)
			}
			ticks = append(ticks, plot.Tick{Value: at, Label: label})
		}
	}
	return ticks
}

// counts returns the ticks that gonum/plot chooses, with labels such as 20M.
func counts(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = countText(t.Value)
		}
	}
	return ticks
}

// countText returns x as people write it: 1k, 20M, 2.5G, 0.001.
func countText(x float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(x) >= unit.size*(1-1e-9) {
			return strconv.FormatFloat(roundTo(x/unit.size), 'f', -1, 64) + unit.name
		}
	}
	return strconv.FormatFloat(roundTo(x), 'f', -1, 64)
}

// roundTo rounds x to ten digits.
func roundTo(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 10, 64), 64)
	if err != nil {
		panic(err) // the text is a number
	}
	return y
}
