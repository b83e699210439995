package store_test

import (
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A claim recognizes the caller's own locks among the overlapping ones, by
// agent ids only.
func TestAClaimKnowsItsOwnOverlaps(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	own := w.held("a", "", "src/**")
	w.held("b", "", "src/x.go")
	c, err := w.at(w.main).Create(background, store.CreateRequest{Title: "t", Scope: []string{"src/x.go"}, AgentID: ptr("a")})
	if err != nil || len(c.Result.Overlaps) != 2 {
		t.Fatalf("%+v, %v", c.Result, err)
	}
	for _, s := range c.Result.Overlaps {
		if s.Yours != (s.ID == own) {
			t.Errorf("%s: yours %v", s.ID, s.Yours)
		}
	}
	nobody, err := w.at(w.main).Create(background, store.CreateRequest{Title: "t", Scope: []string{"src/x.go"}})
	if err != nil || nobody.Result.Overlaps[0].Yours {
		t.Errorf("without an id: %+v, %v", nobody.Result.Overlaps, err)
	}
}
