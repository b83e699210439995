package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestDriftRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, []store.LockDrift{}, []requestCase{
		{args: []string{"drift"}, want: store.DriftRequest{}},
		{args: []string{"drift", "src/**", "--scope", "b"}, want: store.DriftRequest{Scope: []string{"b", "src/**"}}},
		{args: []string{"drift", "fix", "--agent", "me"}, want: store.DriftRequest{LockID: p("fix"), AgentID: p("me")}},
		{args: []string{"drift", "a", "b"}, err: `drift takes one lock id, got 2 arguments, the second "b"`},
	})
}

func TestDriftOutput(t *testing.T) {
	t.Parallel()
	drifted := func(files ...string) fake {
		return fake{result: []store.LockDrift{{LockID: someID, Outcome: store.Drifted, Outside: files, Changed: files}}}
	}
	const next = "next: agent-locks update " + someID + " "
	testOutputs(t, []outputCase{
		{name: "no lock", args: []string{"drift"}, store: fake{result: []store.LockDrift{}}, want: "no active lock of yours on files was made from this worktree\n"},
		{name: "no lock there", args: []string{"drift", "src/"}, store: fake{result: []store.LockDrift{}},
			want: "no active lock of yours that was made from this worktree overlaps that\n"},
		{name: "somebody else's", args: []string{"drift", someID},
			store: fake{result: []store.LockDrift{{LockID: someID, Outcome: store.Drifted, Outside: []string{"a"}, NotYours: true}}},
			want:  someID + ": 1 file changed outside its scope\n  a\n"},
		{name: "with an id", args: []string{"drift", "--agent", "me"}, store: drifted("a"),
			want: someID + ": 1 file changed outside its scope\n  a\n" + next + "--add-scope a --agent me\n"},
		{name: "nothing, and nothing outside", args: []string{"drift"},
			store: fake{result: []store.LockDrift{{LockID: someID, Outcome: store.NothingChanged}, {LockID: "x", Outcome: store.Covered, Changed: []string{"a", "b"}}}},
			want:  someID + ": nothing changed\nx: covers all that changed (2 files)\n"},
		{name: "few", args: []string{"drift"}, store: drifted("a b/[id].ts", "q/f", "it's"),
			want: someID + ": 3 files changed outside its scope\n  a b/[id].ts\n  q/f\n  it's\n" +
				next + `--add-scope 'a b/[id].ts' --add-scope q/f --add-scope 'it'\''s'` + "\n"},
		{name: "many", args: []string{"drift"}, store: drifted("1", "2", "3", "4", "5", "6"),
			want: someID + ": 6 files changed outside its scope\n  1\n  2\n  3\n  4\n  5\n  6\n" + next +
				"--add-scope 1 --add-scope 2 --add-scope 3 --add-scope 4 --add-scope 5\nand 1 more: run drift again after that\n"},
		{name: "many, some held by others, some at the root", args: []string{"drift", "--agent", "me"}, store: fake{result: []store.LockDrift{{LockID: someID, Outcome: store.Drifted,
			Outside: []string{"1", "2", "3", "4", "5 (3 files)", "d/ (3 files)", "e", "f", "./ (9 files)"}, HeldByOthers: []store.Held{{Path: "2", LockID: "x", Title: "Other", Exact: true}}}}},
			want: someID + ": 9 files changed outside its scope\n  1\n  2\n    held by an agent without an id (Other): x\n  3\n  4\n  5 (3 files)\n  d/ (3 files)\n  e\n  f\n  ./ (9 files)\n" + next +
				"--add-scope 1 --add-scope 3 --add-scope 4 --add-scope '5 (3 files)' --add-scope d/ --agent me\nand 2 more: run drift again after that\n"},
		// What somebody else holds is not for the claiming.
		{name: "held by another", args: []string{"drift"}, store: fake{result: []store.LockDrift{{LockID: someID, Outcome: store.Drifted,
			Outside:      []string{"mine", "theirs"},
			HeldByOthers: []store.Held{{Path: "theirs", LockID: "x", Title: "Other", Exact: true}, {Path: "theirs", LockID: "y", Title: "All but it"}}}}},
			want: someID + ": 2 files changed outside its scope\n  mine\n  theirs\n    held by an agent without an id (Other): x\n    may be held by an agent without an id (All but it): y\n" + next + "--add-scope mine\n"},
		{name: "a name that cannot be shown as it is", args: []string{"drift"}, store: drifted("a\u202e*"),
			want: someID + ": 1 file changed outside its scope\n  a\\u202e*\n" + next + `--add-scope "$(printf 'a\342\200\256\\*')"` + "\n"},
	})
}
