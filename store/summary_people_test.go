package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// What tables show about locks: names that every command accepts, and their
// progress.
func TestSummariesForPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	claim := func(title string, tasks ...string) string {
		t.Helper()
		w.pass(time.Second)
		a, err := s.Create(background, store.CreateRequest{Title: title, Scope: []string{"src/"}, Tasks: tasks, AgentID: ptr("one")})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result.ID
	}
	update := func(id string, r store.UpdateRequest) {
		t.Helper()
		r.Ref, r.AgentID = ref(id), ptr("one")
		if _, err := s.Update(background, r); err != nil {
			t.Fatal(err)
		}
	}
	over := claim("Over")
	if _, err := s.Finish(background, store.FinishRequest{Ref: ref(over), AgentID: ptr("one")}); err != nil {
		t.Fatal(err)
	}
	again := claim("Over") // the name refers to the active lock; the finished one needs its id
	login := claim("Fix login", "Write", "Test")
	update(login, store.UpdateRequest{TaskText: ptr("Write"), Note: ptr("half way\nand more")})
	w.pass(time.Minute)
	update(login, store.UpdateRequest{AddScope: []string{"docs/"}}) // adds a recorded note, which is nobody's words
	twin, other := claim("Twin"), claim("Twin")

	want := map[string]store.Summary{
		over:  {ShortID: over, Ago: 64},
		again: {ShortID: "over"},
		login: {ShortID: "fix-login", NextTask: "Test", Latest: "half way"},
		twin:  {ShortID: twin},
		other: {ShortID: other},
	}
	a, err := s.Query(background, store.QueryRequest{Status: "all", ForPeople: true})
	if err != nil || len(a.Result) != len(want) {
		t.Fatalf("%d locks, %v", len(a.Result), err)
	}
	for _, got := range a.Result {
		w := want[got.ID]
		if got.ShortID != w.ShortID || got.NextTask != w.NextTask || got.Latest != w.Latest {
			t.Errorf("%s: %q, next %q, note %q; want %+v", got.ID, got.ShortID, got.NextTask, got.Latest, w)
		}
		if got.ID == over && got.Ago != w.Ago {
			t.Errorf("it ended %d s ago, want %d", got.Ago, w.Ago)
		}
		if shown, err := s.Show(background, store.ShowRequest{Ref: ref(got.ShortID)}); err != nil || shown.Result.ID != got.ID {
			t.Errorf("%q means %q, not %q (%v)", got.ShortID, shown.Result.ID, got.ID, err)
		}
	}
	plain, err := s.Query(background, store.QueryRequest{Status: "all"})
	if err != nil || slices.ContainsFunc(plain.Result, func(s store.Summary) bool { return s.ShortID+s.NextTask+s.Latest != "" }) {
		t.Errorf("without that, %+v, %v", plain.Result, err)
	}
}
