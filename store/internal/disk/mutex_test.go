package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// playHold holds the mutex until its input ends.
func playHold(common string) error {
	return under(common, func(*Tx) error {
		fmt.Println("holding")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
}

func TestMutexHeldByAnotherProcess(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	id := stamp + "-x"
	storetest.Put(t, filepath.Join(common, Name, id+".md"), text(id, lockfile.Active, 3))
	cmd := storetest.Process(t, "hold", common)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	storetest.Begin(t, cmd)
	before := storetest.Tree(t, common)

	usual, err := Open(storetest.RepoAt(common))
	if err != nil {
		t.Fatal(err)
	}
	if usual.Wait != 10*time.Second {
		t.Errorf("a caller waits for %v", usual.Wait)
	}
	if err := usual.Close(); err != nil {
		t.Error(err)
	}
	d := at(t, common)
	d.Wait = 60 * time.Millisecond
	start := time.Now()
	_, err = d.lock(t.Context())
	if !errors.Is(err, fault.StoreBusy) || time.Since(start) < d.Wait {
		t.Fatalf("lock: %v after %v, want %v after %v", err, time.Since(start), fault.StoreBusy, d.Wait)
	}
	var e *fault.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, strconv.Quote(filepath.Join(common, Name, ".mutex"))) || e.Hint == "" {
		t.Errorf("the message %q (hint %q) does not say who holds what", err, e.Hint)
	}

	d.Wait = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := d.lock(ctx); !errors.Is(err, fault.StoreBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("lock under a deadline: %v", err)
	}
	if got := ids(t, listed(t, d, ActiveOnly)); len(got) != 1 {
		t.Errorf("a reader sees %v", got)
	}
	if _, err := d.Get(t.Context(), id); err != nil {
		t.Errorf("a reader: %v", err)
	}
	if diff := cmp.Diff(before, storetest.Tree(t, common)); diff != "" {
		t.Errorf("waiting changed the store (-before +after):\n%s", diff)
	}

	storetest.Kill(cmd)
	d.Wait = storetest.Patience // the kernel releases it while it cleans up
	locked(t, d)
}

func TestMutexExcludesWithinOneProcess(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	first := locked(t, at(t, common))
	d := at(t, common)
	const held = 50 * time.Millisecond
	began := time.Now()
	freed := make(chan struct{})
	time.AfterFunc(held, func() {
		defer close(freed)
		if err := first.unlock(); err != nil {
			t.Error(err)
		}
	})
	locked(t, d)
	<-freed
	if waited := time.Since(began); waited < held {
		t.Fatalf("got the mutex after %v, while it was held", waited)
	}
}

// A wait that was given up in the kernel must release the mutex that it gets
// afterwards.
func TestAWaitThatWasGivenUpLetsGo(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	first := locked(t, at(t, common))
	for range 5 {
		d := at(t, common)
		d.Wait = 10 * time.Millisecond
		if _, err := d.lock(t.Context()); !errors.Is(err, fault.StoreBusy) {
			t.Fatalf("lock: %v, want %v", err, fault.StoreBusy)
		}
	}
	if err := first.unlock(); err != nil {
		t.Fatal(err)
	}
	locked(t, at(t, common))
}

func TestACancelledCallCreatesNothing(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := at(t, common).lock(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, fault.StoreBusy) {
		t.Errorf("lock: %v", err)
	}
	if got := storetest.Tree(t, common); len(got) != 1 {
		t.Errorf("created: %v", got)
	}
}

// If a store is removed while somebody waits for its mutex, a new one takes its
// place: the waiter must end up with the mutex that newcomers lock.
func TestWaiterFollowsAReplacedStore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not remove a file that somebody has locked")
	}
	t.Parallel()
	common := storetest.NewCommon(t)
	locked(t, at(t, common))
	d := at(t, common)
	time.AfterFunc(20*time.Millisecond, func() {
		if err := os.RemoveAll(d.Path); err != nil {
			t.Error(err)
		}
	})
	tx := locked(t, d)
	if _, err := tx.Create(stamp+"-x", fresh); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, listed(t, at(t, common), All)); len(got) != 1 {
		t.Errorf("written into the store that was removed; there now: %v", got)
	}
	other := at(t, common)
	other.Wait = 0
	if _, err := other.lock(t.Context()); !errors.Is(err, fault.StoreBusy) {
		t.Errorf("a newcomer: %v, want %v", err, fault.StoreBusy)
	}
}

// Nor may a lock that excludes everybody from the new store let its holder
// write into the old one.
func TestAStoreReplacedSinceItWasOpenedIsFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not rename a directory that somebody has open")
	}
	t.Parallel()
	common := storetest.NewCommon(t)
	touch := func() {
		if err := under(common, func(*Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	touch()
	d := at(t, common)
	if err := os.Rename(d.Path, d.Path+"-old"); err != nil {
		t.Fatal(err)
	}
	touch()
	if _, err := locked(t, d).Create(stamp+"-x", fresh); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, listed(t, at(t, common), All)); len(got) != 1 {
		t.Errorf("written into the store that was moved away; there now: %v", got)
	}
}

// A mutex opened before it was replaced excludes nobody.
func TestAReplacedMutexIsNotTrusted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not rename a file that somebody has locked")
	}
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	tx := locked(t, d)
	path := filepath.Join(d.Path, mutexName)
	if current, err := d.active.IsLocked(mutexName, tx.mutex); !current || err != nil {
		t.Errorf("as it should be: %v, %v", current, err)
	}
	if err := os.Rename(path, path+"-old"); err != nil {
		t.Fatal(err)
	}
	if current, err := d.active.IsLocked(mutexName, tx.mutex); current || err != nil {
		t.Errorf("removed: %v, %v", current, err)
	}
	storetest.Put(t, path, "")
	if current, err := d.active.IsLocked(mutexName, tx.mutex); current || err != nil {
		t.Errorf("replaced: %v, %v", current, err)
	}
}

func TestMutexThatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	if err := os.MkdirAll(filepath.Join(common, Name, mutexName), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := at(t, common).lock(t.Context()); !errors.Is(err, fault.StoreUnwritable) {
		t.Errorf("lock: %v, want %v", err, fault.StoreUnwritable)
	}
}
