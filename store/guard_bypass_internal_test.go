package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A bypassed commit waits for the mutex only as long as an edit hook does, even
// if other calls wait for long: here that would be an hour. If the mutex is
// free, the locks get their notes.
func TestABypassWaitsForTheMutexAsAHookDoes(t *testing.T) {
	t.Parallel()
	common := t.TempDir()
	theirs := hold(t, common, "them", "src")
	me := "me"
	note := func(c *call) []string {
		c.dir.Wait = time.Hour
		holds := []Hold{{Summary: Summary{ID: theirs.Lock.ID}, Files: []string{"src/a"}}}
		return noteBypassOn(c, holds, rules.Caller{Agent: &me})
	}
	noted := func() bool {
		l := found(t, callAt(t, common), theirs.Lock.ID).Lock
		return slices.ContainsFunc(l.Notes, func(n string) bool { return strings.Contains(n, "past the guard") })
	}
	free := holdMutex(t, common)
	given := make(chan []string, 1)
	c := callAt(t, common)
	go func() { given <- note(c) }()
	select {
	case ids := <-given:
		if len(ids) > 0 || noted() {
			t.Errorf("noted on %q while somebody else writes", ids)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for the mutex as a command does")
	}
	free()
	if ids := note(c); !slices.Equal(ids, []string{theirs.Lock.ID}) || !noted() || c.dir.Wait != hookPatience {
		t.Errorf("with the mutex free: noted on %q, %v, after a wait of at most %v", ids, noted(), c.dir.Wait)
	}
}
