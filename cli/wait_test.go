package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store"
)

func TestWaitRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Waited{Status: "free"}, []requestCase{
		{args: []string{"wait", "src/**", "go.mod"}, want: store.WaitRequest{Scope: []string{"src/**", "go.mod"}}},
		{args: []string{"wait", "a/", "--timeout", "0.5", "--agent", "me", "--parent", "you", "--shared"},
			want: store.WaitRequest{Scope: []string{"a/"}, TimeoutSeconds: p(0.5), AgentID: p("me"), ParentAgentID: p("you"), Shared: true}},
		{args: []string{"wait", "--scope", "a", "b/"}, want: store.WaitRequest{Scope: []string{"a", "b/"}}},
		{args: []string{"wait"}, err: "wait needs a path or glob"},
		{args: []string{"wait", "a/", "--timeout", "soon"}, err: `--timeout "soon": not a duration`},
		{args: []string{"wait", "a/", "--timeout", "2h"}, want: store.WaitRequest{Scope: []string{"a/"}, TimeoutSeconds: p(7200.0)}},
	})
}

func TestWaitOutput(t *testing.T) {
	t.Parallel()
	held := someSummary()
	held.Overlaps = []overlap.Pair{{Yours: "**", Theirs: "src/auth/**", Example: "src/auth/a", Exact: true}}
	testOutputs(t, []outputCase{
		{name: "free", args: []string{"wait", "a/"}, store: fake{result: store.Waited{Status: "free", WaitedSeconds: 61}},
			want: "free after 1m\n"},
		{name: "timeout", args: []string{"wait", "a/"}, code: 2,
			store: fake{result: store.Waited{Status: "timeout", WaitedSeconds: 30, Overlaps: []store.Summary{held}}},
			want:  "not free after 30s\noverlaps " + someID + ", held by agent-1 (Fix login): both cover src/auth/a\n"},
		{name: "asked once", args: []string{"wait", "a/", "--timeout", "0"}, code: 2, store: fake{result: store.Waited{Status: "timeout"}}, want: "not free\n"},
		{name: "timeout as JSON", args: []string{"wait", "a/", "--json"}, code: 2,
			store: fake{result: store.Waited{Status: "timeout", Overlaps: []store.Summary{}, Recent: []store.Recent{}}},
			want:  `{"status":"timeout","waitedSeconds":0,"overlaps":[],"recent":[]}` + "\n"},
		{name: "recent", args: []string{"wait", "a/"},
			store: fake{result: store.Waited{Status: "free", Recent: []store.Recent{
				{ID: "x", Title: "Old\x1b", AgentID: p("me"), Finished: "then", Outcome: "moved", MovedTo: "lib", LastNote: "see lib"},
				{ID: "y", Title: "Older", Finished: "before"},
			}}},
			want: "free\nrecently finished here: x, by me, at then (Old\\x1b), moved lib: see lib\n" +
				"recently finished here: y, by an agent without an id, at before (Older)\n"},
	})
}

func TestHoldersSeeWhoWaits(t *testing.T) {
	t.Parallel()
	waiting := []store.Waiter{{AgentID: p("two"), Scope: []string{"a", "b"}, Since: "then"}, {Scope: []string{"c"}, Since: "now"}}
	const lines = "waiting two, for a, b, since then\nwaiting an agent without an id, for c, since now\n"
	testOutputs(t, []outputCase{
		{name: "heartbeat", args: []string{"heartbeat", "x"}, store: fake{result: store.Refreshed{ID: "x", Updated: "u", Waiting: waiting}},
			want: "alive x at u\n" + lines},
		{name: "update", args: []string{"update", "x"}, store: fake{result: store.Updated{ID: "x", PercentComplete: 50, TaskCount: 2, Waiting: waiting}},
			want: "updated x: 50% done\n" + lines},
	})
}
