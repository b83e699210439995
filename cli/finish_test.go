package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestFinishRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Finished{}, []requestCase{
		{args: []string{"finish", someID}, want: store.FinishRequest{Ref: ref(someID)}},
		{args: []string{"finish", "fix", "--summary", ""}, want: store.FinishRequest{Ref: ref("fix"), Summary: p("")}},
		{args: []string{"finish", "fix", "--summary", "-"}, want: store.FinishRequest{Ref: ref("fix"), Summary: p("from stdin\n")}},
		// As a narrow table shows it.
		{args: []string{"finish", "2026-07-17T18-45-12-fix…"}, want: store.FinishRequest{Ref: ref("2026-07-17T18-45-12-fix")}},
		{args: []string{"finish"}, err: "finish needs the id of a lock"},
	})
}

func TestFinishOutput(t *testing.T) {
	t.Parallel()
	const filePath = "/repo/.git/agents-locks/done/" + someID + ".md"
	finished := fake{result: store.Finished{ID: someID, FilePath: filePath}}
	const want = "finished " + someID + "\nthe record is in /repo/.git/agents-locks/done/" + someID + ".md\n"
	testOutputs(t, []outputCase{
		{name: "done", args: []string{"finish", "fix", "--summary", "s"}, store: finished, want: want},
		{name: "not committed", args: []string{"finish", "fix", "--summary", "s"}, want: want + "not committed yet: 1 changed file of its scope (src/a)\n",
			store: fake{result: store.Finished{ID: someID, FilePath: filePath, Uncommitted: []string{"src/a"}}}},
		{name: "much not committed", args: []string{"finish", "fix", "--summary", "s"}, want: want + "not committed yet: 9 changed files of its scope (src/a, b\\x1b and 7 more)\n",
			store: fake{result: store.Finished{ID: someID, FilePath: filePath, Uncommitted: []string{"src/a", "b\x1b"}, UncommittedLeftOut: 7}}},
		{name: "without a summary", args: []string{"finish", "fix"}, store: finished,
			want: want + "no summary was left; to add one: agent-locks update " + someID + " --note 'what was done, what is left'\n"},
	})
}
