package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// On a full disk a background sync process can write neither its result nor the reason of
// its failure. It still leaves a mark that it failed.
func TestFullDiskIsSaid(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, fail := range map[string]func(a *clone) error{
		"a sync": func(a *clone) error {
			return a.Serving(func() error { return second(a.sync()) })
		},
		"a look": func(a *clone) error {
			_, err := a.Look(t.Context(), time.Minute, true)
			return err
		},
		"a look that cannot begin": func(a *clone) error {
			return NoteFailure(t.Context(), a.config, errors.New("no such remote"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newClone(t, newRemote(t))
			room := filepath.Join(a.dir, ".git", "agents-locks")
			if err := errors.Join(a.Close(), os.RemoveAll(room), os.Mkdir(room, 0o777)); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount("none", room, "tmpfs", 0, "size=512k"); err != nil {
				t.Skipf("cannot mount: %v", err)
			}
			t.Cleanup(func() {
				if err := syscall.Unmount(room, syscall.MNT_DETACH); err != nil {
					t.Error(err)
				}
			})
			var err error
			if a.Fleet, err = openAt(a.dir, a.config); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = a.Close() }) // it was only tried
			a.config.Repo = a.Fleet.Repo
			a.must(a.sync())
			filler := filepath.Join(room, "filler")
			if err := os.WriteFile(filler, make([]byte, 1<<20), 0o666); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("the disk is not full: %v", err)
			}
			wantCode(t, fail(a), fault.StoreUnwritable)
			g, err := GlanceAt(a.Fleet.dir, new(Memory))
			if err != nil || !g.Wanted && name != "a look" || g.Unpublished(time.Now()) != unsaid {
				t.Errorf("%+v, %v", g, err)
			}
			// The last good look is no longer the last one.
			if v, err := Read(t.Context(), a.Fleet.dir, new(Memory)); err != nil || !v.Failed.After(v.Looked) || v.Words != unsaid {
				t.Errorf("the view says %+v, %v", v, err)
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			if err := a.Serving(func() error { return second(a.sync()) }); err != nil {
				t.Fatal(err)
			}
			if g, err := GlanceAt(a.Fleet.dir, new(Memory)); err != nil || g.Wanted || g.Why != "" {
				t.Errorf("with room again: %+v, %v", g, err)
			}
			if v, err := Read(t.Context(), a.Fleet.dir, new(Memory)); err != nil || v.Failed.After(v.Looked) {
				t.Errorf("with room again, the view says %+v, %v", v, err)
			}
		})
	}
}
