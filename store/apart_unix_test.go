//go:build unix

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/store"
)

// Whoever compares scopes keeps no writer waiting: that is done while the mutex
// is free, also by a claim that then looks again. Another tool's absolute scope
// makes a comparison read where the worktrees are; that file is a named pipe
// here, so that the comparison stands still while the test looks.
func TestComparingHoldsUpNoWriter(t *testing.T) {
	t.Parallel()
	create := func(r store.CreateRequest) func(*store.Store, string) ([]store.Summary, error) {
		return func(s *store.Store, _ string) ([]store.Summary, error) {
			r.Title = "new"
			a, err := s.Create(background, r)
			return a.Result.Overlaps, err
		}
	}
	for name, tc := range map[string]struct {
		mine string // the scope of a lock of the caller's
		ask  func(s *store.Store, mine string) ([]store.Summary, error)
		met  bool
	}{
		"claim":   {"docs", create(store.CreateRequest{Scope: []string{"src/a"}}), true},
		"if free": {"docs", create(store.CreateRequest{Scope: []string{"web"}, IfFree: true}), false},
		"wait":    {"docs", create(store.CreateRequest{Scope: []string{"web"}, WaitSeconds: ptr(600.0)}), false},
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
			t.Parallel()
			w := newWorld(t)
			theirs := w.claim(w.main, "theirs", "THEIRS")
			mine := w.claim(w.main, "mine", tc.mine)
			w.write(theirs+".md", strings.Replace(w.read(theirs+".md"), "- THEIRS", "- "+w.main+"/src", 1))
			pipe := w.pipe()
			type answer struct {
				met []store.Summary
				err error
			}
			answers := make(chan answer, 1)
			go func() {
				met, err := tc.ask(w.at(w.main), mine)
				answers <- answer{met, err}
			}()
			for compared := 0; ; {
				select {
				case a := <-answers:
					want := ""
					if tc.met {
						want = theirs
					}
					if a.err != nil || ids(a.met) != want {
						t.Errorf("met %q, %v; want %q", ids(a.met), a.err, want)
					}
					if compared == 0 {
						t.Error("it answered without having compared")
					}
					return
				case <-time.After(time.Millisecond):
				}
				comparing, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
				if errors.Is(err, syscall.ENXIO) {
					continue // nobody reads it
				}
				if err != nil {
					t.Fatal(err)
				}
				compared++
				mutex := flock.New(filepath.Join(w.dir(), ".mutex"), flock.SetFlag(os.O_RDONLY))
				free, lockErr := mutex.TryLock()
				if lockErr != nil || !free {
					t.Errorf("the mutex is held while scopes are compared (%v)", lockErr)
				}
				w.pipe() // for the next one
				_, writeErr := comparing.WriteString(w.link + "/.git\n")
				if err := errors.Join(writeErr, mutex.Unlock(), comparing.Close()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// pipe makes a named pipe of what says where a worktree is, a new one each
// time, and returns its path.
func (w *world) pipe() string {
	w.t.Helper()
	path := filepath.Join(w.main, ".git", "worktrees", "trap", "gitdir")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), syscall.Mkfifo(path+".new", 0o666), os.Rename(path+".new", path)); err != nil {
		w.t.Fatal(err)
	}
	return path
}
