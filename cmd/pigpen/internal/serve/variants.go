package serve

import "pigpen/env"

// A VariantResult describes a variant; its columns are those of the default
// game. FaceWeights is empty if all faces are equally likely, FaceNames if they are
// numbers.
type VariantResult struct {
	Variant     string         `json:"variant"`
	Title       string         `json:"title"`
	Aliases     []string       `json:"aliases"`
	Summary     string         `json:"summary"`
	Note        string         `json:"note"`
	MinPlayers  int            `json:"min_players"`
	MaxPlayers  int            `json:"max_players"`
	Target      TargetRange    `json:"target"`
	Options     []OptionResult `json:"options"`
	Dice        int            `json:"dice"`
	Faces       int            `json:"faces"`
	FaceWeights []int          `json:"face_weights"`
	FaceNames   []string       `json:"face_names"`
	Observation []env.Column   `json:"observation"`
}

// A TargetRange is the range of targets of a variant.
type TargetRange struct {
	Min     int `json:"min"`
	Max     int `json:"max"`
	Default int `json:"default"`
}

// An OptionResult describes an option of a variant.
type OptionResult struct {
	Name    string `json:"name"`
	Default bool   `json:"default"`
	Doc     string `json:"doc"`
}

// DescribeVariants describes the variants of list, as hello and the command variants show
// them.
func DescribeVariants(variants []*env.Variant) []VariantResult {
	list := []VariantResult{}
	for _, v := range variants {
		g := env.Must(env.New(env.Config{Variant: v.ID}, v))
		r := VariantResult{
			Variant: v.ID, Title: v.Title, Aliases: append([]string{}, v.Aliases...), Summary: v.Summary, Note: v.Note,
			MinPlayers: v.MinPlayers, MaxPlayers: v.MaxPlayers, Target: TargetRange(v.Target),
			Options: []OptionResult{}, Dice: v.Dice, Faces: v.Faces, Observation: g.Columns(),
			FaceWeights: append([]int{}, v.FaceWeights...), FaceNames: append([]string{}, v.FaceNames...),
		}
		for _, o := range v.Options {
			r.Options = append(r.Options, OptionResult(o))
		}
		list = append(list, r)
	}
	return list
}
