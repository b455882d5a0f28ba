package agents

import "testing"

// TestSteps checks default lengths of trainings, to two digits and at least 100M.
func TestSteps(t *testing.T) {
	for _, test := range []struct {
		recipe   Recipe
		settings Settings
		players  int
		entries  int
		want     int64
	}{
		{curriculumRecipe, nil, 2, 505_000, 2_500_000_000},
		{curriculumRecipe, Settings{"update": "expected"}, 2, 505_000, 200_000_000},
		{curriculumRecipe, nil, 2, 63_750, 310_000_000},
		{curriculumRecipe, nil, 2, 550, 100_000_000},
		{roundsRecipe, nil, 2, 505_000, 2_500_000_000},
		{qLearningTextbook, nil, 2, 505_000, 100_000_000},
		{monteCarloTextbook, nil, 3, 505_000, 400_000_000},
		{Recipe{}, nil, 2, 505_000, 100_000_000},
	} {
		g := game("pig", test.players, 10)
		settings, err := test.recipe.Resolve(g, test.settings)
		if err != nil {
			t.Fatal(err)
		}
		if got := test.recipe.Steps(g, settings, test.entries); got != test.want {
			t.Errorf("Steps of %s with %v for %d players and %d entries = %d, want %d", test.recipe.Name, test.settings, test.players, test.entries, got, test.want)
		}
	}
}
