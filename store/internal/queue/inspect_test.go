package queue

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// newDir creates a store for a test.
func newDir(t *testing.T) *disk.Dir {
	t.Helper()
	d, err := disk.Open(storetest.RepoAt(storetest.NewCommon(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func under(t *testing.T, d *disk.Dir, do func(*disk.Tx) error) {
	t.Helper()
	if _, err := d.Change(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}

// A held place in the queue is not a leftover.
func TestALiveTicketIsNotDead(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	under(t, d, func(*disk.Tx) error { return nil })
	path := filepath.Join(d.Path, disk.WaitingName, fileName(3, ticketSuffix))
	storetest.Put(t, path, "{}")
	alive := filepath.Join(d.Path, disk.WaitingName, fileName(3, aliveSuffix))
	storetest.Put(t, alive, "")
	owner := flock.New(alive)
	if taken, err := owner.TryLock(); err != nil || !taken {
		t.Fatalf("the ticket's lock: %v, %v", taken, err)
	}
	if dead, err := Dead(t.Context(), d); err != nil || len(dead) > 0 {
		t.Errorf("while it is held: %q, %v", dead, err)
	}
	if err := owner.Unlock(); err != nil {
		t.Fatal(err)
	}
	if dead, err := Dead(t.Context(), d); err != nil || len(dead) != 1 || dead[0] != path {
		t.Errorf("when it is not: %q, %v", dead, err)
	}
}

// An unreadable ticket blocks nobody, although its process is waiting.
func TestALiveTicketThatSaysNothingIsNamed(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	var mine Place
	under(t, d, func(tx *disk.Tx) error { return mine.Join(tx, Ticket{Scope: []string{"a"}}) })
	found := func() []disk.BadFile {
		t.Helper()
		found, err := Strangers(d)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if f := found(); len(f) > 0 {
		t.Errorf("a sound ticket: %+v", f)
	}
	path := filepath.Join(d.Path, disk.WaitingName, fileName(mine.seq, ticketSuffix))
	storetest.Put(t, path, "{")
	if f := found(); len(f) != 1 || f[0].Path != path || !strings.Contains(f[0].Reason, "JSON") {
		t.Errorf("found %+v, want %q", f, path)
	}
	if err := mine.Leave(); err != nil {
		t.Fatal(err)
	}
	if f := found(); len(f) > 0 {
		t.Errorf("after it has left: %+v", f)
	}
}
