package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func TestReadingCreatesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	if a, err := s.Query(background, store.QueryRequest{}); err != nil || a.Result == nil || len(a.Result) != 0 {
		t.Errorf("query: %+v, %v", a, err)
	}
	if a, err := s.Check(background, store.CheckRequest{Scope: []string{"a"}}); err != nil || a.Result == nil || len(a.Result) != 0 {
		t.Errorf("check: %+v, %v", a, err)
	}
	if a, err := s.Reap(background, store.ReapRequest{DryRun: true}); err != nil || a.Result == nil || len(a.Result) != 0 {
		t.Errorf("reap: %+v, %v", a, err)
	}
	_, err := s.Show(background, store.ShowRequest{Ref: store.Ref{LockID: "2026-07-17T18-45-12-x"}})
	wantCode(t, err, store.LockNotFound)
	if _, err := os.Stat(w.dir()); !os.IsNotExist(err) {
		t.Errorf("reading made the store: %v", err)
	}
}

func TestQueryFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.claim(w.main, "One", "src/**")
	w.pass(time.Second)
	two := w.claim(w.link, "Two", "docs/**")
	w.pass(time.Second)
	a, err := w.at(w.main).Create(background, store.CreateRequest{Title: "Three", Scope: []string{"lib/*.go"}, AgentID: ptr("me")})
	if err != nil {
		t.Fatal(err)
	}
	three := a.Result.ID
	if _, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: store.Ref{LockID: one}, Note: ptr("Straße needs care")}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: two}}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		r    store.QueryRequest
		want string
	}{
		"default":      {store.QueryRequest{}, one + " " + three},
		"active":       {store.QueryRequest{Status: "active"}, one + " " + three},
		"done":         {store.QueryRequest{Status: "done"}, two},
		"all":          {store.QueryRequest{Status: "all"}, one + " " + two + " " + three},
		"agent":        {store.QueryRequest{AgentID: "me"}, three},
		"no such":      {store.QueryRequest{AgentID: "m"}, ""},
		"title":        {store.QueryRequest{Text: "tHREE"}, three},
		"note":         {store.QueryRequest{Text: "STRASSE NEEDS"}, ""}, // lower case, not case folding: ß stays ß
		"note in case": {store.QueryRequest{Text: "NEEDS CARE"}, one},
		"scope":        {store.QueryRequest{Scope: []string{"lib/a.go"}}, three},
		"scope, all":   {store.QueryRequest{Status: "all", Scope: []string{"docs/x", "lib"}}, two + " " + three},
		"no scope":     {store.QueryRequest{Scope: []string{}}, one + " " + three},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := w.at(w.link).Query(background, c.r)
			if err != nil || ids(a.Result) != c.want || len(a.Warnings) > 0 {
				t.Errorf("got %q, want %q (%v, %q)", ids(a.Result), c.want, err, a.Warnings)
			}
		})
	}
	l, err := w.at(w.main).Query(background, store.QueryRequest{Status: "all", Limit: ptr(2)})
	if err != nil || ids(l.Result) != two+" "+three {
		t.Errorf("limit 2: %q, %v", ids(l.Result), err)
	}
	wantWarning(t, l.Warnings, "1 more, claimed earlier, are omitted by `limit` 2")
	_, err = w.at(w.main).Query(background, store.QueryRequest{Limit: ptr(0)})
	wantCode(t, err, store.BadInput, "`limit` 0")
	_, err = w.at(w.main).Query(background, store.QueryRequest{Status: "open"})
	wantCode(t, err, store.BadInput, `"open"`, "done")
	_, err = w.at(w.main).Query(background, store.QueryRequest{Scope: []string{"[]"}})
	wantCode(t, err, store.BadScope, "[]")
}

// An active lock whose worktree is gone is marked.
func TestQueryMarksWorktreesThatAreGone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.claim(w.main, "here", "a")
	w.claim(w.link, "there", "b")
	done := w.claim(w.link, "done", "c")
	if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: done}}); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []bool{false, true} {
		if gone {
			if err := os.RemoveAll(w.link); err != nil {
				t.Fatal(err)
			}
		}
		a, err := w.at(w.main).Query(background, store.QueryRequest{Status: "all"})
		if err != nil || len(a.Result) != 3 {
			t.Fatalf("%+v, %v", a.Result, err)
		}
		for _, s := range a.Result {
			if s.WorktreeGone != (gone && s.Title == "there") {
				t.Errorf("gone %v: of %q it says %v", gone, s.Title, s.WorktreeGone)
			}
		}
	}
}

// WSL and Windows share stores, and neither can examine the other's paths.
func TestAnotherSystemsWorktreeIsNotCalledGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, root := range []string{`C:\code\app`, "/mnt/c/code/app", `\\server\code`} {
		if filepath.IsAbs(root) {
			continue // this system's own
		}
		id := w.claim(w.link, "from afar", "a")
		w.write(id+".md", regexp.MustCompile(`(?m)^worktree: .*`).ReplaceAllLiteralString(w.read(id+".md"), "worktree: "+root))
		a, err := w.at(w.main).Show(background, store.ShowRequest{Ref: store.Ref{LockID: id}})
		if err != nil || a.Result.Worktree != root || a.Result.WorktreeGone {
			t.Errorf("%+v, %v", a.Result, err)
		}
	}
}

func TestUnreadableFilesHideNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.claim(w.main, "good", "src/**")
	w.write("empty.md", "")
	w.write("tab.md", "---\nid: x\n\tscope: [\n")
	w.write("torn.md", w.read(good + ".md")[:40])
	w.write("bin.md", "\377\376")
	if err := os.Mkdir(filepath.Join(w.dir(), "dir.md"), 0o777); err != nil {
		t.Fatal(err)
	}
	bad := []string{"empty.md", "tab.md", "torn.md", "bin.md", "dir.md"}
	if err := os.Symlink("/nonexistent", filepath.Join(w.dir(), "dangling.md")); err == nil {
		bad = append(bad, "dangling.md")
	}
	s := w.at(w.link)
	q, err := s.Query(background, store.QueryRequest{})
	if err != nil || ids(q.Result) != good {
		t.Errorf("query: %q, %v", ids(q.Result), err)
	}
	c, err := s.Check(background, store.CheckRequest{Scope: []string{"src/a"}})
	if err != nil || ids(c.Result) != good || c.Unreadable < 5 {
		t.Errorf("check: %q, unreadable %v, %v", ids(c.Result), c.Unreadable, err)
	}
	r, err := s.Reap(background, store.ReapRequest{})
	if err != nil || len(r.Result) != 0 {
		t.Errorf("reap: %v, %v", r.Result, err)
	}
	n, err := s.Create(background, store.CreateRequest{Title: "next", Scope: []string{"src/b"}})
	if err != nil || ids(n.Result.Overlaps) != good {
		t.Errorf("create: %+v, %v", n.Result, err)
	}
	for _, name := range bad {
		for _, warnings := range [][]string{q.Warnings, c.Warnings, r.Warnings, n.Warnings} {
			wantWarning(t, warnings, name)
		}
	}
	wantWarning(t, c.Warnings, "incomplete")
}

func TestCheckOfAStoredBadPatternIsNeverSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "ok", "src/x.ts")
	w.write(id+".md", strings.Replace(w.read(id+".md"), "src/x.ts", "src/{a,b", 1))
	a, err := w.at(w.link).Check(background, store.CheckRequest{Scope: []string{"src/a.ts"}})
	if err != nil || len(a.Result) != 1 || a.Result[0].Overlaps[0].Exact {
		t.Errorf("%+v, %v", a.Result, err)
	}
}

// The original stored absolute paths as typed.
func TestCheckOfAStoredAbsolutePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "typed", "src/x.ts")
	path := filepath.ToSlash(filepath.Join(w.main, "lib", "**"))
	w.write(id+".md", strings.Replace(w.read(id+".md"), "src/x.ts", "'"+path+"'", 1))
	for scope, want := range map[string]int{"lib/a.ts": 1, "libs/a.ts": 0, filepath.Join(w.link, "lib"): 1} {
		a, err := w.at(w.link).Check(background, store.CheckRequest{Scope: []string{scope}})
		if err != nil || len(a.Result) != want {
			t.Errorf("%q: %+v, %v; want %d", scope, a.Result, err, want)
		}
	}
}

func TestCheckFoldsCaseWhereGitDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git(w.main, "config", "core.ignorecase", "false")
	w.claim(w.main, "case", "src/API/x.ts")
	w.claim(w.main, "accent", "docs/M\u00fcller.md")
	hits := func(scope string) int {
		a, err := w.at(w.link).Check(background, store.CheckRequest{Scope: []string{scope}})
		if err != nil {
			t.Fatal(err)
		}
		return len(a.Result)
	}
	if n := hits("docs/Mu\u0308ller.md"); n != 1 {
		t.Errorf("composed and decomposed accents meet %d times", n)
	}
	if n := hits("src/api/x.ts"); n != 0 {
		t.Errorf("case differs: %d", n)
	}
	w.git(w.main, "config", "core.ignorecase", "true")
	if n := hits("src/api/x.ts"); n != 1 {
		t.Errorf("core.ignorecase: %d", n)
	}
}

// An older Node version stored no repository; a lock governs the root of its
// store.
func TestQueryOfALockWithoutItsRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "old", "src")
	w.write(id+".md", strings.Replace(w.read(id+".md"), "repository: "+w.main+"\n", "", 1))
	a, err := w.at(w.link).Query(background, store.QueryRequest{})
	if err != nil || a.Result[0].Repository != w.main || len(a.Warnings) > 0 || strings.Contains(w.read(id+".md"), "repository:") {
		t.Errorf("%+v, %q, %v", a.Result, a.Warnings, err)
	}
}

// Every reader of a readable but odd file warns about it.
func TestOddFilesAreToldOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "odd", "src")
	w.write(id+".md", strings.Replace(w.read(id+".md"), "id: "+id, "id: other", 1))
	s := w.at(w.link)
	q, err := s.Query(background, store.QueryRequest{})
	if err != nil || ids(q.Result) != id {
		t.Errorf("%+v, %v", q.Result, err)
	}
	c, err := s.Check(background, store.CheckRequest{Scope: []string{"docs"}})
	if err != nil || len(c.Result) != 0 {
		t.Errorf("%+v, %v", c.Result, err)
	}
	l, err := s.Show(background, store.ShowRequest{Ref: store.Ref{LockID: id}})
	if err != nil || l.Result.ID != id {
		t.Errorf("%+v, %v", l.Result, err)
	}
	for _, warnings := range [][]string{q.Warnings, c.Warnings, l.Warnings} {
		wantWarning(t, warnings, `the frontmatter says id "other"; the file name is the id`)
	}
}

func TestShortIDs(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	one := w.claim(w.main, "alpha one", "a")
	w.claim(w.main, "alpha two", "b")
	show := func(id string) (string, error) {
		a, err := w.at(w.main).Show(background, store.ShowRequest{Ref: store.Ref{LockID: id}})
		return a.Result.ID, err
	}
	if id, err := show("alpha-o"); err != nil || id != one {
		t.Errorf("%q, %v", id, err)
	}
	_, err := show("alpha")
	wantCode(t, err, store.BadInput, "ambiguous: it fits 2 locks", "\n  "+one+` (active, "alpha one")`+"\n", `alpha-two (active, "alpha two")`)
	_, err = show("alp")
	wantCode(t, err, store.LockNotFound)
	for _, bad := range []string{"../x", "..", ".", "", "a/b", "*", "2*", "/etc/passwd", "done/../../x", `..\x`} {
		_, err := show(bad)
		wantCode(t, err, store.BadInput)
	}
	// Active locks come first, both for changes and for show.
	if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: "alpha-o"}}); err != nil {
		t.Fatal(err)
	}
	if a, err := w.at(w.main).Heartbeat(background, store.HeartbeatRequest{Ref: store.Ref{LockID: "alpha"}}); err != nil || !strings.HasSuffix(a.Result.ID, "alpha-two") {
		t.Errorf("%+v, %v", a, err)
	}
	if id, err := show("alpha"); err != nil || !strings.HasSuffix(id, "alpha-two") {
		t.Errorf("%q, %v", id, err)
	}
	// If two locks have the same slug, the active one is meant, by show as by
	// update.
	w.pass(time.Second)
	again := w.claim(w.main, "alpha one", "c")
	if id, err := show("alpha-one"); err != nil || id != again {
		t.Errorf("%q, %v; want %q", id, err, again)
	}
	_, err = w.at(w.main).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: again}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = show("alpha-on")
	wantCode(t, err, store.BadInput, one+` (done, "alpha one")`, again+` (done, "alpha one")`)
}
