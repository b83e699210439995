package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestListRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, []store.Summary{}, []requestCase{
		{args: []string{"list"}, want: store.QueryRequest{ForPeople: true}},
		{args: []string{"list", "--status", "all", "--scope", "a,b", "--scope", "{c,d}", "--agent", "007", "--text", "x y",
			"--stale-minutes", "30", "--limit", "5"},
			want: store.QueryRequest{Status: "all", Scope: []string{"a,b", "{c,d}"}, AgentID: "007", Text: "x y",
				StaleMinutes: p(30.0), Limit: p(5), ForPeople: true}},
		{args: []string{"list", "--limit", "-1"}, want: store.QueryRequest{Limit: p(-1), ForPeople: true}},
		{args: []string{"list", "--limit", "many"}, err: `--limit "many": not a whole number`},
		{args: []string{"list", "--agent", ""}, err: `--agent "" is empty`},
		{args: []string{"list", "--status="}, err: `--status "" is empty`},
		{args: []string{"list", "--agent", "a", "--agent", "b"}, err: `--agent "b": given more than once`},
		{args: []string{"list", "src/a.go", "--scope", "docs"}, want: store.QueryRequest{Scope: []string{"docs", "src/a.go"}, ForPeople: true}},
	})
}

func TestListOutput(t *testing.T) {
	t.Parallel()
	done, shared := someSummary(), someSummary()
	done.Status, done.ID = "done", "2026-07-17T18-45-11-fix-login"
	shared.Mode = "shared"
	testOutputs(t, []outputCase{
		{name: "none", args: []string{"list"}, store: fake{result: []store.Summary{}}, want: "locks in /repo/.git/agents-locks\n\nno locks found\n"},
		{name: "some", args: []string{"list"}, store: fake{result: []store.Summary{done, shared, staleSummary()}},
			want: `locks in /repo/.git/agents-locks

SEEN            WHO      WHERE        SCOPE                         TITLE      DONE  ID
now (done)      agent-1  login        src/auth/**, go.mod           Fix login  50%   2026-07-17T18-45-11-fix-login
now             agent-1  login        src/auth/**, go.mod (shared)  Fix login  50%   2026-07-17T18-45-12-fix-login
2h ago (stale)  -        gone (gone)  docs                          Old        -     2026-07-17T18-45-13-old
`},
	})
}
