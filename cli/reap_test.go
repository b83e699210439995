package cli

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-locks/agent-locks/store"
)

func TestReapRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, []store.Reaped{}, []requestCase{
		{args: []string{"reap"}, want: store.ReapRequest{}},
		{args: []string{"reap", ""}, want: store.ReapRequest{LockID: p("")}},
		{args: []string{"reap", "fix", "--dry-run", "--force", "--agent", "me", "--stale-minutes", "1e-9"},
			want: store.ReapRequest{LockID: p("fix"), DryRun: true, Force: true, AgentID: p("me"), StaleMinutes: p(1e-9)}},
		{args: []string{"reap", "--stale-minutes", "0"}, want: store.ReapRequest{StaleMinutes: p(0.0)}},
		{args: []string{"reap", "--stale-minutes", "-5"}, want: store.ReapRequest{StaleMinutes: p(-5.0)}},
		{args: []string{"reap", "--stale-minutes", "Inf"}, want: store.ReapRequest{StaleMinutes: p(math.Inf(1))}},
		{args: []string{"reap", "--stale-minutes", "abc"}, err: `--stale-minutes "abc": not a duration`},
		{args: []string{"reap", "--stale-minutes", ""}, err: `--stale-minutes "": not a duration`},
		{args: []string{"reap", "--stale-minutes", "1e999"}, err: `--stale-minutes "1e999": not a duration`},
		{args: []string{"reap", "a", "b"}, err: `reap takes one lock id, got 2 arguments, the second "b"`},
		{args: []string{"reap", "--dryrun"}, err: `unknown flag "--dryrun" for agent-locks reap`},
	})
}

// NaN equals nothing, so it needs a comparison of its own.
func TestReapPassesNaNOn(t *testing.T) {
	t.Parallel()
	f := &fake{result: []store.Reaped{}}
	try(t, f, []string{"reap", "--stale-minutes", "NaN"})
	if diff := cmp.Diff(store.ReapRequest{StaleMinutes: p(math.NaN())}, f.request, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestReapOutput(t *testing.T) {
	t.Parallel()
	two := []store.Reaped{{ID: someID, Title: "Fix login", StaleForSeconds: 3600}, {ID: "x", Title: "X", StaleForSeconds: 200000}}
	testOutputs(t, []outputCase{
		{name: "none", args: []string{"reap"}, store: fake{result: []store.Reaped{}}, want: "no stale locks\n"},
		{name: "two", args: []string{"reap"}, store: fake{result: two},
			want: "reaped " + someID + " (Fix login), silent for 1h\nreaped x (X), silent for 2d\n"},
		{name: "dry", args: []string{"reap", "--dry-run"}, store: fake{result: two[:1]},
			want: "would reap " + someID + " (Fix login), silent for 1h\n"},
	})
}
