package store_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/store"
)

// An error does not repeat all of what the caller sent.
func TestErrorsAreShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("\u00fc", 150_000)
	s := w.at(w.main)
	id := w.claim(w.main, "t", "a", "one")
	calls := map[string]func() error{
		"status": func() error { _, err := s.Query(background, store.QueryRequest{Status: long}); return err },
		"base_dir": func() error {
			_, err := s.Query(background, store.QueryRequest{Target: store.Target{BaseDir: &long}})
			return err
		},
		"lock_id": func() error { _, err := s.Show(background, store.ShowRequest{Ref: ref(long)}); return err },
		"task_text": func() error {
			_, err := s.Update(background, store.UpdateRequest{Ref: ref(id), TaskText: &long})
			return err
		},
		"outcome": func() error {
			_, err := s.Finish(background, store.FinishRequest{Ref: ref(id), Outcome: &long})
			return err
		},
		"since": func() error { _, err := s.History(background, store.HistoryRequest{Since: long}); return err },
		"scope": func() error { _, err := s.Check(background, store.CheckRequest{Scope: []string{long}}); return err },
	}
	for name, call := range calls {
		var e *store.Error
		if err := call(); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		} else if n := len(e.Message) + len(e.Hint); n > 11<<10 || !utf8.ValidString(e.Message) {
			t.Errorf("%s: the error has %d bytes", name, n)
		}
	}
}
