package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// A circle may form behind the queue: one that waits is given, or takes, what
// another one waits for. Its wait ends at once, and the other's goes on.
func TestCirclesThatFormBehindTheQueue(t *testing.T) {
	t.Parallel()
	a := "a"
	for name, form := range map[string]func(s *Store, mine, theirs disk.Entry) ([]string, error){
		"hand_to": func(s *Store, _, theirs disk.Entry) ([]string, error) {
			got, err := s.Update(t.Context(), UpdateRequest{Ref: Ref{LockID: theirs.Lock.ID}, AgentID: theirs.Lock.AgentID, HandTo: &a})
			return got.Warnings, err
		},
		"add_scope": func(s *Store, mine, _ disk.Entry) ([]string, error) {
			got, err := s.Update(t.Context(), UpdateRequest{Ref: Ref{LockID: mine.Lock.ID}, AgentID: &a, AddScope: []string{"src/c"}})
			return got.Warnings, err
		},
		"create": func(s *Store, _, _ disk.Entry) ([]string, error) {
			got, err := s.Create(t.Context(), CreateRequest{Title: "More", Scope: []string{"src/c"}, AgentID: &a})
			return got.Warnings, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repository := newRepository(t)
			common := repository + "/.git"
			mine, theirs := hold(t, common, "a", "src/a"), hold(t, common, "c", "src/c")
			hold(t, common, "b", "src/b")
			wait := func(agent, scope string) <-chan grantOrNot {
				c := callAt(t, common)
				return waiting(c, pathClaim(t, c, agent, scope), longWait*time.Second)
			}
			first := wait("a", "src/b")
			awaitTickets(t, common, 1)
			second := wait("b", "src/c")
			awaitTickets(t, common, 2)

			warnings, err := form(storeAt(repository), mine, theirs)
			if err != nil {
				t.Fatal(err)
			}
			if len(warnings) != 1 || !strings.Contains(warnings[0], `"a" waits for "b"`) {
				t.Errorf("whoever formed it is told %q", warnings)
			}
			got := soon(t, "the circle", first)
			var e *fault.Error
			if !errors.As(got.err, &e) || e.Code != fault.Conflict || !e.Detail.(Refusal).Deadlock {
				t.Fatalf("it ended with %v", got.err)
			}
			awaitTickets(t, common, 1)
			for _, agent := range []string{"a", "c"} {
				for _, e := range listedBy(t, common, agent) {
					end(t, common, e)
				}
			}
			if got := soon(t, "the other wait", second); got.err != nil {
				t.Error(got.err)
			}
		})
	}
}
