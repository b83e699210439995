//go:build unix

package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// wantFull checks that a write that fails for lack of space leaves nothing
// behind.
func wantFull(tx *Tx, e, done Entry, larger *lockfile.File) error {
	before, err := names(tx.Dir.Path)
	if err != nil {
		return err
	}
	for verb, write := range map[string]func() (Entry, error){
		"create": func() (Entry, error) {
			return tx.Create(stamp+"-new", func(string) (*lockfile.File, error) { return larger, nil })
		},
		"rewrite": func() (Entry, error) { return tx.replaceFile(e, larger) },
		"finish":  func() (Entry, error) { return tx.finishFile(e, larger) },
		"reopen":  func() (Entry, error) { return tx.reopenFile(done, larger) },
	} {
		_, err := write()
		var failed *fault.Error
		if !errors.Is(err, fault.StoreUnwritable) || !errors.As(err, &failed) || !strings.Contains(failed.Hint, "space") {
			return fmt.Errorf("%s: %w, want %w and a word about space", verb, err, fault.StoreUnwritable)
		}
	}
	after, err := names(tx.Dir.Path)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(before, after); diff != "" {
		return fmt.Errorf("left (-before +after):\n%s", diff)
	}
	for _, e := range []Entry{e, done} {
		got, err := tx.Dir.Get(context.Background(), e.Lock.ID)
		if err != nil {
			return err
		}
		if _, err := whole(got.File); err != nil || got.Path != e.Path {
			return fmt.Errorf("%s is at %s, was at %s: %w", e.Lock.ID, got.Path, e.Path, err)
		}
	}
	return nil
}

// twoLocks creates an active and a finished lock.
func twoLocks(tx *Tx) (active, done Entry, err error) {
	if active, err = tx.Create(stamp+"-x", fresh); err != nil {
		return
	}
	if done, err = tx.Create(stamp+"-y", fresh); err != nil {
		return
	}
	f, err := parse(done.Lock.ID, lockfile.Done, 0)
	if err != nil {
		return
	}
	done, err = tx.finishFile(done, f)
	return
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	common := storetest.NewCommon(t)
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", common).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system here: %v %s", err, out)
	}
	t.Cleanup(func() {
		// Lazily, because a process that a parallel test is just starting may
		// have inherited a file there.
		if out, err := exec.Command("umount", "-l", common).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	d, err := Open(storetest.RepoAt(common))
	if err != nil {
		t.Fatal(err)
	}
	tx, err := d.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(tx.unlock(), d.Close()); err != nil {
			t.Error(err)
		}
	}()
	e, done, err := twoLocks(tx)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(common, "filler"), make([]byte, 1<<20), 0o666); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if err := wantFull(tx, e, done, made(t, e.Lock.ID, lockfile.Done, 1)); err != nil {
		t.Error(err)
	}
}

// playLimited writes under a limit on the size of files, which interrupts a
// write as a full disk does.
func playLimited(common string) error {
	return under(common, func(tx *Tx) error {
		e, done, err := twoLocks(tx)
		if err != nil {
			return err
		}
		larger, err := parse(e.Lock.ID, lockfile.Done, 1) // some 8 KiB
		if err != nil {
			return err
		}
		signal.Ignore(syscall.SIGXFSZ)
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		limit.Cur = 4096
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		return wantFull(tx, e, done, larger)
	})
}

func TestWriteCutShort(t *testing.T) {
	t.Parallel()
	if err := storetest.Process(t, "limited", storetest.NewCommon(t)).Run(); err != nil {
		t.Error(err)
	}
}
