package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestForecastRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Foreseen{}, []requestCase{
		{args: []string{"forecast"}, want: store.ForecastRequest{}},
		{args: []string{"forecast", "--all", "--scope", "a", "--scope", "b"}, want: store.ForecastRequest{All: true, Scope: []string{"a", "b"}}},
		{args: []string{"forecast", "--against", "origin/main"}, want: store.ForecastRequest{Against: p("origin/main")}},
		{args: []string{"forecast", "--timeout", "2m"}, want: store.ForecastRequest{TimeoutSeconds: p(120.0)}},
		{args: []string{"forecast", "--against", ""}, want: store.ForecastRequest{Against: p("")}},
	})
}

func TestForecastOutput(t *testing.T) {
	t.Parallel()
	here := store.ForecastSide{Worktree: "/repo", Branch: "main", Changed: 2}
	w := store.ForecastSide{Worktree: "/wt/login", Branch: "login", AgentID: p("agent-1"), LockID: someID, Title: "Fix login"}
	up := store.ForecastSide{Branch: "origin/main"}
	conflict := store.ForecastPair{Yours: here, Theirs: w, State: store.WillConflict, Files: []store.ForecastFile{
		{Path: "src/a.go", Kind: "content", Lines: [][2]int{{14, 20}, {31, 31}}, HeldBy: p("holder"), CoveredBy: []string{someID}},
		{Path: "new\u202e", Kind: "both_added"},
	}}
	unknown := store.ForecastPair{Yours: here, Theirs: up, State: store.NotAssessed, Why: "git says \x1b no"}
	const clean = "no conflicts: 3 pairs merge cleanly\n"
	testOutputs(t, []outputCase{
		{name: "clean", args: []string{"forecast", "--exit-code"}, store: fake{result: store.Foreseen{Clean: 3}}, want: clean},
		{name: "nothing", args: []string{"forecast"}, store: fake{result: store.Foreseen{}}, want: "nothing to compare with\n"},
		{name: "conflict", args: []string{"forecast", "--exit-code"}, code: 2,
			store: fake{result: store.Foreseen{Pairs: []store.ForecastPair{conflict, unknown}, Clean: 1}},
			want: `WITH   WHO      CONFLICT      FILE       LINES HERE  CLAIMED BY
login  holder   both changed  src/a.go   14-20, 31   2026-07-17T18-45-12-fix-login
login  agent-1  both added    new\u202e  -           nobody
not assessed: repo and origin/main: git says \x1b no
1 other pair merges cleanly
`},
		{name: "not assessed", args: []string{"forecast", "--exit-code"}, code: 1,
			store: fake{result: store.Foreseen{Pairs: []store.ForecastPair{unknown}}}, want: "not assessed: repo and origin/main: git says \\x1b no\n"},
		{name: "all", args: []string{"forecast", "--all"},
			store: fake{result: store.Foreseen{Pairs: []store.ForecastPair{conflict, unknown}, Clean: 1, Sides: []store.ForecastSide{here, w, up}}},
			want: `               1  2  3
1 repo            2  ?
2 login        2     .
3 origin/main  ?  .

HERE  WITH   WHO      CONFLICT      FILE       LINES HERE  CLAIMED BY
repo  login  holder   both changed  src/a.go   14-20, 31   2026-07-17T18-45-12-fix-login
repo  login  agent-1  both added    new\u202e  -           nobody
not assessed: repo and origin/main: git says \x1b no
1 other pair merges cleanly
`},
		{name: "json", args: []string{"forecast", "--json"}, store: fake{result: store.Foreseen{Pairs: []store.ForecastPair{}, Clean: 1, Exact: true}},
			want: `{"pairs":[],"clean":1,"exact":true}` + "\n"},
	})
}
