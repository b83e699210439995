package disk

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// On a file system without locking, two handles do not exclude each other.
func TestTheMutexIsTried(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	writer := at(t, filepath.Dir(d.Path))
	tx, err := writer.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Refresh(); err != nil {
		t.Fatal(err)
	}
	d.Wait = 30 * time.Millisecond
	want := func(what string, open func() *flock.Flock, want MutexState) {
		t.Helper()
		path, got, err := d.tryMutex(t.Context(), open)
		if got != want || err != nil || path != filepath.Join(d.Path, mutexName) {
			t.Errorf("%s: %q, %v, %v; want %v", what, path, got, err, want)
		}
	}
	open := func() *flock.Flock { return d.active.OpenLock(mutexName) }
	want("while another writes", open, MutexBusy)
	if err := tx.unlock(); err != nil {
		t.Fatal(err)
	}
	d.Wait = storetest.Patience // a slow machine may take longer, even if the mutex is free
	want("as it should be", open, MutexExcludes)
	locked(t, writer) // the test has released it
	other := t.TempDir()
	n := 0
	want("where both are granted", func() *flock.Flock {
		n++
		return flock.New(filepath.Join(other, strings.Repeat("x", n)))
	}, MutexUseless)
}
