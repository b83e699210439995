package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/lockfile"
)

// playHold holds the mutex until its input ends.
func playHold(common string) error {
	return under(common, func(*held) error {
		fmt.Println("holding")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
}

func TestMutexHeldByAnotherProcess(t *testing.T) {
	t.Parallel()
	common := newCommon(t)
	id := stamp + "-x"
	put(t, filepath.Join(common, storeName, id+".md"), text(id, lockfile.Active, 3))
	cmd := process(t, "hold", common)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	begin(t, cmd)
	before := tree(t, common)

	usual, err := openDir(repoAt(common))
	if err != nil {
		t.Fatal(err)
	}
	if usual.wait != 10*time.Second {
		t.Errorf("a caller waits for %v", usual.wait)
	}
	if err := usual.close(); err != nil {
		t.Error(err)
	}
	d := at(t, common)
	d.wait = 60 * time.Millisecond
	start := time.Now()
	_, err = d.lock(t.Context())
	if !errors.Is(err, StoreBusy) || time.Since(start) < d.wait {
		t.Fatalf("lock: %v after %v, want %v after %v", err, time.Since(start), StoreBusy, d.wait)
	}
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, filepath.Join(common, storeName, ".mutex")) || e.Hint == "" {
		t.Errorf("the message %q (hint %q) does not say who holds what", err, e.Hint)
	}

	d.wait = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := d.lock(ctx); !errors.Is(err, StoreBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("lock under a deadline: %v", err)
	}
	if got := ids(t, listed(t, d, activeOnly)); len(got) != 1 {
		t.Errorf("a reader sees %v", got)
	}
	if _, err := d.get(t.Context(), id); err != nil {
		t.Errorf("a reader: %v", err)
	}
	if diff := cmp.Diff(before, tree(t, common)); diff != "" {
		t.Errorf("waiting changed the store (-before +after):\n%s", diff)
	}

	kill(cmd)
	d.wait = patience // the kernel frees it while it cleans up
	locked(t, d)
}

func TestMutexExcludesWithinOneProcess(t *testing.T) {
	t.Parallel()
	common := newCommon(t)
	first := locked(t, at(t, common))
	d := at(t, common)
	var waits []time.Duration
	d.pause = func(_ context.Context, t time.Duration) error {
		waits = append(waits, t)
		if len(waits) == 50 {
			return first.unlock()
		}
		return nil
	}
	locked(t, d)
	if len(waits) != 50 {
		t.Fatalf("got the mutex after %d tries, while it was held", len(waits))
	}
	distinct := map[time.Duration]bool{}
	for _, w := range waits {
		distinct[w] = true
		if w < 5*time.Millisecond || w > 15*time.Millisecond {
			t.Errorf("waited %v between two tries", w)
		}
	}
	if len(distinct) < 2 {
		t.Errorf("no jitter: %v", waits)
	}
}

func TestACancelledCallCreatesNothing(t *testing.T) {
	t.Parallel()
	common := newCommon(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := at(t, common).lock(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, StoreBusy) {
		t.Errorf("lock: %v", err)
	}
	if got := tree(t, common); len(got) != 1 {
		t.Errorf("created: %v", got)
	}
}

// A store that is removed while somebody waits for its mutex is another store
// afterwards: the waiter must end up with the mutex that newcomers lock.
func TestWaiterFollowsAReplacedStore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not remove a file that somebody has locked")
	}
	t.Parallel()
	common := newCommon(t)
	locked(t, at(t, common))
	d := at(t, common)
	remove := os.RemoveAll
	d.pause = func(context.Context, time.Duration) error {
		err := remove(d.path)
		remove = func(string) error { return nil }
		return err
	}
	h := locked(t, d)
	if _, err := h.create(stamp+"-x", fresh); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, listed(t, at(t, common), all)); len(got) != 1 {
		t.Errorf("written into the store that was removed; there now: %v", got)
	}
	other := at(t, common)
	other.wait = 0
	if _, err := other.lock(t.Context()); !errors.Is(err, StoreBusy) {
		t.Errorf("a newcomer: %v, want %v", err, StoreBusy)
	}
}

// Nor may a lock that excludes everybody from the new store let its holder
// write into the old one.
func TestAStoreReplacedSinceItWasOpenedIsFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not rename a directory that somebody has open")
	}
	t.Parallel()
	common := newCommon(t)
	touch := func() {
		if err := under(common, func(*held) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	touch()
	d := at(t, common)
	if err := os.Rename(d.path, d.path+"-old"); err != nil {
		t.Fatal(err)
	}
	touch()
	if _, err := locked(t, d).create(stamp+"-x", fresh); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, listed(t, at(t, common), all)); len(got) != 1 {
		t.Errorf("written into the store that was moved away; there now: %v", got)
	}
}

// A mutex that was opened before it was replaced excludes nobody.
func TestAReplacedMutexIsNotTrusted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not rename a file that somebody has locked")
	}
	t.Parallel()
	d := at(t, newCommon(t))
	h := locked(t, d)
	path := filepath.Join(d.path, mutexName)
	if current, err := d.isMutex(h.mutex); !current || err != nil {
		t.Errorf("as it should be: %v, %v", current, err)
	}
	if err := os.Rename(path, path+"-old"); err != nil {
		t.Fatal(err)
	}
	if current, err := d.isMutex(h.mutex); current || err != nil {
		t.Errorf("removed: %v, %v", current, err)
	}
	put(t, path, "")
	if current, err := d.isMutex(h.mutex); current || err != nil {
		t.Errorf("replaced: %v, %v", current, err)
	}
}

func TestMutexThatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	common := newCommon(t)
	if err := os.MkdirAll(filepath.Join(common, storeName, mutexName), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := at(t, common).lock(t.Context()); !errors.Is(err, StoreUnwritable) {
		t.Errorf("lock: %v, want %v", err, StoreUnwritable)
	}
}
