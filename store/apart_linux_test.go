package store_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// Comparing scopes blocks no writer: it happens while the mutex is free, even
// if a claim then reads again. Comparing another tool's absolute scope reads
// where the worktrees are, and inotify reports in which order that file and the
// mutex are opened and closed. A claim of files reads that file anyway, to find
// other worktrees, so a claim that must meet nothing is about something else.
//
// No other test may run concurrently: a process that it is just starting would
// keep this one's files open for a moment.
func TestComparingHoldsUpNoWriter(t *testing.T) {
	gittest.NotShort(t)
	create := func(r store.CreateRequest) func(*store.Store, string) ([]store.Summary, error) {
		return func(s *store.Store, _ string) ([]store.Summary, error) {
			r.Title = "new"
			a, err := s.Create(background, r)
			return a.Result.Overlaps, err
		}
	}
	for name, tc := range map[string]struct {
		mine string // the scope of one of the caller's locks
		ask  func(s *store.Store, mine string) ([]store.Summary, error)
		met  bool
	}{
		"claim":   {"docs", create(store.CreateRequest{Scope: []string{"src/a"}}), true},
		"if free": {"docs", create(store.CreateRequest{Scope: []string{"custom://web"}, IfFree: true}), false},
		"wait":    {"docs", create(store.CreateRequest{Scope: []string{"custom://web"}, WaitSeconds: ptr(600.0)}), false},
		"widen": {"docs", func(s *store.Store, mine string) ([]store.Summary, error) {
			a, err := s.Update(background, store.UpdateRequest{Ref: ref(mine), AddScope: []string{"src/a"}})
			if err != nil {
				return nil, err
			}
			return a.Result.Overlaps, nil
		}, true},
		"reopen": {"src/a", func(s *store.Store, mine string) ([]store.Summary, error) {
			if _, err := s.Finish(background, store.FinishRequest{Ref: ref(mine)}); err != nil {
				return nil, err
			}
			a, err := s.Reopen(background, store.ReopenRequest{Ref: ref(mine), Reason: ptr("r")})
			return a.Result.Overlaps, err
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.git(w.main, "worktree", "remove", w.link) // otherwise git is asked about it meanwhile
			theirs := w.claim(w.main, "theirs", "THEIRS")
			mine := w.claim(w.main, "mine", tc.mine)
			w.write(theirs+".md", strings.Replace(w.read(theirs+".md"), "- THEIRS", "- "+w.main+"/src", 1))
			order := w.watch()
			met, err := tc.ask(w.at(w.main), mine)
			want := ""
			if tc.met {
				want = theirs
			}
			if err != nil || ids(met) != want {
				t.Errorf("met %q, %v; want %q", ids(met), err, want)
			}
			events := order()
			if !strings.Contains(events, "compare") {
				t.Errorf("it answered without having compared: %s", events)
			}
			if strings.Contains(events, "open compare") {
				t.Errorf("the mutex is held while scopes are compared: %s", events)
			}
			if !strings.Contains(events, "open close") {
				t.Errorf("it never took the mutex: %s", events)
			}
		})
	}
}

// watch returns a function that reports, in order, when the mutex was opened
// and closed, and when a comparison read the location of a worktree.
func (w *world) watch() (order func() string) {
	w.t.Helper()
	pointer := filepath.Join(w.main, ".git", "worktrees", "trap", "gitdir")
	if err := errors.Join(os.MkdirAll(filepath.Dir(pointer), 0o777), os.WriteFile(pointer, []byte(w.link+"/.git\n"), 0o666)); err != nil {
		w.t.Fatal(err)
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = unix.Close(fd) })
	if _, err := unix.InotifyAddWatch(fd, filepath.Join(w.dir(), ".mutex"), unix.IN_OPEN|unix.IN_CLOSE); err != nil {
		w.t.Fatal(err)
	}
	compared, err := unix.InotifyAddWatch(fd, pointer, unix.IN_OPEN)
	if err != nil {
		w.t.Fatal(err)
	}
	return func() string {
		var names []string
		buf := make([]byte, 64<<10) // events of files watched individually have no name
		n, err := unix.Read(fd, buf)
		if err != nil && !errors.Is(err, unix.EAGAIN) {
			w.t.Fatal(err)
		}
		for at := 0; at+unix.SizeofInotifyEvent <= n; at += unix.SizeofInotifyEvent {
			watch, mask := binary.NativeEndian.Uint32(buf[at:]), binary.NativeEndian.Uint32(buf[at+4:])
			switch {
			case int(watch) == compared:
				names = append(names, "compare")
			case mask&unix.IN_OPEN != 0:
				names = append(names, "open")
			default:
				names = append(names, "close")
			}
		}
		return strings.Join(names, " ")
	}
}
