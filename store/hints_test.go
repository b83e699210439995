package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// An error about an argument names it in backquotes and says in one line what
// to give.
func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "API", "src/**")
	create := func(change func(*store.CreateRequest)) error {
		r := store.CreateRequest{Title: "t", Scope: []string{"a"}}
		change(&r)
		_, err := w.at(w.main).Create(background, r)
		return err
	}
	update := func(r store.UpdateRequest) error {
		r.Ref = ref(id)
		_, err := w.at(w.main).Update(background, r)
		return err
	}
	finish := func(r store.FinishRequest) error {
		r.Ref = ref(id)
		_, err := w.at(w.main).Finish(background, r)
		return err
	}
	_, zero := w.at(w.main).Query(background, store.QueryRequest{Limit: ptr(0)})
	_, absent := w.at(w.main).Show(background, store.ShowRequest{Ref: ref("none")})
	_, short := w.at(w.main).Show(background, store.ShowRequest{Ref: store.Ref{LockID: "ap"}})
	_, blank := w.at(w.main).Show(background, store.ShowRequest{Ref: ref(" ")})
	for want, err := range map[string]error{
		"`title`: the title is empty\n`title` says what the work is: one line of at most 500 characters, as in \"Fix login\"":                                                         create(func(r *store.CreateRequest) { r.Title = "" }),
		"`tasks`: the task \"x\" is listed twice\neach `tasks` entry is one line of at most 2000 characters; no two are alike, and there are at most 500":                             create(func(r *store.CreateRequest) { r.Tasks = []string{"x", "x"} }),
		"`agent_id`: the agent id \"a\\nb\" contains the line break U+000A (character 2)\n`agent_id` is an agent's id: one line of at most 256 characters, as in agent-1; or omit it": create(func(r *store.CreateRequest) { r.AgentID = ptr("a\nb") }),
		"`lease_minutes` -1 is not a number of minutes above 0 and at most 43200 (30 days)\ngive the minutes that you may be silent, or omit `lease_minutes`":                         create(func(r *store.CreateRequest) { r.LeaseMinutes = ptr(-1.0) }),
		"`wait_seconds` -3 is not a number of seconds above 0 and at most 3600\ngive the most seconds to wait; to claim without waiting use `if_free`":                                create(func(r *store.CreateRequest) { r.WaitSeconds = ptr(-3.0) }),
		"`wait_seconds` 0 is not a number of seconds above 0 and at most 3600\ngive the most seconds to wait; to claim without waiting use `if_free`":                                 create(func(r *store.CreateRequest) { r.WaitSeconds = ptr(0.0) }),
		"the scope is empty\nname at least one path or glob from the repository's root with `scope`, as in src/auth/**":                                                               create(func(r *store.CreateRequest) { r.Scope = nil }),
		"`done` has no effect without `task_text`\nname the task that is done (or not) with `task_text`":                                                                              update(store.UpdateRequest{Done: ptr(true)}),
		"`task_text` \" \" is empty\ngive the exact text of one of the lock's tasks; see `lock_show`":                                                                                 update(store.UpdateRequest{TaskText: ptr(" ")}),
		"`summary`: the note is empty\n`summary` is text of at most 262144 bytes, in UTF-8 and without invisible characters; or omit it":                                              finish(store.FinishRequest{Summary: ptr("")}),
		"`moved_to` \"x\" has no effect without the outcome \"moved\"\nalso give `outcome` \"moved\"":                                                                                 finish(store.FinishRequest{MovedTo: ptr("x")}),
		"`limit` 0 is not a whole number above 0\ngive the most to list, or omit `limit`":                                                                                             zero,
		"no lock \"none\"\nsee `lock_query status=all` for the ids":                                                                                                                   absent,
		"no lock \"ap\", and \"ap\" is shorter than the 4 characters that a shortened id needs\nsee `lock_query status=all` for the ids":                                              short,
		"`lock_id` \" \" is empty\nsee `lock_query` for the ids":                                                                                                                      blank,
		"`hand_to`: the agent id is empty\n`hand_to` is an agent's id: one line of at most 256 characters, as in agent-1; or omit it":                                                 update(store.UpdateRequest{HandTo: ptr("")}),
		"`add_tasks`: the task is empty\neach `add_tasks` entry is one line of at most 2000 characters; no two are alike, and there are at most 500":                                  update(store.UpdateRequest{AddTasks: []string{""}}),
		"nothing to update\ngive a task, a note or a change of the claim; to keep the lock fresh use `lock_heartbeat`":                                                                update(store.UpdateRequest{}),
	} {
		var e *store.Error
		if !errors.As(err, &e) {
			t.Errorf("%v, want %q", err, want)
			continue
		}
		if got := e.Message + "\n" + e.Hint; got != want || strings.Contains(e.Hint, "\n") {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	found, err := w.at(w.main).Show(background, store.ShowRequest{Ref: store.Ref{LockID: "api"}})
	if err != nil || found.Result.ID != id {
		t.Errorf("by its whole slug: %q, %v", found.Result.ID, err)
	}
}

// Numbers are shown as they were given, not in a float64's shortest form.
func TestMessagesShowNumbersAsPeopleWriteThem(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "API", "src/**")
	s := w.at(w.main)
	_, lease := s.Create(background, store.CreateRequest{Title: "t", Scope: []string{"a"}, LeaseMinutes: ptr(99999999.0)})
	_, amended := s.Update(background, store.UpdateRequest{Ref: ref(id), LeaseMinutes: ptr(1e7 + 0.5)})
	_, wait := s.Create(background, store.CreateRequest{Title: "t", Scope: []string{"a"}, WaitSeconds: ptr(12345678.0)})
	_, timeout := s.Wait(background, store.WaitRequest{Scope: []string{"a"}, TimeoutSeconds: ptr(-0.00001)})
	_, stale := s.Query(background, store.QueryRequest{StaleMinutes: ptr(-12345678.0)})
	_, huge := s.Query(background, store.QueryRequest{StaleMinutes: ptr(-1e300)})
	_, fresh := s.Reap(background, store.ReapRequest{LockID: &id, StaleMinutes: ptr(12345678.0)})
	for want, err := range map[string]error{
		"`lease_minutes` 99999999 is not":   lease,
		"`lease_minutes` 10000000.5 is not": amended,
		"`wait_seconds` 12345678 is not":    wait,
		"`timeout_seconds` -0.00001 is not": timeout,
		"`stale_minutes` -12345678 is not":  stale,
		"`stale_minutes` -1e+300 is not":    huge,
		"; stale after 12345678 minutes":    fresh,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
