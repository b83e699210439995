package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/cli/setup"
)

func TestPrintPlan(t *testing.T) {
	file := func(a setup.Action) setUpFile { return setUpFile{Path: "/p/\x1b.json", Action: a, Content: "{}\n"} }
	for _, tt := range []struct {
		remove bool
		files  []setUpFile
		want   string
	}{
		{false, []setUpFile{file(setup.Created), file(setup.Changed), file(setup.Unchanged)},
			`would make /p/\x1b.json:
{}
would see to it that /p/\x1b.json holds:
{}
would leave /p/\x1b.json as it is, which holds already:
{}
`},
		{true, []setUpFile{file(setup.Changed), file(setup.Removed), file(setup.Unchanged)},
			`would take from /p/\x1b.json what it holds of:
{}
would remove /p/\x1b.json, which holds nothing but:
{}
would leave /p/\x1b.json as it is, which holds nothing of:
{}
`},
	} {
		var out strings.Builder
		printPlan(&out, setUp{Files: tt.files}, tt.remove)
		if diff := cmp.Diff(tt.want, out.String()); diff != "" {
			t.Errorf("remove %v (-want +got):\n%s", tt.remove, diff)
		}
	}
}
