package store

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// A deadlock may arise behind the queue, when a waiter is given or takes what
// another one waits for. Its own wait then ends at once, and the other's
// continues.
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
			warnings = slices.DeleteFunc(warnings, func(w string) bool { return strings.Contains(w, "comes first in what was added") })
			if len(warnings) != 1 || !strings.Contains(warnings[0], `"a" waits for "b"`) {
				t.Errorf("the one that formed it hears %q", warnings)
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

func TestCirclesOfWaits(t *testing.T) {
	t.Parallel()
	waits := map[string][]string{"a": {"b", "x"}, "b": {"c"}, "c": {"b", "d"}, "d": nil}
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"a", "d", true}, {"a", "b", true}, {"b", "b", true}, {"d", "a", false}, {"b", "a", false}, {"x", "d", false}, {"a", "a", false},
	} {
		if got := rules.LeadsTo(c.from, c.to, func(agent string) []string { return waits[agent] }); got != c.want {
			t.Errorf("who waits for %s waits for %s: %v", c.from, c.to, got)
		}
	}
}

func TestCircleOfThreeIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	a := hold(t, common, "a", "src/a")
	hold(t, common, "b", "src/b")
	hold(t, common, "c", "src/c")
	wait := func(agent, scope string) <-chan grantOrNot {
		c := callAt(t, common)
		return waiting(c, pathClaim(t, c, agent, scope), longWait*time.Second)
	}
	b := wait("b", "src/a")
	awaitTickets(t, common, 1)
	c := wait("c", "src/b")
	awaitTickets(t, common, 2)
	got := <-wait("a", "src/c")
	var e *fault.Error
	if !errors.As(got.err, &e) || e.Code != fault.Conflict || !e.Detail.(Refusal).Deadlock {
		t.Fatalf("the circle ended with %v", got.err)
	}
	if !strings.Contains(e.Message, `"c" waits for what you hold`) {
		t.Errorf("it says %q", e.Message)
	}
	awaitTickets(t, common, 2) // the earlier waiters keep waiting
	end(t, common, a)
	if got := <-b; got.err != nil {
		t.Fatal(got.err)
	}
	for _, e := range listedBy(t, common, "b") {
		end(t, common, e)
	}
	if got := <-c; got.err != nil {
		t.Fatal(got.err)
	}
}

// A waiter behind the caller does not block those ahead.
func TestQueueBehindOneselfIsNoCircle(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	hold(t, common, "h", "x")
	y := hold(t, common, "b", "y")
	wait := func(agent, scope string) <-chan grantOrNot {
		c := callAt(t, common)
		return waiting(c, pathClaim(t, c, agent, scope), longWait*time.Second)
	}
	before := wait("b", "x")
	awaitTickets(t, common, 1)
	behind := wait("a", "x")
	awaitTickets(t, common, 2)
	got := wait("a", "y")
	awaitTickets(t, common, 3)
	end(t, common, y)
	if got := <-got; got.err != nil {
		t.Error(got.err)
	}
	for _, e := range listedBy(t, common, "h") {
		end(t, common, e)
	}
	if got := <-before; got.err != nil {
		t.Fatal(got.err)
	}
	for _, e := range listedBy(t, common, "b") {
		end(t, common, e)
	}
	if got := <-behind; got.err != nil {
		t.Error(got.err)
	}
}
