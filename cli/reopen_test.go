package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store"
)

func TestReopenRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Reopened{}, []requestCase{
		{args: []string{"reopen", "fix"}, want: store.ReopenRequest{Ref: ref("fix")}},
		{args: []string{"reopen", "fix", "--reason", "not yet", "--agent", "me", "--force"},
			want: store.ReopenRequest{Ref: ref("fix"), Reason: p("not yet"), AgentID: p("me"), Force: true}},
		{args: []string{"reopen"}, err: "reopen needs the id of a lock"},
	})
}

func TestReopenOutput(t *testing.T) {
	t.Parallel()
	meanwhile := someSummary()
	meanwhile.Overlaps = []overlap.Pair{{Yours: "**", Theirs: "src/auth/**", Example: "src/auth/a", Exact: true}}
	testOutputs(t, []outputCase{
		{name: "free", args: []string{"reopen", "x"}, store: fake{result: store.Reopened{ID: "x", Overlaps: []store.Summary{}}}, want: "reopened x\n"},
		{name: "somebody came meanwhile", args: []string{"reopen", "x"}, store: fake{result: store.Reopened{ID: "x", Overlaps: []store.Summary{meanwhile}}},
			want: "reopened x\noverlaps " + someID + ", held by agent-1 (Fix login): both cover src/auth/a\n"},
	})
}
