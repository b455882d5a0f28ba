package charts

import (
	"image/color"
	"math"
)

// lightness returns the relative luminance of the standard sRGB, from 0 to 1.
func lightness(c color.Color) float64 {
	linear := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// contrast returns the ratio of contrast of the Web Content Accessibility Guidelines.
func contrast(a, b color.Color) float64 {
	x, y := lightness(a)+0.05, lightness(b)+0.05
	return max(x, y) / min(x, y)
}

// inkOn returns black or white, whichever can be read better on a colour.
func inkOn(fill color.Color) color.Color {
	if contrast(fill, color.White) > contrast(fill, color.Black) {
		return color.White
	}
	return color.Black
}
