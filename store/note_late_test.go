package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A note on a lock that has ended reaches nobody. Its author is told so, and
// who holds the files now, unless it completes the record of its own lock.
func TestANoteOnAFinishedLockNamesWhoHoldsItsFilesNow(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	done := w.held("a", "", "src/**")
	w.pass(time.Minute)
	if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: ref(done), AgentID: ptr("a")}); err != nil {
		t.Fatal(err)
	}
	note := func(agent string) []string {
		t.Helper()
		u, err := w.at(w.link).Update(background, store.UpdateRequest{Ref: ref(done), AgentID: &agent, Note: ptr("n"), Tell: true})
		if err != nil {
			t.Fatal(err)
		}
		return u.Warnings
	}
	const ended = `was finished by "a" at 2026-07-17T18-46-12, so its holder may never read the note; `
	wantWarning(t, note("b"), ended+"nobody else holds its files now")
	now := w.held("c", "", "src/x.go")
	w.held("b", "", "src/y.go") // the author's own
	w.held("d", "", "docs")
	said := note("b")
	wantWarning(t, said, ended+`its files are now held by "c" (lock "`+now+`")`)
	if text := strings.Join(said, "\n"); strings.Contains(text, `"b"`) || strings.Contains(text, `"d"`) {
		t.Errorf("warnings %q", said)
	}
	if said := note("a"); len(said) != 0 {
		t.Errorf("the holder is warned: %q", said)
	}
	for _, agent := range []string{"e", "f", "g"} {
		w.held(agent, "", "src")
	}
	wantWarning(t, note("b"), `, and 1 more`)
}
