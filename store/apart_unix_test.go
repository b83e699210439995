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

// Whoever only wants to know whom a claim meets keeps no writer waiting: what
// is compared is compared while the mutex is free. Another tool's absolute
// scope makes a comparison read where the worktrees are; that file is a named
// pipe here, so that the comparison stands still while the test looks.
func TestComparingHoldsUpNoWriter(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(s *store.Store, id string) ([]store.Summary, error){
		"claim": func(s *store.Store, _ string) ([]store.Summary, error) {
			a, err := s.Create(background, store.CreateRequest{Title: "mine", Scope: []string{"src/a"}})
			return a.Result.Overlaps, err
		},
		"widen": func(s *store.Store, id string) ([]store.Summary, error) {
			a, err := s.Update(background, store.UpdateRequest{Ref: ref(id), AddScope: []string{"src/a"}})
			if err != nil {
				return nil, err
			}
			return a.Result.Overlaps, nil
		},
		"reopen": func(s *store.Store, id string) ([]store.Summary, error) {
			if _, err := s.Finish(background, store.FinishRequest{Ref: ref(id)}); err != nil {
				return nil, err
			}
			a, err := s.Reopen(background, store.ReopenRequest{Ref: ref(id), Reason: ptr("r")})
			return a.Result.Overlaps, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			theirs := w.claim(w.main, "theirs", "THEIRS")
			mine := w.claim(w.main, "mine", map[string]string{"claim": "docs", "widen": "docs", "reopen": "src/a"}[name])
			w.write(theirs+".md", strings.Replace(w.read(theirs+".md"), "- THEIRS", "- "+w.main+"/src", 1))
			pipe := filepath.Join(w.main, ".git", "worktrees", "trap", "gitdir")
			if err := errors.Join(os.Mkdir(filepath.Dir(pipe), 0o777), syscall.Mkfifo(pipe, 0o666)); err != nil {
				t.Fatal(err)
			}
			type answer struct {
				met []store.Summary
				err error
			}
			answers := make(chan answer, 1)
			go func() {
				met, err := ask(w.at(w.main), mine)
				answers <- answer{met, err}
			}()
			var comparing *os.File // the pipe, once the comparison reads it
			for comparing == nil {
				select {
				case a := <-answers:
					t.Fatalf("it answered without having compared: %+v", a)
				case <-time.After(time.Millisecond):
				}
				f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
				if err != nil && !errors.Is(err, syscall.ENXIO) {
					t.Fatal(err)
				}
				comparing = f
			}
			mutex := flock.New(filepath.Join(w.dir(), ".mutex"), flock.SetFlag(os.O_RDONLY))
			free, err := mutex.TryLock()
			if err != nil || !free {
				t.Errorf("the mutex is held while scopes are compared (%v)", err)
			}
			// Whoever reads it again finds a plain file.
			plain := pipe + ".plain"
			if err := os.WriteFile(plain, []byte(w.link+"/.git\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(mutex.Unlock(), os.Rename(plain, pipe), comparing.Close()); err != nil {
				t.Fatal(err)
			}
			a := <-answers
			if a.err != nil || ids(a.met) != theirs {
				t.Errorf("met %q, %v; want %q", ids(a.met), a.err, theirs)
			}
		})
	}
}
