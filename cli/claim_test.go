package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store"
)

func TestClaimRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Created{}, []requestCase{
		{args: []string{"claim", "--title", "Fix: a, b", "--scope", "src/{a,b}/**", "--scope=go.mod", "--task", "one, two", "--task", "three"},
			want: store.CreateRequest{Title: "Fix: a, b", Scope: []string{"src/{a,b}/**", "go.mod"}, Tasks: []string{"one, two", "three"}}},
		{args: []string{"claim", "--title", "t", "--scope", "a", "--agent", "null", "--parent", ""},
			want: store.CreateRequest{Title: "t", Scope: []string{"a"}, AgentID: p("null"), ParentAgentID: p("")}},
		{args: []string{"claim", "--title", "--fix", "--scope", "a"}, want: store.CreateRequest{Title: "--fix", Scope: []string{"a"}}},
		{args: []string{"claim", "--title", "", "--scope", "a", "--if-free"}, want: store.CreateRequest{Scope: []string{"a"}, IfFree: true}},
		{args: []string{"claim", "--title", "t", "--scope", "a", "--wait", "90"}, want: store.CreateRequest{Title: "t", Scope: []string{"a"}, WaitSeconds: p(90.0)}},
		{args: []string{"claim", "-t", "t", "--scope", "a", "--wait", "5m", "--lease", "90s"},
			want: store.CreateRequest{Title: "t", Scope: []string{"a"}, WaitSeconds: p(300.0), LeaseMinutes: p(2.0)}},
		{args: []string{"claim", "--title", "--agent", "--scope", "a"}, err: `the title "--agent" is a flag of claim`},
		{args: []string{"claim"}, err: "claim needs --title"},
		{args: []string{"claim", "--title", "t"}, err: "claim needs a scope"},
		{args: []string{"claim", "src/**", "-t", "t", "--scope", "a", "go.mod"}, want: store.CreateRequest{Title: "t", Scope: []string{"a", "src/**", "go.mod"}}},
		{args: []string{"claim", "--title"}, err: "--title needs a value"},
		{args: []string{"claim", "--title", "a", "--title", "b"}, err: `--title "b": given more than once`},
	})
}

func TestClaimOutput(t *testing.T) {
	t.Parallel()
	stale := staleSummary()
	stale.Overlaps = []overlap.Pair{{Yours: "docs/**", Theirs: "docs", Example: "docs/a.md", Exact: true}}
	fresh := someSummary()
	fresh.Overlaps = []overlap.Pair{{Yours: "**", Theirs: "src/auth/**", Example: "src/auth/a", Exact: true}}
	mine := fresh
	mine.Yours = true
	args := []string{"claim", "--title", "t", "--scope", "a"}
	const next = "next: agent-locks update " + someID + " --task x\n"
	testOutputs(t, []outputCase{
		{name: "without tasks", args: args, store: fake{result: store.Created{ID: someID, Overlaps: []store.Summary{}}},
			want: "claimed " + someID + "\nnext: agent-locks update " + someID + " --note 'what is done so far'\n"},
		{name: "free", args: append(args, "--task", "x"), store: fake{result: store.Created{ID: someID, Overlaps: []store.Summary{}}},
			want: "claimed " + someID + "\n" + next},
		{name: "as a caller whom only flags name", args: append(args, "--task", " it's b ", "--agent", "me too", "--base-dir", "../r"),
			store: fake{result: store.Created{ID: someID, Overlaps: []store.Summary{}}},
			want: "claimed " + someID + "\nnext: agent-locks update " + someID +
				` --task 'it'\''s b' --base-dir ../r --agent 'me too'` + "\n"},
		{name: "one's own", args: append(args, "--task", "x"), store: fake{result: store.Created{ID: someID, Overlaps: []store.Summary{mine}}},
			want: "claimed " + someID + "\noverlaps your own " + someID + " (Fix login): both cover src/auth/a; " +
				"to put everything into that lock: agent-locks update " + someID + " --add-scope a\n" + next},
		{name: "one's own, of many entries", args: []string{"claim", "-t", "t", "--scope", "it's", "--scope", "src/**", "--scope", "3", "--scope", "4", "--scope", "5", "--scope", "6", "--task", "x", "--agent", "me", "--base-dir", "../r"},
			store: fake{result: store.Created{ID: someID, Overlaps: []store.Summary{mine, stale}}},
			want: "claimed " + someID + "\noverlaps your own " + someID + " (Fix login): both cover src/auth/a; " +
				"to put everything into that lock: agent-locks update " + someID + ` --add-scope 'it'\''s' --add-scope 'src/**'` +
				" --add-scope 3 --add-scope 4 --add-scope 5 --base-dir ../r --agent me\nand 1 more, each with --add-scope\n" +
				"overlaps 2026-07-17T18-45-13-old, held by an agent without an id, stale for 2h (Old): both cover docs/a.md\n" +
				"next: agent-locks update " + someID + " --task x --base-dir ../r --agent me\n"},
		{name: "the id alone", args: append(args, "-q"), store: fake{result: store.Created{ID: someID, Overlaps: []store.Summary{stale, fresh}}},
			want: someID + "\n", stderr: "agent-locks: warning: the claim overlaps 2 locks: 2026-07-17T18-45-13-old, " + someID + "\n"},
		{name: "the id alone, as JSON", args: append(args, "-q", "--json"), code: exitError,
			stderr: `{"error":{"code":"bad_input","hint":"give one of the two","message":"--quiet and --json exclude each other"}}` + "\n"},
		{name: "changed elsewhere", args: append(args, "--task", "x"), store: fake{result: store.Created{ID: someID, ChangedElsewhere: []store.ChangedElsewhere{
			{Worktree: "/w/login", Branch: "login", Files: []string{"a", "b\x1b[m"}, FilesLeftOut: 3}, {Worktree: "/w/x", Files: []string{"a"}}, {Worktree: "/w/y", Files: []string{}, FilesLeftOut: 1}},
			ChangedElsewhereLeftOut: 2}},
			want: "claimed " + someID + "\nchanged without a lock in /w/login (branch login): a, b\\x1b[m and 3 more\n" +
				"changed without a lock in /w/x: a\nchanged without a lock in /w/y: 1 file\n" +
				"changed without a lock in 2 other worktrees as well\n" + next},
		{name: "the id alone, changed elsewhere", args: append(args, "-q"), store: fake{result: store.Created{ID: someID, ChangedElsewhere: []store.ChangedElsewhere{
			{Worktree: "/w/x", Files: []string{"a"}}}}},
			want: someID + "\n", stderr: "agent-locks: warning: changed without a lock in /w/x: a\n"},
		{name: "overlaps", args: append(args, "--task", "x"), store: fake{result: store.Created{ID: someID, Overlaps: []store.Summary{stale, fresh}}},
			want: "claimed " + someID + "\n" +
				"overlaps 2026-07-17T18-45-13-old, held by an agent without an id, stale for 2h (Old): both cover docs/a.md\n" +
				"overlaps " + someID + ", held by agent-1 (Fix login): both cover src/auth/a\n" + next},
	})
}
