package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func TestCreateWritesTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := w.git(w.main, "rev-parse", "HEAD")
	a, err := w.at(w.link).Create(background, store.CreateRequest{
		Title: " Add hindsight route tests ", Scope: []string{" backend/src/hindsight/** "},
		Tasks: []string{"Write route unit tests", " Write integration test "}, AgentID: ptr("subagent-4f2a"), ParentAgentID: ptr("session-abc123"),
	})
	if err != nil {
		t.Fatal(err)
	}
	const id = "2026-07-17T18-45-12-add-hindsight-route-tests"
	if a.Result.ID != id || a.Result.FilePath != filepath.Join(w.dir(), id+".md") || len(a.Warnings) > 0 {
		t.Errorf("answer %+v", a)
	}
	want := fmt.Sprintf(`---
id: %s
agent_id: subagent-4f2a
parent_agent_id: session-abc123
status: active
created: 2026-07-17T18-45-12
updated: 2026-07-17T18-45-12
scope:
  - backend/src/hindsight/**
repository: %s
worktree: %s
worktree_name: link
branch: side
head: %s
---

# Add hindsight route tests

- [ ] Write route unit tests
- [ ] Write integration test
`, id, w.main, w.link, head)
	got := w.read(id + ".md")
	// How the notes section starts is up to package lockfile.
	if !strings.HasPrefix(got, want) {
		t.Errorf("file:\n%s\nwant:\n%s", got, want)
	}
	json, err := store.Encode(a.Result)
	if err != nil || string(json) != fmt.Sprintf(`{"id":%q,"filePath":%q,"overlaps":[]}`, id, a.Result.FilePath) {
		t.Errorf("JSON %s, %v", json, err)
	}
}

func TestCreateTellsOverlaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.claim(w.main, "first", "src/auth")
	w.claim(w.main, "elsewhere", "docs/**")
	a, err := w.at(w.link).Create(background, store.CreateRequest{Title: "second", Scope: []string{"src/auth/login.ts", "lib"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Result.Overlaps) != 1 || a.Result.Overlaps[0].ID != first {
		t.Fatalf("overlaps %+v", a.Result.Overlaps)
	}
	o := a.Result.Overlaps[0]
	if len(o.Overlaps) != 1 || o.Overlaps[0].Example != "src/auth/login.ts" || !o.Overlaps[0].Exact || *o.SameWorktree {
		t.Errorf("overlap %+v", o)
	}
}

func TestCreateRefusesAndWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ok := store.CreateRequest{Title: "t", Scope: []string{"a/b"}}
	with := func(f func(*store.CreateRequest)) store.CreateRequest { r := ok; f(&r); return r }
	for name, c := range map[string]struct {
		r    store.CreateRequest
		code store.Code
		part string
	}{
		"empty title":      {with(func(r *store.CreateRequest) { r.Title = "  " }), store.BadInput, "title"},
		"control in title": {with(func(r *store.CreateRequest) { r.Title = "red \x1b[31m" }), store.BadInput, "title"},
		"long title":       {with(func(r *store.CreateRequest) { r.Title = strings.Repeat("x", 501) }), store.BadInput, "500"},
		"no scope":         {with(func(r *store.CreateRequest) { r.Scope = nil }), store.BadScope, "empty"},
		"blank scope":      {with(func(r *store.CreateRequest) { r.Scope = []string{" "} }), store.BadScope, "empty"},
		"open brace":       {with(func(r *store.CreateRequest) { r.Scope = []string{"src/{a,b"} }), store.BadScope, "src/{a,b"},
		"exclusion":        {with(func(r *store.CreateRequest) { r.Scope = []string{"src/**", "!src/gen/**"} }), store.BadScope, "exclusion"},
		"outside":          {with(func(r *store.CreateRequest) { r.Scope = []string{"/etc/passwd"} }), store.BadScope, "`base_dir`"},
		"parent":           {with(func(r *store.CreateRequest) { r.Scope = []string{"../o/**"} }), store.BadScope, "`base_dir`"},
		"through parent":   {with(func(r *store.CreateRequest) { r.Scope = []string{"a/../../b"} }), store.BadScope, "a/../../b"},
		"many entries":     {with(func(r *store.CreateRequest) { r.Scope = make([]string, 257) }), store.BadScope, "257"},
		"same task twice":  {with(func(r *store.CreateRequest) { r.Tasks = []string{"Run tests", "Fix", " Run tests "} }), store.BadInput, `"Run tests"`},
		"empty task":       {with(func(r *store.CreateRequest) { r.Tasks = []string{" "} }), store.BadInput, "task"},
		"many tasks":       {with(func(r *store.CreateRequest) { r.Tasks = make([]string, 501) }), store.BadInput, "501"},
		"empty agent":      {with(func(r *store.CreateRequest) { r.AgentID = ptr("") }), store.BadInput, "agent_id"},
		"empty base_dir":   {with(func(r *store.CreateRequest) { r.BaseDir = ptr("") }), store.BadInput, "base"},
		"missing base_dir": {with(func(r *store.CreateRequest) { r.BaseDir = ptr(filepath.Join(w.main, "nowhere")) }), store.BadInput, "nowhere"},
		"no repository":    {with(func(r *store.CreateRequest) { r.BaseDir = ptr(filepath.Dir(w.main)) }), store.NotARepository, filepath.Base(filepath.Dir(w.main))},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.at(w.main).Create(background, c.r)
			wantCode(t, err, c.code, c.part)
		})
	}
	if _, err := os.Stat(w.dir()); !os.IsNotExist(err) {
		t.Errorf("a refused claim left something behind: %v", err)
	}
}

func TestScopesAreReadFromTheRoot(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	sub := filepath.Join(w.link, "pkg", "deep")
	if err := os.MkdirAll(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sub, "here.go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"a/b.go":                             "a/b.go",
		"./a.go":                             "pkg/deep/a.go",
		"../x/*.go":                          "pkg/x/*.go",
		".":                                  "pkg/deep/",
		filepath.Join(w.main, "src", "a.go"): "src/a.go",
		filepath.Join(w.link, "src", "b.go"): "src/b.go",
		"pkg/deep":                           "pkg/deep/",
	} {
		a, err := w.at(sub).Create(background, store.CreateRequest{Title: "t", Scope: []string{in}})
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		s, err := w.at(w.main).Show(background, store.ShowRequest{Ref: store.Ref{LockID: a.Result.ID}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Result.Scope, " "); got != want {
			t.Errorf("%q is stored as %q, want %q", in, got, want)
		}
	}
	_, err := w.at(sub).Create(background, store.CreateRequest{Title: "t", Scope: []string{"here.go"}})
	wantCode(t, err, store.BadScope, `"here.go"`)
}

// A link from outside may lead to the root, or past it into the tree.
func TestAbsoluteScopesThroughLinks(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	src, elsewhere := filepath.Join(w.main, "src"), filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Mkdir(src, 0o777); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{elsewhere: src, filepath.Join(w.main, "link"): src, elsewhere + "-root": w.link} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	for in, want := range map[string]string{
		filepath.Join(elsewhere, "a.go"):               "src/a.go",
		filepath.Join(elsewhere, "new", "*.go"):        "src/new/*.go",
		elsewhere:                                      "src/",
		filepath.Join(elsewhere+"-root", "b.go"):       "b.go",
		filepath.Join(w.main, "link", "a.go"):          "link/a.go", // a path of its own
		filepath.Join(elsewhere, "..", "nothing.go"):   "",
		filepath.Join(filepath.Dir(elsewhere), "x.go"): "",
	} {
		a, err := w.at(w.main).Create(background, store.CreateRequest{Title: "t", Scope: []string{in}})
		if want == "" {
			wantCode(t, err, store.BadScope, "outside the repository")
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if got := w.show(a.Result.ID).Scope; len(got) != 1 || got[0] != want {
			t.Errorf("%q is stored as %q, want %q", in, got, want)
		}
	}
}

// A claim in the wrong store would look like success.
func TestScopesInNestedRepositoriesAreTold(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.git(w.main, "init", "-q", "vendor/lib")
	w.git(w.main, "worktree", "add", "-q", "-b", "nested", ".trees/nested")
	nested := filepath.Join(w.main, "vendor", "lib")
	for scope, want := range map[string]string{
		"vendor/lib/src/a.go":    nested,
		"vendor/lib/**":          nested,
		".trees/nested/src/*.go": filepath.Join(w.main, ".trees", "nested"),
		"vendor/lib":             "", // the submodule's commit belongs to the parent
		"vendor/**":              "",
		"vendor/other/a.go":      "",
		"src/a.go":               "",
	} {
		a, err := w.at(w.main).Check(background, store.CheckRequest{Scope: []string{scope}})
		if err != nil {
			t.Fatal(err)
		}
		if want != "" {
			wantWarning(t, a.Warnings, strconv.Quote(want))
		} else if len(a.Warnings) > 0 {
			t.Errorf("%q: %q", scope, a.Warnings)
		}
	}
}

func TestIDsAreNeverReissued(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			_, err := w.at(w.main).Create(background, store.CreateRequest{Title: "Same", Scope: []string{"a"}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	a, err := w.at(w.main).Query(background, store.QueryRequest{})
	if err != nil || len(a.Result) != 12 {
		t.Fatalf("%d locks, %v", len(a.Result), err)
	}
	for _, l := range a.Result {
		if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: l.ID}}); err != nil {
			t.Fatal(err)
		}
	}
	if id := w.claim(w.main, "Same", "a"); id != "2026-07-17T18-45-12-same-13" {
		t.Errorf("the 13th lock of one second and title is %q", id)
	}
}

func TestIdentityFromTheEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	env := []string{"AGENT_LOCKS_AGENT_ID=worker", "AGENT_LOCKS_PARENT_ID=boss"}
	for _, c := range []struct {
		said          *string
		agent, parent any
	}{{nil, "worker", "boss"}, {ptr("other"), "other", "boss"}} {
		a, err := w.at(w.main, env...).Create(background, store.CreateRequest{Title: "t", Scope: []string{"a"}, AgentID: c.said})
		if err != nil {
			t.Fatal(err)
		}
		s, err := w.at(w.main).Show(background, store.ShowRequest{Ref: store.Ref{LockID: a.Result.ID}})
		if err != nil || *s.Result.AgentID != c.agent || *s.Result.ParentAgentID != c.parent {
			t.Errorf("said %v: %+v, %v", c.said, s.Result, err)
		}
	}
	a, err := w.at(w.main, "AGENT_LOCKS_AGENT_ID=a\x1bb").Create(background, store.CreateRequest{Title: "t", Scope: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	wantWarning(t, a.Warnings, "AGENT_LOCKS_AGENT_ID")
}

// Two paths in one entry would claim neither of them.
func TestCommasAreWarnedOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.main, "a,b.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for entry, warns := range map[string]bool{
		"src/a,f": true, " src/a, src/b ": true, "{a,b}/c,d": true,
		"src/{a,b}": false, "src/+(a,b|c)/x": false, "src/[a,b].go": false, "a,b.txt": false,
	} {
		a, err := w.at(w.main).Check(background, store.CheckRequest{Scope: []string{entry}})
		if err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(strings.Join(a.Warnings, "\n"), "comma"); warned != warns {
			t.Errorf("%q: %q", entry, a.Warnings)
		}
	}
	_, err := w.at(w.main).Check(background, store.CheckRequest{Scope: []string{`src/a\,b`}})
	wantCode(t, err, store.BadScope, "backslash that a shell would remove")
}

// A lock file contains only UTF-8, and no name can break its lines.
func TestNamesThatAreNoTextAreEscaped(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct{ dir, want string }{
		"line feed": {"a\nb ", "a%0Ab "},
		"no UTF-8":  {"\xff\u009b", "%FF%C2%9B"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			odd := filepath.Join(filepath.Dir(w.main), c.dir)
			if err := os.Mkdir(odd, 0o777); err != nil {
				t.Skipf("no such name here: %v", err)
			}
			w.git(w.main, "worktree", "add", "-q", "-b", "odd", odd)
			a, err := w.at(odd).Create(background, store.CreateRequest{Title: "t", Scope: []string{"a"}})
			if err != nil {
				t.Fatal(err)
			}
			wantWarning(t, a.Warnings, "is recorded percent-escaped, as "+strconv.Quote(filepath.Join(filepath.Dir(w.main), c.want)))
			q, err := w.at(odd).Check(background, store.CheckRequest{Scope: []string{"a"}})
			if err != nil || filepath.Base(q.Result[0].Worktree) != c.want || !*q.Result[0].SameWorktree || q.Result[0].WorktreeGone {
				t.Errorf("%+v, %v", q.Result, err)
			}
		})
	}
}
