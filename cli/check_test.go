package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store"
)

func TestCheckRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, []store.Summary{}, []requestCase{
		{args: []string{"check", "a,b/", "c/"}, want: store.CheckRequest{Scope: []string{"a,b/", "c/"}, ForPeople: true}},
		{args: []string{"check", "--stale-minutes", "5", "--", "--odd/"}, want: store.CheckRequest{Scope: []string{"--odd/"}, StaleMinutes: p(5.0), ForPeople: true}},
		{args: []string{"check", ""}, want: store.CheckRequest{Scope: []string{""}, ForPeople: true}},
		{args: []string{"check", "--scope", "a", "b/"}, want: store.CheckRequest{Scope: []string{"a", "b/"}, ForPeople: true}},
		{args: []string{"check"}, err: "check needs a path or glob"},
		{args: []string{"check", "--exit-code=perhaps", "a"}, err: `--exit-code "perhaps": not true or false`},
	})
}

func TestCheckOutput(t *testing.T) {
	t.Parallel()
	theirs, mine := staleSummary(), someSummary()
	theirs.Overlaps = []overlap.Pair{{Yours: "docs/**", Theirs: "docs", Example: "docs/a.md", Exact: true}, {Yours: "docs/b", Theirs: "docs", Example: "docs/b", Exact: true}}
	mine.Overlaps = []overlap.Pair{{Yours: "docs/**", Theirs: "!(x)", Example: "docs"}}
	mine.SameWorktree = p(true)
	theirs.ShortID = "old"
	both := []store.Summary{mine, theirs}
	const table = `SEEN            WHO      WHERE         OVERLAP                    TITLE      ID
now             agent-1  login (here)  both may cover docs        Fix login  2026-07-17T18-45-12-fix-login
2h ago (stale)  -        gone (gone)   both cover docs/a.md (+1)  Old        old
silent for 2h: agent-locks show old, then agent-locks reap old
`
	testOutputs(t, []outputCase{
		{name: "overlaps", args: []string{"check", "docs/**", "docs/b"}, store: fake{result: both}, want: table},
		{name: "overlaps, as exit code", args: []string{"check", "--exit-code", "docs/**"}, store: fake{result: both}, want: table, code: 2},
		{name: "overlaps, as exit code, some unreadable", args: []string{"check", "--exit-code", "--json", "docs/**"},
			store: fake{result: []store.Summary{}, unreadable: 1}, want: "[]\n", code: 1},
		{name: "free", args: []string{"check", "x/"}, store: fake{result: []store.Summary{}}, want: "there are no other active locks\n"},
		{name: "free beside one", args: []string{"check", "x/"}, store: fake{result: []store.Summary{}, compared: 1}, want: "the only other active lock does not overlap\n"},
		{name: "free beside some", args: []string{"check", "x/"}, store: fake{result: []store.Summary{}, compared: 3}, want: "none of 3 other active locks overlaps\n"},
		{name: "free, as exit code", args: []string{"check", "x/", "--exit-code"}, store: fake{result: []store.Summary{}}, want: "there are no other active locks\n"},
		{name: "incomplete", args: []string{"check", "x/"},
			store:  fake{result: []store.Summary{}, unreadable: 2, warnings: []string{"a", "b"}},
			want:   "there are no other active locks\nthe answer is incomplete: 2 lock files could not be read\n",
			stderr: "agent-locks: warning: a\nagent-locks: warning: b\n"},
		{name: "an error is 1, not the answer", args: []string{"check", "{", "--exit-code"},
			store:  fake{err: &store.Error{Code: store.BadScope, Message: `bad scope "{"`, Hint: "close the brace"}},
			stderr: "agent-locks: bad scope \"{\"\nclose the brace\n", code: 1},
	})
}
