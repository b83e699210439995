package disk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/state"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// The shared state is written by package state, but the points where a process
// can die are known here.

func init() {
	disk.Roles["state"] = func(args []string) error { return playWrite(args[0], args[1], args[2]) }
}

func changeState(common string, do func(*disk.Dir, *disk.Tx) error) error {
	d, err := disk.Open(storetest.RepoAt(common))
	if err != nil {
		return err
	}
	d.Wait = storetest.Patience
	_, err = d.Change(context.Background(), func(tx *disk.Tx) error { return do(d, tx) })
	return errors.Join(err, d.Close())
}

// writeNext writes the next version of an entry, with the version as its value.
func writeNext(d *disk.Dir, tx *disk.Tx, name string) error {
	e, found, err := state.Get(context.Background(), d, name)
	if err != nil {
		return err
	}
	at, err := lockfile.ParseStamp("2026-07-17T18-45-12")
	if err != nil {
		return err
	}
	next := lockfile.State{Name: name, Version: e.Says.Version + 1, Created: at, Updated: at, Value: strconv.FormatInt(e.Says.Version+1, 10)}
	var before *state.Entry
	if found {
		before = &e
	}
	_, err = state.Put(tx, before, next)
	return err
}

// playWrite writes an entry twice and kills itself at the nth step.
func playWrite(common, name, nth string) error {
	steps, err := strconv.Atoi(nth)
	if err != nil {
		return err
	}
	var n atomic.Int64
	n.Store(int64(steps))
	return changeState(common, func(d *disk.Dir, tx *disk.Tx) error {
		d.EachStep(func() {
			if n.Add(-1) == 0 {
				if self, err := os.FindProcess(os.Getpid()); err == nil {
					_ = self.Kill()
					select {}
				}
			}
		})
		return errors.Join(writeNext(d, tx, name), writeNext(d, tx, name))
	})
}

// wantStates checks that an entry and its past versions are whole and without a
// gap.
func wantStates(t *testing.T, common, name string) int64 {
	t.Helper()
	d, err := disk.Open(storetest.RepoAt(common))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e, found, err := state.Get(t.Context(), d, name)
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		return 0
	}
	past, err := state.Past(t.Context(), d, name, e.Says.Version, 100)
	if err != nil || len(past.Bad) > 0 || int64(len(past.Entries)) != e.Says.Version-1 {
		t.Fatalf("version %d has a past of %d, %v, %v", e.Says.Version, len(past.Entries), past.Bad, err)
	}
	for i, p := range append(past.Entries, e) {
		if v := int64(i + 1); p.Says.Version != v || p.Says.Value != strconv.FormatInt(v, 10) {
			t.Fatalf("in place %d is version %d: %q", v, p.Says.Version, p.Says.Value)
		}
	}
	return e.Says.Version
}

// Killed at any point, a writer leaves the old version or the next one, with
// all past versions, and the next writer continues the count.
func TestAStateWriterIsKilledBetweenAnyTwoSteps(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	seen := map[int64]bool{}
	for n := 1; ; n++ {
		name := fmt.Sprintf("api/crash-%d", n)
		err := storetest.Process(t, "state", common, name, strconv.Itoa(n)).Run()
		var exit *exec.ExitError
		switch {
		case err == nil && n > 6:
			if !seen[0] || !seen[1] || !seen[2] {
				t.Errorf("seen were %v", seen)
			}
			return // there was no nth step
		case err == nil || !errors.As(err, &exit):
			t.Fatalf("step %d: %v", n, err)
		}
		left := wantStates(t, common, name)
		seen[left] = true
		if err := changeState(common, func(d *disk.Dir, tx *disk.Tx) error { return writeNext(d, tx, name) }); err != nil {
			t.Fatalf("after step %d: %v", n, err)
		}
		if v := wantStates(t, common, name); v != left+1 {
			t.Errorf("after step %d: version %d became %d", n, left, v)
		}
	}
}

func TestThePastIsCopiedWhereThereAreNoLinks(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	for range 3 {
		if err := changeState(common, func(d *disk.Dir, tx *disk.Tx) error {
			d.WithoutLinks()
			return writeNext(d, tx, "x")
		}); err != nil {
			t.Fatal(err)
		}
	}
	if v := wantStates(t, common, "x"); v != 3 {
		t.Errorf("version %d", v)
	}
}

// A killed process's leftover in place of a past version is replaced, whatever
// it is.
func TestLeftoversInThePastGiveWay(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(path string) error{
		"another file": func(path string) error { return os.WriteFile(path, []byte("half"), 0o600) },
		"a link":       func(path string) error { return os.Symlink("../../../x.md", path) },
	} {
		common := storetest.NewCommon(t)
		write := func(d *disk.Dir, tx *disk.Tx) error { return writeNext(d, tx, "x") }
		if err := changeState(common, write); err != nil {
			t.Fatal(err)
		}
		past := filepath.Join(common, disk.Name, "state", ".past", "x")
		if err := errors.Join(os.MkdirAll(past, 0o777), leave(filepath.Join(past, "1.md"))); err != nil {
			t.Fatal(err)
		}
		if err := changeState(common, write); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if v := wantStates(t, common, "x"); v != 2 {
			t.Errorf("%s: version %d", name, v)
		}
	}
}

// A full disk leaves an entry and its past versions unchanged.
func TestStateOnAFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	common := storetest.NewCommon(t)
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", common).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system here: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", common).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	write := func(d *disk.Dir, tx *disk.Tx) error { return writeNext(d, tx, "api/x") }
	if err := errors.Join(changeState(common, write), changeState(common, write)); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(common, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o666); err == nil {
		t.Fatal("the disk is not full")
	}
	err := changeState(common, write)
	if err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("%v", err)
	}
	if v := wantStates(t, common, "api/x"); v != 2 {
		t.Errorf("version %d", v)
	}
	if left := storetest.NamesLike(t, filepath.Join(common, disk.Name), ".tmp-*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := errors.Join(os.Remove(filler), changeState(common, write)); err != nil {
		t.Error(err)
	}
	if v := wantStates(t, common, "api/x"); v != 3 {
		t.Errorf("version %d", v)
	}
}
