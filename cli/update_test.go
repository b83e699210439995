package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestUpdateRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Updated{}, []requestCase{
		{args: []string{"update", "fix", "--task", "one"}, want: store.UpdateRequest{Ref: ref("fix"), TaskText: p("one")}},
		{args: []string{"update", "fix", "--add-scope", "b", "--if-free"}, want: store.UpdateRequest{Ref: ref("fix"), AddScope: []string{"b"}, IfFree: true}},
		{args: []string{"update", "fix", "--task", "one", "--done"}, want: store.UpdateRequest{Ref: ref("fix"), TaskText: p("one"), Done: p(true)}},
		{args: []string{"update", "fix", "--task", "one", "--undone"}, want: store.UpdateRequest{Ref: ref("fix"), TaskText: p("one"), Done: p(false)}},
		{args: []string{"update", "fix", "--task", "one", "--done=false"}, want: store.UpdateRequest{Ref: ref("fix"), TaskText: p("one"), Done: p(false)}},
		{args: []string{"update", "fix", "--task", "one", "--undone=false"}, want: store.UpdateRequest{Ref: ref("fix"), TaskText: p("one"), Done: p(true)}},
		{args: []string{"update", "fix", "--undone"}, err: "--done and --undone have no effect without --task"},
		{args: []string{"update", "fix", "--note", "a\nb"}, want: store.UpdateRequest{Ref: ref("fix"), Note: p("a\nb")}},
		{args: []string{"update", "fix", "-m", "n", "--lease", "3d"}, want: store.UpdateRequest{Ref: ref("fix"), Note: p("n"), LeaseMinutes: p(4320.0)}},
		{args: []string{"update", "fix", "--note", "-"}, want: store.UpdateRequest{Ref: ref("fix"), Note: p("from stdin\n")}},
		{args: []string{"update", ""}, want: store.UpdateRequest{Ref: ref("")}},
		{args: []string{"update", "fix", "--done", "--undone"}, err: "--done and --undone exclude each other"},
		{args: []string{"update", "fix", "--task", "one", "--task", "two"}, err: `--task "two": given more than once`},
		{args: []string{"update"}, err: "update needs the id of a lock"},
		{args: []string{"update", "fix", "login"}, err: `update takes one lock id, got 2 arguments, the second "login"`},
	})
}

func TestUpdateOutput(t *testing.T) {
	t.Parallel()
	testOutputs(t, []outputCase{
		{name: "half", args: []string{"update", "fix"}, store: fake{result: store.Updated{ID: someID, PercentComplete: 50, TaskCount: 2}},
			want: "updated " + someID + ": 50% done\n"},
		{name: "a note on a lock without tasks", args: []string{"update", "fix", "--note", "n"}, store: fake{result: store.Updated{ID: someID, PercentComplete: 100}},
			want: "updated " + someID + "\n"},
		{name: "all", args: []string{"update", "fix"}, store: fake{result: store.Updated{ID: someID, PercentComplete: 100, TaskCount: 1}},
			want: "updated " + someID + ": 100% done\nnext: agent-locks finish " + someID + " --summary 'what was done, what is left'\n"},
		{name: "all, by a caller whom a flag names", args: []string{"update", "fix", "--agent", "me"}, store: fake{result: store.Updated{ID: someID, PercentComplete: 100, TaskCount: 1}},
			want: "updated " + someID + ": 100% done\nnext: agent-locks finish " + someID + " --summary 'what was done, what is left' --agent me\n"},
		{name: "all of a lock that was finished", args: []string{"update", "fix"},
			store: fake{result: store.Updated{ID: someID, PercentComplete: 100, TaskCount: 1, Done: true}},
			want:  "updated " + someID + ": 100% done\n"},
	})
}
