package store

import (
	"context"
	"sync"
	"testing"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// at opens the store in a common directory for the duration of the test.
func at(t testing.TB, common string) *disk.Dir {
	t.Helper()
	d, err := disk.Open(storetest.RepoAt(common))
	if err != nil {
		t.Fatal(err)
	}
	d.Wait = storetest.Patience
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// listed lists locks and fails the test on errors.
func listed(t testing.TB, d *disk.Dir, w disk.Which) disk.Listing {
	t.Helper()
	l, err := d.List(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// under runs do in a transaction.
func under(t testing.TB, common string, do func(*disk.Tx) error) {
	t.Helper()
	if _, err := at(t, common).Change(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}

// holdMutex holds the store's mutex until free is called or the test ends.
func holdMutex(t testing.TB, common string) (free func()) {
	t.Helper()
	held, release, freed := make(chan struct{}), make(chan struct{}), make(chan struct{})
	d := at(t, common)
	go func() {
		defer close(freed)
		if _, err := d.Change(context.Background(), func(*disk.Tx) error {
			close(held)
			<-release
			return nil
		}); err != nil {
			t.Error(err)
		}
	}()
	<-held
	free = sync.OnceFunc(func() {
		close(release)
		<-freed
	})
	t.Cleanup(free)
	return free
}
