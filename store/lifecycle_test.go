package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func ref(id string) store.Ref { return store.Ref{LockID: id} }

func TestUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "work", "a", "one", "two", "three")
	s := w.at(w.main)
	w.pass(time.Minute)
	for _, c := range []struct {
		r    store.UpdateRequest
		want int
	}{
		{store.UpdateRequest{TaskText: ptr(" one "), Note: ptr("first\nsecond line")}, 33},
		{store.UpdateRequest{TaskText: ptr("two"), Done: ptr(true)}, 67},
		{store.UpdateRequest{TaskText: ptr("two"), Done: ptr(true)}, 67},
		{store.UpdateRequest{TaskText: ptr("one"), Done: ptr(false)}, 33},
		{store.UpdateRequest{Note: ptr("---\nid: fake\nstatus: done\n---")}, 33},
	} {
		c.r.Ref = ref(id)
		a, err := s.Update(background, c.r)
		if err != nil || a.Result.PercentComplete != c.want || a.Result.ID != id {
			t.Errorf("%+v: %+v, %v", c.r, a, err)
		}
	}
	a, err := s.Show(background, store.ShowRequest{Ref: ref(id)})
	if err != nil || a.Result.Status != "active" || a.Result.Updated != "2026-07-17T18-46-12" {
		t.Fatalf("%+v, %v", a, err)
	}
	if got := fmt.Sprintf("%q", a.Result.Notes); got != `["first\nsecond line" "---\nid: fake\nstatus: done\n---"]` {
		t.Errorf("notes %s", got)
	}
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id), TaskText: ptr("four")})
	wantCode(t, err, store.TaskNotFound, `"four"`, `"one", "two", "three"`)
	for _, number := range []string{"0", "4", "-1"} {
		_, err = w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), TaskText: ptr(number)})
		wantCode(t, err, store.TaskNotFound, `has no task "`+number+`"`, `they are numbered from 1 to 3: "one", "two", "three"`)
	}
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id), Done: ptr(true)})
	wantCode(t, err, store.BadInput, "task_text")
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id)})
	wantCode(t, err, store.BadInput, "heartbeat")
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id), Note: ptr(strings.Repeat("x", 257<<10))})
	wantCode(t, err, store.BadInput, "note")
}

func TestNotesCannotFillTheFile(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "work", "a")
	s := w.at(w.main)
	note := strings.Repeat("x", 200<<10)
	var err error
	for range 8 {
		if _, err = s.Update(background, store.UpdateRequest{Ref: ref(id), Note: &note}); err != nil {
			break
		}
	}
	wantCode(t, err, store.BadInput, "bytes")
	big := strings.Repeat("y", 255<<10)
	if _, err := s.Finish(background, store.FinishRequest{Ref: ref(id), Summary: &big}); err != nil {
		t.Errorf("a full lock cannot be finished: %v", err)
	}
}

func TestFinish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "work", "a", "one")
	s := w.at(w.link)
	w.pass(time.Minute)
	a, err := s.Finish(background, store.FinishRequest{Ref: ref(id), Summary: ptr("all done")})
	if err != nil || !strings.HasSuffix(a.Result.FilePath, id+".md") {
		t.Fatalf("%+v, %v", a, err)
	}
	text := w.read("done", id+".md")
	for _, line := range []string{"status: done\n", "updated: 2026-07-17T18-45-12\n", "finished: 2026-07-17T18-46-12\n", "finished_by: holder\n", "- all done\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in:\n%s", line, text)
		}
	}
	_, err = s.Finish(background, store.FinishRequest{Ref: ref(id)})
	wantCode(t, err, store.LockNotActive, "already done", "2026-07-17T18-46-12")
	_, err = s.Heartbeat(background, store.HeartbeatRequest{Ref: ref(id)})
	wantCode(t, err, store.LockNotActive, "already done")
	_, err = s.Reap(background, store.ReapRequest{LockID: &id})
	wantCode(t, err, store.LockNotActive, "already done")
	_, err = s.Finish(background, store.FinishRequest{Ref: ref("2026-07-17T18-45-12-other")})
	wantCode(t, err, store.LockNotFound, "2026-07-17T18-45-12-other")

	// The record of a finished lock may still be completed.
	w.pass(time.Minute)
	u, err := s.Update(background, store.UpdateRequest{Ref: ref(id), TaskText: ptr("one"), Note: ptr("later")})
	if err != nil || u.Result.PercentComplete != 100 {
		t.Errorf("%+v, %v", u, err)
	}
	if text := w.read("done", id+".md"); !strings.Contains(text, "updated: 2026-07-17T18-45-12\n") || !strings.HasSuffix(text, " later\n") {
		t.Errorf("after the update:\n%s", text)
	}
}

func TestReapedIsToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "lapse", "a/b", "one")
	w.pass(3 * time.Hour)
	if a, err := w.at(w.link).Reap(background, store.ReapRequest{LockID: &id}); err != nil || len(a.Result) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	s := w.at(w.main)
	_, err := s.Heartbeat(background, store.HeartbeatRequest{Ref: ref(id)})
	wantCode(t, err, store.LockNotActive, "reaped for inactivity", "2026-07-17T21-45-12", "3h", "claim again")
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id), TaskText: ptr("one")})
	wantCode(t, err, store.LockNotActive, "reaped for inactivity")
	_, err = s.Finish(background, store.FinishRequest{Ref: ref(id)})
	wantCode(t, err, store.LockNotActive, "reaped for inactivity")
	text := w.read("done", id+".md")
	for _, part := range []string{"finished_by: reap\n", "last updated 2026-07-17T18-45-12", "idle for 180 minutes", "threshold 60 minutes"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

func TestHeartbeatWritesNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "fut", "a/b")
	w.write(id+".md", strings.Replace(w.read(id+".md"), "updated: 2026", "updated: 2099", 1))
	s := w.at(w.main)
	q, err := s.Query(background, store.QueryRequest{})
	if err != nil || q.Result[0].Stale || q.Result[0].StaleForSeconds != 0 {
		t.Errorf("%+v, %v", q.Result, err)
	}
	wantWarning(t, q.Warnings, "in the future")
	w.pass(5 * time.Second)
	a, err := s.Heartbeat(background, store.HeartbeatRequest{Ref: ref(id)})
	if err != nil || a.Result.Updated != "2026-07-17T18-45-17" || !strings.Contains(w.read(id+".md"), "updated: 2026-07-17T18-45-17\n") {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestConcurrentUpdatesLoseNothing(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	var tasks []string
	for i := range 12 {
		tasks = append(tasks, fmt.Sprintf("t%d", i))
	}
	id := w.claim(w.main, "race", "a", tasks...)
	var wg sync.WaitGroup
	for _, task := range tasks {
		wg.Go(func() {
			if _, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), TaskText: &task, Note: ptr("n" + task)}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := w.at(w.link).Heartbeat(background, store.HeartbeatRequest{Ref: ref(id)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	a, err := w.at(w.main).Show(background, store.ShowRequest{Ref: ref(id)})
	if err != nil || a.Result.PercentComplete != 100 || len(a.Result.Notes) != 12 {
		t.Errorf("%+v, %v", a.Result, err)
	}
}

// A lock finished with a long summary may be larger than an active one may be.
// Reopened like that, it could not be finished again.
func TestReopenLeavesRoomToFinish(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "x", "a")
	ref := store.Ref{LockID: id}
	long := strings.Repeat("x", 250<<10)
	s := w.at(w.main)
	for range 2 {
		if _, err := s.Update(background, store.UpdateRequest{Ref: ref, Note: &long}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Finish(background, store.FinishRequest{Ref: ref, Summary: &long}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Reopen(background, store.ReopenRequest{Ref: ref, Reason: &long})
	wantCode(t, err, store.BadInput, "bytes, more than 720896")
}

// An active lock whose id also exists in the archive stays active until
// somebody decides which of the two to keep.
func TestWhatStandsInTheArchiveAsWellGoesOn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "twice", "a", "one")
	other := strings.Replace(w.read(id+".md"), "status: active", "status: done", 1)
	w.write("done/"+id+".md", other)
	s := w.at(w.link)
	w.pass(2 * time.Hour)
	for _, status := range []string{"active", "all"} {
		q, err := s.Query(background, store.QueryRequest{Status: status})
		if err != nil || ids(q.Result) != id || q.Result[0].Status != "active" {
			t.Errorf("%s: %+v, %v", status, q.Result, err)
		}
		wantWarning(t, q.Warnings, "is in two places")
	}
	active, done := filepath.Join(w.dir(), id+".md"), filepath.Join(w.dir(), "done", id+".md")
	_, err := s.Finish(background, store.FinishRequest{Ref: ref(id)})
	wantCode(t, err, store.DuplicateID, active, done, "move one of them")
	_, err = s.Reap(background, store.ReapRequest{LockID: &id})
	wantCode(t, err, store.DuplicateID, active, done, "move one of them")
	r, err := s.Reap(background, store.ReapRequest{})
	if err != nil || len(r.Result) != 0 {
		t.Errorf("reaped: %+v, %v", r.Result, err)
	}
	wantWarning(t, r.Warnings, "is not reaped")
	if u, err := s.Update(background, store.UpdateRequest{Ref: ref(id), TaskText: ptr("one")}); err != nil || u.Result.PercentComplete != 100 {
		t.Errorf("update: %+v, %v", u.Result, err)
	}
	w.pass(time.Minute)
	if h, err := s.Heartbeat(background, store.HeartbeatRequest{Ref: ref(id)}); err != nil || h.Result.Updated != "2026-07-17T20-46-12" {
		t.Errorf("heartbeat: %+v, %v", h.Result, err)
	}
	if text := w.read(id + ".md"); !strings.Contains(text, "[x] one") || !strings.Contains(text, "updated: 2026-07-17T20-46-12") || w.read("done", id+".md") != other {
		t.Errorf("the active copy:\n%s\nthe other:\n%s", text, w.read("done", id+".md"))
	}
}
