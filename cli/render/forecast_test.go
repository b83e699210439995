package render_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

// Worktrees whose directories have one name are told apart by what is above them.
func TestForecastTellsWorktreesApart(t *testing.T) {
	t.Parallel()
	side := func(path string) store.ForecastSide { return store.ForecastSide{Worktree: path} }
	f := store.Foreseen{Sides: []store.ForecastSide{side("/w/main"), side("/w/one/repo"), side("/w/two/repo")}}
	for _, theirs := range f.Sides[1:] {
		f.Pairs = append(f.Pairs, store.ForecastPair{Yours: f.Sides[0], Theirs: theirs, State: store.NotAssessed, Why: "why"})
	}
	var out strings.Builder
	render.Forecast(&out, f, store.ForecastRequest{}, render.Screen{})
	const want = "not assessed: main and one/repo: why\nnot assessed: main and two/repo: why\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
