package store_test

import (
	"context"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// For what only a holder does, a short name refers to the caller's own locks;
// for what anybody may do, to any lock.
func TestShortNamesOfWhatOnlyAHolderDoes(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	create := func(dir, agent, title, scope string) string {
		t.Helper()
		a, err := w.at(dir).Create(background, store.CreateRequest{Title: title, Scope: []string{scope}, Tasks: []string{"x"}, AgentID: ptr(agent)})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result.ID
	}
	mine := create(w.main, "me", "Fix login tests", "a")
	theirs := create(w.link, "you", "Fix login", "b")
	create(w.link, "you", "Fix login texts", "e")
	ref := store.Ref{LockID: "fix-login"}
	me := w.at(w.main, "AGENT_LOCKS_AGENT_ID=me")
	update := func(change func(*store.UpdateRequest)) (string, error) {
		r := store.UpdateRequest{Ref: ref}
		change(&r)
		a, err := me.Update(background, r)
		return a.Result.ID, err
	}
	heartbeat := func() (string, error) {
		a, err := me.Heartbeat(background, store.HeartbeatRequest{Ref: ref})
		return a.Result.ID, err
	}
	finish := func() (string, error) {
		a, err := me.Finish(background, store.FinishRequest{Ref: ref})
		return a.Result.ID, err
	}
	reopen := func() (string, error) {
		a, err := me.Reopen(background, store.ReopenRequest{Ref: ref, Reason: ptr("more")})
		return a.Result.ID, err
	}
	for what, do := range map[string]func() (string, error){
		"a note":        func() (string, error) { return update(func(r *store.UpdateRequest) { r.Note = ptr("n") }) },
		"one more task": func() (string, error) { return update(func(r *store.UpdateRequest) { r.AddTasks = []string{"y"} }) },
		"looking at one": func() (string, error) {
			a, err := me.Show(background, store.ShowRequest{Ref: ref})
			return a.Result.ID, err
		},
	} {
		if id, err := do(); err != nil || id != theirs {
			t.Errorf("%s: %q, %v; want the lock whose whole slug it is, %q", what, id, err, theirs)
		}
	}
	ref.LockID = "fix-login-te"
	for _, step := range []struct {
		what string
		do   func() (string, error)
	}{
		{"more scope", func() (string, error) {
			return update(func(r *store.UpdateRequest) { r.AddScope = []string{"c"} })
		}},
		{"a task", func() (string, error) { return update(func(r *store.UpdateRequest) { r.TaskText = ptr("x") }) }},
		{"a lease", func() (string, error) { return update(func(r *store.UpdateRequest) { r.LeaseMinutes = ptr(90.0) }) }},
		{"a heartbeat", heartbeat},
		{"the end", finish},
		{"coming back", reopen},
		{"less scope", func() (string, error) {
			return update(func(r *store.UpdateRequest) { r.AddScope, r.RemoveScope = []string{"d"}, []string{"a"} })
		}},
		{"a successor", func() (string, error) { return update(func(r *store.UpdateRequest) { r.HandTo = ptr("her") }) }},
	} {
		if id, err := step.do(); err != nil || id != mine {
			t.Errorf("%s: %q, %v; want the caller's own, %q", step.what, id, err, mine)
		}
	}
	// A whole slug refers to exactly that lock, not to others that start like
	// that.
	ref.LockID = "fix-login"
	for what, do := range map[string]func() (string, error){"heartbeat": heartbeat, "finish": finish} {
		_, err := do()
		wantCode(t, err, store.NotHolder, `none of your own locks is called "fix-login"`, "give the whole id:\n  "+theirs+` (active, "Fix login")`)
		if err == nil {
			t.Errorf("%s took somebody else's", what)
		}
	}
	_, err := me.Finish(context.Background(), store.FinishRequest{Ref: store.Ref{LockID: theirs}, Force: true})
	if err != nil {
		t.Errorf("the whole id: %v", err)
	}
}

// A whole slug names its lock as long as there is a record of it: a repeated
// finish must not reach another lock that starts like that.
func TestAWholeSlugOfAFinishedLockNamesNoOther(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	done := w.claim(w.main, "Fix login", "a")
	page := w.claim(w.main, "Fix login page", "b")
	s, ref := w.at(w.main), store.Ref{LockID: "fix-login"}
	finish := func() error {
		_, err := s.Finish(background, store.FinishRequest{Ref: ref})
		return err
	}
	if err := finish(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, finish(), store.LockNotActive, done+`" is already done`)
	_, err := s.Heartbeat(background, store.HeartbeatRequest{Ref: ref})
	wantCode(t, err, store.LockNotActive, done)
	_, err = s.Update(background, store.UpdateRequest{Ref: ref, HandTo: ptr("her")})
	wantCode(t, err, store.LockNotActive, done)
	noted, err := s.Update(background, store.UpdateRequest{Ref: ref, Note: ptr("n")})
	if err != nil || noted.Result.ID != done {
		t.Errorf("a note: %q, %v; want it on %q", noted.Result.ID, err, done)
	}
	shown, err := s.Show(background, store.ShowRequest{Ref: ref})
	if err != nil || shown.Result.ID != done {
		t.Errorf("show: %q, %v; want %q", shown.Result.ID, err, done)
	}
	begun, err := s.Show(background, store.ShowRequest{Ref: store.Ref{LockID: "fix-login-p"}})
	if err != nil || begun.Result.ID != page {
		t.Errorf("a beginning: %q, %v; want %q", begun.Result.ID, err, page)
	}
}

// A caller without an id owns the locks of its worktree, and those without an
// id. In another worktree, a short name refers to none of theirs.
func TestShortNamesWithoutAnID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.claim(w.main, "Fix login", "a")
	_, err := w.at(w.link).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: "fix-login"}})
	wantCode(t, err, store.NotHolder, "give the whole id")
	if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: "fix-login"}}); err != nil {
		t.Error(err)
	}
	_, err = w.at(w.main).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: "fix-login"}})
	wantCode(t, err, store.LockNotActive, "already done")
}
