//go:build unix

package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// A call that reads the state more than once parses it once, and again if it has changed.
func TestTheTipIsParsedOnce(t *testing.T) {
	t.Parallel()
	a := newClone(t, newRemote(t))
	s := state{Mine: map[string]Standing{}}
	for i := range 100 {
		s.Mine[fmt.Sprintf("2026-01-01T00-00-00-%d", i)] = Standing{Blob: "b", Updated: time.Now(), Until: time.Now()}
	}
	if err := a.save(tipName, s); err != nil {
		t.Fatal(err)
	}
	var m Memory
	if n := len(m.recall(a.folder).Mine); n != 100 {
		t.Fatalf("it has %d locks", n)
	}
	m.state.Words = "as parsed"
	if m.recall(a.folder).Words != "as parsed" {
		t.Error("it is parsed again")
	}
	s.Mine = nil
	if err := a.save(tipName, s); err != nil {
		t.Fatal(err)
	}
	if n := len(m.recall(a.folder).Mine); n != 0 {
		t.Errorf("after a change it has %d locks", n)
	}
	if err := os.Remove(a.folder.File(tipName)); err != nil {
		t.Fatal(err)
	}
	if got := m.recall(a.folder); got.Remote != "" || m.data != nil {
		t.Errorf("of a file that is gone it knows %+v", got)
	}
}

// The locks of many clones are read together, and each is assigned to its own clone.
func TestManyClonesAreReadTogether(t *testing.T) {
	t.Parallel()
	a := newClone(t, newRemote(t))
	const text = "---\nid: 2026-07-17T18-45-12-lock-%d\nstatus: active\ncreated: 2026-07-17T18-45-12\n" +
		"updated: 2026-07-17T18-45-12\nscope:\n  - src/%d\n---\n\n# Work\n"
	put := func(clones, each int) {
		for i := range clones * each {
			name := filepath.Join(fmt.Sprintf("clone%03d", i/each), fmt.Sprintf("2026-07-17T18-45-12-lock-%d.md", i))
			storetest.Put(t, a.folder.File(name), fmt.Sprintf(text, i, i))
		}
	}
	put(40, 3)
	storetest.Put(t, a.folder.File("clone002/2026-07-17T18-45-12-lock-6.md"), "no lock")
	locks, odd, err := locksIn(t.Context(), a.Fleet.dir, a.folder)
	if err != nil || len(locks) != 119 || odd.Count != 1 {
		t.Fatalf("%d locks, %+v, %v", len(locks), odd, err)
	}
	for i, l := range locks {
		if i > 0 && locks[i-1].Clone > l.Clone || l.Path != a.folder.File(filepath.Join(l.Clone, l.Lock.ID+".md")) {
			t.Errorf("%s of %s lies in %s", l.Lock.ID, l.Clone, l.Path)
		}
	}
}
