package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// Between listing and writing, a lock may end, change hands, or be refreshed by
// somebody else, so it is judged again.
func TestEditedJudgesAgain(t *testing.T) {
	t.Parallel()
	repository := newRepository(t)
	s, me, heir := storeAt(repository), "me", "heir"
	began := time.Now()
	id := map[string]string{}
	for _, title := range []string{"alive", "ended", "handed", "kept"} {
		a, err := s.Create(t.Context(), CreateRequest{Title: title, Scope: []string{"src"}, AgentID: &me})
		if err != nil {
			t.Fatal(err)
		}
		id[title] = a.Result.ID
	}
	s.Now = func() time.Time { return began.Add(2 * time.Minute) }
	text := func(title string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(storeOf(repository), id[title]+disk.Extension))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := map[string]string{}
	r := EditRequest{Path: filepath.Join(repository, "src", "a.go"), AgentID: &me}
	a, err := eachPlace(t.Context(), s, r, EditFollowUp{}, func(p *filePlace, out *EditFollowUp) error {
		if _, err := s.Heartbeat(t.Context(), HeartbeatRequest{Ref: Ref{LockID: id["alive"]}}); err != nil {
			return err
		}
		if _, err := s.Finish(t.Context(), FinishRequest{Ref: Ref{LockID: id["ended"]}}); err != nil {
			return err
		}
		// A slow clock, so that a heartbeat would be due.
		slow := *s
		slow.Now = func() time.Time { return began }
		if _, err := slow.Update(t.Context(), UpdateRequest{Ref: Ref{LockID: id["handed"]}, HandTo: &heir}); err != nil {
			return err
		}
		for _, title := range []string{"alive", "handed"} {
			before[title] = text(title)
		}
		return noteEdit(p, out)
	})
	out := a.Result
	if err != nil || !slices.Equal(out.Alive, []string{id["kept"]}) {
		t.Errorf("%+v, %v", out, err)
	}
	for title, was := range before {
		if text(title) != was {
			t.Errorf("%s was written:\n%s", title, text(title))
		}
	}
}
