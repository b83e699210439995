package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

func TestLogRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, []store.Whole{}, []requestCase{
		{args: []string{"log"}, want: store.HistoryRequest{}},
		{args: []string{"log", "--scope", "a,b", "--scope", "c", "--agent", "me", "--text", "x y", "--since", "7d", "--limit", "3"},
			want: store.HistoryRequest{Scope: []string{"a,b", "c"}, AgentID: "me", Text: "x y", Since: "7d", Limit: p(3)}},
		{args: []string{"log", "src/**"}, want: store.HistoryRequest{Scope: []string{"src/**"}}},
		{args: []string{"log", "--agent", ""}, err: `--agent "" is empty`},
		{args: []string{"log", "--limit", "few"}, err: `--limit "few": not a whole number`},
	})
}

// A journal tells when, who, what and which lock, where and how it ended, and all that was
// written down.
func TestLogOutput(t *testing.T) {
	t.Parallel()
	whole := store.Whole{
		Summary: store.Summary{ID: someID, Title: "Fix login", Scope: []string{"src/auth/**", "go.mod"}, AgentID: p("agent-1"), Branch: "login",
			Updated: "2026-07-17T18-45-12", Finished: "2026-07-17T19-45-12", FinishedBy: "holder", Outcome: "modified", Mode: "shared"},
		Tasks: []lockfile.Task{{Text: "Write test", Done: true}, {Text: "Mend \x1b[31mit"}},
		Notes: []string{"two\nlines", "all \x1bdone"},
	}
	ended := func(by, outcome, movedTo string) fake {
		s := store.Summary{ID: "old", Title: "Old", Scope: []string{"docs"}, Updated: "2026-07-17T18-45-13", FinishedBy: by, Outcome: outcome, MovedTo: movedTo}
		return fake{result: []store.Whole{{Summary: s}}}
	}
	args := []string{"log"}
	testOutputs(t, []outputCase{
		{name: "none", args: args, store: fake{result: []store.Whole{}}, want: "nothing finished yet\n"},
		{name: "two", args: args, store: fake{result: []store.Whole{whole, {Summary: store.Summary{ID: "old", Title: "Old", Scope: []string{"docs"}, Finished: "2026-07-16T19-45-12"}}}},
			want: `2026-07-17T19-45-12  agent-1: Fix login (` + someID + `)
  src/auth/**, go.mod (shared); on login; modified
  [x] Write test
  [ ] Mend \x1b[31mit
  - two
    lines
  - all \x1bdone

2026-07-16T19-45-12  Old (old)
  docs
`},
		{name: "reaped, when unknown", args: args, store: ended("reap", "", ""), want: "2026-07-17T18-45-13  Old (old)\n  docs; reaped for inactivity\n"},
		{name: "by force", args: args, store: ended("force", "deleted", ""), want: "2026-07-17T18-45-13  Old (old)\n  docs; deleted; finished by force\n"},
		{name: "moved", args: args, store: ended("holder", "moved", "lib\x1b"), want: "2026-07-17T18-45-13  Old (old)\n  docs; moved to lib\\x1b\n"},
		{name: "more", args: args, store: fake{result: []store.Whole{}, warnings: []string{"9 more, claimed earlier, are omitted by `limit` 20"}},
			want: "nothing finished yet\n", stderr: "agent-locks: warning: 9 more, claimed earlier, are omitted by --limit 20\n"},
	})
}
