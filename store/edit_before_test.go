package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// held returns the files that others hold according to a verdict, and those it
// only warns about.
func Tx(e store.EditVerdict) (blocked, warned string) {
	text := func(holds []store.Hold) string {
		var out []string
		for _, h := range holds {
			out = append(out, strings.TrimSpace(strings.Join(h.Files, ",")+" "+h.Reason))
		}
		slices.Sort(out)
		return strings.Join(out, "; ")
	}
	return text(e.Blocked), text(e.Warned)
}

func TestEdit(t *testing.T) {
	t.Parallel()
	w, o := newWorld(t), newWorld(t) // two repositories
	claim := func(dir, scope, agent string, parent ...string) {
		t.Helper()
		r := store.CreateRequest{Title: "t", Scope: []string{scope}, AgentID: &agent}
		if len(parent) > 0 {
			r.ParentAgentID = &parent[0]
		}
		if _, err := w.at(dir).Create(background, r); err != nil {
			t.Fatal(err)
		}
	}
	claim(w.main, "src/**", "them")
	claim(o.main, "lib/**", "them")
	claim(w.main, "up/**", "boss")
	for _, dir := range []string{"src", "docs"} {
		if err := os.MkdirAll(filepath.Join(w.link, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(o.main, "lib"), 0o777); err != nil {
		t.Fatal(err)
	}
	symlink := func(target, path string) {
		t.Helper()
		if err := os.Symlink(target, path); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	symlink("../src", filepath.Join(w.link, "docs", "src"))
	symlink(filepath.Join(o.main, "lib"), filepath.Join(w.link, "docs", "lib"))
	symlink(filepath.Join(w.link, "src"), filepath.Join(o.main, "theirs"))
	outside := t.TempDir()
	symlink(w.link, filepath.Join(outside, "project"))
	if err := os.MkdirAll(filepath.Join(outside, "broken", ".git"), 0o777); err != nil { // not a repository despite its name
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(w.link, "src/a.go"):                  "src/a.go",
		filepath.Join(w.main, "src/new/dir/a.go"):          "src/new/dir/a.go",
		filepath.Join(w.link, "docs/a.md"):                 "",
		filepath.Join(w.link, "docs/src/a.go"):             "src/a.go",
		filepath.Join(w.link, "docs/lib/a.go"):             "lib/a.go",
		filepath.Join(o.main, "theirs/a.go"):               "src/a.go",
		filepath.Join(outside, "project/src/a.go"):         "src/a.go",
		filepath.Join(outside, "broken", "a.go"):           "",
		filepath.Join(outside, "a.go"):                     "",
		filepath.Join(w.main, ".git/config"):               "",
		filepath.Join(w.link, "up/a.go"):                   "",
		filepath.Join(w.link, "docs") + "/../src/../src/b": "src/b",
	} {
		s := w.at(outside, "GIT_DIR="+filepath.Join(o.main, ".git")) // wherever the agent was started
		a, err := s.Edit(background, store.EditRequest{Path: path, AgentID: ptr("me"), ParentAgentID: ptr("boss")})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if blocked, warned := Tx(a.Result); blocked != want || warned != "" {
			t.Errorf("%s: blocked %q, warned %q; want %q", path, blocked, warned, want)
		}
		a, err = s.Edit(background, store.EditRequest{Path: path, AgentID: ptr("them"), ParentAgentID: ptr("boss")})
		if blocked, warned := Tx(a.Result); err != nil || blocked != "" || warned != "" {
			t.Errorf("%s, the holder's own: blocked %q, warned %q, %v", path, blocked, warned, err)
		}
	}
	w.pass(2 * time.Hour)
	a, err := w.at(outside).Edit(background, store.EditRequest{Path: filepath.Join(w.link, "src/a.go"), AgentID: ptr("me")})
	if blocked, warned := Tx(a.Result); err != nil || blocked != "" || warned != "src/a.go stale" {
		t.Errorf("blocked %q, warned %q, %v", blocked, warned, err)
	}
}

func TestEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.link)
	edited := func(name string) store.EditFollowUp {
		t.Helper()
		a, err := s.Edited(background, store.EditRequest{Path: filepath.Join(w.link, name), AgentID: ptr("me")})
		if err != nil || len(a.Warnings) > 0 {
			t.Fatalf("%v, %q", err, a.Warnings)
		}
		return a.Result
	}
	if e := edited("src/a.go"); e.Outside != "" || len(e.Alive) > 0 {
		t.Errorf("without a claim: %+v", e)
	}
	if _, err := os.Lstat(w.dir()); err == nil {
		t.Error("looking made a store")
	}
	for _, agent := range []string{"me", "them"} {
		if _, err := s.Create(background, store.CreateRequest{Title: agent, Scope: []string{"src/**"}, AgentID: &agent}); err != nil {
			t.Fatal(err)
		}
	}
	mine, theirs := "2026-07-17T18-45-12-me", "2026-07-17T18-45-12-them"
	before := w.read(mine + ".md")
	w.pass(59 * time.Second)
	if e := edited("src/a.go"); len(e.Alive) > 0 || w.read(mine+".md") != before {
		t.Errorf("within a minute: %+v", e)
	}
	w.pass(time.Second)
	if e := edited("src/a.go"); !slices.Equal(e.Alive, []string{mine}) || !strings.Contains(w.read(mine+".md"), "updated: 2026-07-17T18-46-12") {
		t.Errorf("after a minute: %+v\n%s", e, w.read(mine+".md"))
	}
	if strings.Contains(w.read(theirs+".md"), "18-46-12") {
		t.Error("somebody else's lock was kept alive")
	}

	// Reported once per file; the lock remembers.
	if e := edited("docs/a.md"); e.Outside != "docs/a.md" || len(e.Claims) != 1 || e.Claims[0].ID != mine {
		t.Errorf("outside: %+v", e)
	}
	if text := w.read(mine + ".md"); !strings.Contains(text, "- Edited outside the claim: docs/a.md\n") {
		t.Errorf("no note:\n%s", text)
	}
	if e := edited("docs/a.md"); e.Outside != "" {
		t.Errorf("again: %+v", e)
	}
	if e := edited("docs/b.md"); e.Outside != "docs/b.md" {
		t.Errorf("another file: %+v", e)
	}
}

func BenchmarkEdit(b *testing.B) {
	w := newWorld(b)
	id := w.claim(w.main, "First", "src/0/**", "one")
	text := w.read(id + ".md")
	for i := 1; i < 1000; i++ {
		another := strings.NewReplacer(id, fmt.Sprintf("%s-%d", id, i+1), "src/0/", fmt.Sprintf("src/%d/", i)).Replace(text)
		w.write(fmt.Sprintf("%s-%d.md", id, i+1), another)
	}
	b.ResetTimer()
	for b.Loop() {
		a, err := w.at(w.link).Edit(background, store.EditRequest{Path: filepath.Join(w.link, "free.go")})
		if err != nil || len(a.Result.Blocked) > 0 {
			b.Fatalf("%+v, %v", a, err)
		}
	}
}
