package plaintext

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"pig", "cochon", "piglet"}
	for _, test := range []struct{ word, want string }{
		{"pig", "pig"},
		{"pug", "pig"},
		{"pi", "pig"},
		{"piglets", "piglet"},
		{"coshon", "cochon"},
		{"ochon", "cochon"},
		{"cohcon", "cochon"},
		{"gip", ""},
		{"ipg", "pig"},   // two neighbours swapped, and one edit
		{"co", "cochon"}, // begun
		{"pgi", "pig"},
		{"c", ""},
		{"horse", ""},
		{"", ""},
	} {
		if got := Nearest(test.word, names); got != test.want {
			t.Errorf("Nearest(%q) = %q, want %q", test.word, got, test.want)
		}
	}
}
