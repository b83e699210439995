package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestHeartbeatRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Refreshed{}, []requestCase{
		{args: []string{"heartbeat", someID, "--base-dir", "x"},
			want: store.HeartbeatRequest{Target: store.Target{BaseDir: p("x")}, Ref: ref(someID)}},
		{args: []string{"heartbeat"}, err: "heartbeat needs the id of a lock"},
	})
}

func TestHeartbeatOutput(t *testing.T) {
	t.Parallel()
	testOutputs(t, []outputCase{{
		name: "alive", args: []string{"heartbeat", "fix"},
		store: fake{result: store.Refreshed{ID: someID, Updated: "2026-07-17T19-00-00"}},
		want:  "alive " + someID + " at 2026-07-17T19-00-00\n",
	}})
}
