package serve

import (
	"os"
	"strings"
	"testing"
)

// codes are the codes of errors.
var codes = []string{
	CodeBadFrame, CodeFrameTooLarge, CodeBadRequest, CodeUnknownOp, CodeNoPolicy, CodeBadState,
	CodeBadGame, CodeBadPolicy, CodeLimit, CodeUnknownEnv, CodeNoEpisode, CodeIllegalAction,
}

// TestProtocolDocument checks that PROTOCOL.md describes every field and every
// column with its type, and shows every op and every error in a session.
func TestProtocolDocument(t *testing.T) {
	b, err := os.ReadFile("PROTOCOL.md")
	must(err)
	text := string(b)
	var sessions strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "> ") || strings.HasPrefix(line, "< ") {
			sessions.WriteString(line)
		}
	}
	for _, o := range ops() {
		if want := `"op":"` + o.name + `"`; !strings.Contains(sessions.String(), want) {
			t.Errorf("no session shows %s", want)
		}
		for _, p := range o.request {
			if !strings.Contains(text, "`"+p.name+"`") && !strings.Contains(text, "`"+p.name+":") {
				t.Errorf("the field %q of %s is not described", p.name, o.name)
			}
		}
		for _, r := range o.reply {
			if !strings.Contains(text, "`"+r.name+"`") {
				t.Errorf("the field %q of the reply to %s is not described", r.name, o.name)
			}
		}
	}
	for _, code := range codes {
		if want := `"code":"` + code + `"`; !strings.Contains(sessions.String(), want) {
			t.Errorf("no session shows %s", want)
		}
		if !strings.Contains(text, "| `"+code+"` |") {
			t.Errorf("the error %s is not described", code)
		}
	}
	for name, dtype := range columnTypes {
		row := "`" + strings.ReplaceAll(dtype, "|", `\|`) + "`"
		found := name == "observation" // a list in one state
		for line := range strings.Lines(text) {
			found = found || strings.HasPrefix(line, "| `") && strings.Contains(line, "`"+name+"`") && strings.Contains(line, row)
		}
		if !found {
			t.Errorf("the table of columns lacks %s with %s", name, dtype)
		}
	}
}
