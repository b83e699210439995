package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestTellRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Updated{}, []requestCase{
		{args: []string{"tell", "fix", "may I?", "--agent", "me"}, want: store.UpdateRequest{Ref: ref("fix"), Note: p("may I?"), AgentID: p("me"), Tell: true}},
		{args: []string{"tell", "fix", "-m", "may I?"}, want: store.UpdateRequest{Ref: ref("fix"), Note: p("may I?"), Tell: true}},
		{args: []string{"tell", "fix", "-"}, want: store.UpdateRequest{Ref: ref("fix"), Note: p("from stdin\n"), Tell: true}},
		{args: []string{"tell"}, err: "tell needs the id of a lock"},
		{args: []string{"tell", "fix"}, err: "tell needs a text"},
		{args: []string{"tell", "fix", "may", "I"}, err: `tell takes a lock id and one text, got 3 arguments, the third "I"`},
		{args: []string{"tell", "fix", "may I?", "-m", "x"}, err: `the text "may I?" and --note exclude each other`},
	})
}

func TestTellOutput(t *testing.T) {
	t.Parallel()
	testOutputs(t, []outputCase{{name: "a note", args: []string{"tell", "fix", "may I?"},
		store: fake{result: store.Updated{ID: someID, PercentComplete: 100, TaskCount: 1}}, want: "left a note on " + someID + "\n"}})
}
