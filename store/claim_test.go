package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

// ifFree makes a claim from dir that must not be blocked.
func (w *world) ifFree(dir string, r store.CreateRequest) (store.Answer[store.Created], error) {
	if r.Title == "" {
		r.Title = "Wanted"
	}
	r.IfFree = true
	return w.at(dir).Create(background, r)
}

// refused returns the Refusal in an error.
func refused(t testing.TB, err error) store.Refusal {
	t.Helper()
	var e *store.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is a %T", err, err)
	}
	r, ok := e.Detail.(store.Refusal)
	if !ok {
		t.Fatalf("error %v has the detail %#v", err, e.Detail)
	}
	return r
}

func (w *world) activeFiles() []string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.dir(), "*.md"))
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

func TestIfFreeWritesOrSaysWho(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, err := w.ifFree(w.main, store.CreateRequest{Title: "First", Scope: []string{"src/**"}, AgentID: ptr("one")})
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Result.Overlaps) != 0 || first.Result.Recent == nil || len(first.Result.Recent) != 0 {
		t.Errorf("a free claim answers %+v", first.Result)
	}
	if _, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: store.Ref{LockID: first.Result.ID}, Note: ptr("half \"way\"\nand more")}); err != nil {
		t.Fatal(err)
	}
	_, err = w.ifFree(w.link, store.CreateRequest{Scope: []string{"docs", "src/a.go"}, AgentID: ptr("two")})
	wantCode(t, err, store.Conflict, `"src/a.go" is held by "one" since 2026-07-17T18-45-12`, "First", `last note: "half 'way'"`, "wait_seconds")
	// The common path of two globs is an example that may not exist, so the
	// held entry is named.
	_, globs := w.ifFree(w.link, store.CreateRequest{Scope: []string{"s*/*.md"}, AgentID: ptr("two")})
	wantCode(t, globs, store.Conflict, `"src/**" is held by "one"`)
	r := refused(t, err)
	if r.Code != store.Conflict || r.Deadlock || len(r.Waiting) != 0 || len(r.Overlaps) != 1 {
		t.Fatalf("refusal %+v", r)
	}
	if o := r.Overlaps[0]; o.ID != first.Result.ID || !o.Blocks || o.LastNote != `half "way"` || o.Created == "" || len(o.Overlaps) != 1 {
		t.Errorf("overlap %+v", o)
	}
	if files := w.activeFiles(); len(files) != 1 {
		t.Errorf("a refused claim left %q", files)
	}
	if _, err := w.ifFree(w.link, store.CreateRequest{Scope: []string{"docs"}, AgentID: ptr("two")}); err != nil {
		t.Errorf("disjoint: %v", err)
	}
	if _, err := w.ifFree(w.main, store.CreateRequest{Scope: []string{"src/b.go"}, AgentID: ptr("one")}); err != nil {
		t.Errorf("one's own lock: %v", err)
	}
	if _, err := w.ifFree(w.link, store.CreateRequest{Scope: []string{"src/c.go"}, AgentID: ptr("child"), ParentAgentID: ptr("one")}); err != nil {
		t.Errorf("one's parent's lock: %v", err)
	}
}

func TestIfFreePassesStaleLocksAndUnreadableFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.claim(w.main, "Old", "src")
	w.write("2026-07-17T18-45-12-broken.md", "no lock")
	w.pass(61 * time.Minute)
	a, err := w.ifFree(w.link, store.CreateRequest{Scope: []string{"src"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Result.Overlaps) != 1 || a.Result.Overlaps[0].ID != old || a.Result.Overlaps[0].Blocks || !a.Result.Overlaps[0].Stale {
		t.Errorf("overlaps %+v", a.Result.Overlaps)
	}
	wantWarning(t, a.Warnings, old)
	wantWarning(t, a.Warnings, "could not be read may hold a lock")
}

func TestIfFreeTellsOfWhatMayBeOnesOwn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "Mine", "src")
	_, err := w.ifFree(w.main, store.CreateRequest{Scope: []string{"src"}, AgentID: ptr("me")})
	wantCode(t, err, store.Conflict, "an agent without an id", id+`" was made in this worktree`, "pass `agent_id`")
	_, err = w.ifFree(w.link, store.CreateRequest{Scope: []string{"src"}, AgentID: ptr("me")})
	wantCode(t, err, store.Conflict)
	var e *store.Error
	if errors.As(err, &e); strings.Contains(e.Hint, "your own") {
		t.Errorf("of another worktree's lock it says %q", e.Hint)
	}
	named, err := w.at(w.main).Create(background, store.CreateRequest{Title: "Named", Scope: []string{"docs"}, AgentID: ptr("me")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.ifFree(w.main, store.CreateRequest{Scope: []string{"docs"}}) // the caller is the one without an id
	wantCode(t, err, store.Conflict, named.Result.ID+`" was made in this worktree`)
}

func TestIfFreeTellsWhatEndedThereLately(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	finish := func(title, scope, summary string) string {
		id := w.claim(w.main, title, scope)
		w.pass(time.Minute)
		if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: id}, Summary: &summary, Outcome: ptr("moved"), MovedTo: ptr("lib")}); err != nil {
			t.Fatal(err)
		}
		return id
	}
	finish("Yesterday", "src", "long ago")
	w.pass(25 * time.Hour)
	finish("Elsewhere", "docs", "nothing to do with it")
	var want []string
	for range 6 {
		want = append([]string{finish("Today", "src/a.go", "what I did\nin detail")}, want...)
	}
	never := finish("By its mtime from long ago", "src", "old")
	long := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(filepath.Join(w.dir(), "done", never+".md"), long, long); err != nil {
		t.Fatal(err)
	}
	a, err := w.ifFree(w.link, store.CreateRequest{Scope: []string{"src"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range a.Result.Recent {
		got = append(got, r.ID)
		if r.Title != "Today" || r.FinishedBy != "holder" || r.Outcome != "moved" || r.MovedTo != "lib" || r.LastNote != "what I did" || r.Finished == "" || r.AgentID != nil {
			t.Errorf("recent %+v", r)
		}
	}
	if strings.Join(got, " ") != strings.Join(want[:5], " ") {
		t.Errorf("recent are %q, want %q", got, want[:5])
	}
}

// A recently finished claim may have been held for long, but an archive is not
// searched without limit.
func TestRecentKnowsLongClaims(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []string
	for _, age := range []time.Duration{31, 29} {
		ids = append(ids, fmt.Sprintf("%s-of-%d-days", lockfile.FormatStamp(w.clock().Add(-age*24*time.Hour)), age))
	}
	for _, id := range ids {
		w.write("done/"+id+".md", "---\nid: "+id+"\nstatus: done\ncreated: "+id[:19]+"\nfinished: "+lockfile.FormatStamp(w.clock())+"\nscope: [src]\n---\n\n# x\n")
	}
	a, err := w.at(w.main).Wait(background, store.WaitRequest{Scope: []string{"src/a"}})
	if err != nil || len(a.Result.Recent) != 1 || a.Result.Recent[0].ID != ids[1] {
		t.Errorf("%+v, %v", a.Result.Recent, err)
	}
}

// Another tool's file may not record when the work ended; its last update
// stands for that.
func TestRecentKnowsLocksWithoutTheirEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"2026-07-16T18-00-00-old", "2026-07-17T18-00-00-node"} {
		w.write("done/"+id+".md", "---\nid: "+id+"\nstatus: done\ncreated: "+id[:19]+"\nscope: [src]\n---\n\n# x\n")
	}
	a, err := w.at(w.main).Wait(background, store.WaitRequest{Scope: []string{"src/a"}})
	if err != nil || len(a.Result.Recent) != 1 || a.Result.Recent[0].Finished != "2026-07-17T18-00-00" {
		t.Errorf("%+v, %v", a.Result.Recent, err)
	}
}

func TestCancelledClaimWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := w.at(w.main).Create(ctx, store.CreateRequest{Title: "Late", Scope: []string{"src"}, IfFree: true}); err == nil {
		t.Error("a cancelled claim succeeded")
	}
	if files := w.activeFiles(); len(files) != 0 {
		t.Errorf("it left %q", files)
	}
}

func TestAnUndecidedConflictSaysMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.held("one", "", "src/!(x)/a.go")
	_, err := w.at(w.link).Create(background, store.CreateRequest{Title: "t", Scope: []string{"src/x/a.go"}, AgentID: ptr("two"), IfFree: true})
	wantCode(t, err, store.Conflict, `"src/x/a.go" may be held by "one"`)
}
