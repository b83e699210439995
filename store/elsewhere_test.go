package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// patient returns a store that waits for git as long as necessary.
func (w *world) patient(dir string, env ...string) *store.Store {
	s := w.at(dir, env...)
	s.ElsewhereWait = 5 * time.Minute
	return s
}

// elsewhere returns what a claim reports about other worktrees.
func (w *world) elsewhere(from string, r store.CreateRequest) string {
	w.t.Helper()
	r.Title = "work"
	a, err := w.patient(from).Create(background, r)
	if err != nil || len(a.Warnings) > 0 {
		w.t.Fatalf("%v, %q", err, a.Warnings)
	}
	w.finish(from, a.Result.ID, true)
	more := ""
	if n := a.Result.ChangedElsewhereLeftOut; n > 0 {
		more = fmt.Sprintf("; %d more", n)
	}
	return w.inShort(a.Result.ChangedElsewhere) + more
}

func (w *world) inShort(changed []store.ChangedElsewhere) string {
	var out []string
	for _, e := range changed {
		out = append(out, fmt.Sprintf("%s %s %v %d", filepath.Base(e.Worktree), e.Branch, e.Files, e.FilesLeftOut))
	}
	return strings.Join(out, "; ")
}

// A claim reports uncommitted changes to its files in other worktrees that no
// lock covers.
func TestClaimHearsWhatIsChangedElsewhere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.put(w.link, "src/kept", "src/gone", "docs/x")
	w.commit(w.link, "base")
	if got := w.elsewhere(w.main, store.CreateRequest{Scope: []string{"src", "docs"}}); got != "" {
		t.Errorf("all is committed: %s", got)
	}
	w.pass(time.Second) // so that the bytes differ
	w.put(w.link, "src/new", "src/kept", "lib/c")
	w.put(w.main, "src/here")
	if err := os.Remove(filepath.Join(w.link, "src", "gone")); err != nil {
		t.Fatal(err)
	}
	w.git(w.link, "mv", "docs/x", "docs/y")
	for name, test := range map[string]struct {
		scope []string
		want  string
	}{
		"a directory":     {[]string{"src/**"}, "link side [src/gone src/kept src/new] 0"},
		"a file":          {[]string{"src/new"}, "link side [src/new] 0"},
		"both names":      {[]string{"docs"}, "link side [docs/x docs/y] 0"},
		"a pattern":       {[]string{"*/[ck]*"}, "link side [lib/c src/kept] 0"},
		"several entries": {[]string{"lib", "docs/y", "custom://port-1"}, "link side [docs/y lib/c] 0"},
		"everything":      {[]string{"src", "lib", "docs"}, "link side [docs/x docs/y lib/c src/gone src/kept] 1"},
		"nothing there":   {[]string{"test"}, ""},
		"no files":        {[]string{"custom://src"}, ""},
	} {
		for how, r := range map[string]store.CreateRequest{"plain": {}, "if free": {IfFree: true}, "in turn": {WaitSeconds: ptr(60.0)}, "shared": {Shared: true}} {
			r.Scope = test.scope
			if got := w.elsewhere(w.main, r); got != test.want {
				t.Errorf("%s, %s: %q, want %q", name, how, got, test.want)
			}
		}
	}
	if got := w.elsewhere(w.link, store.CreateRequest{Scope: []string{"src"}}); got != "main main [src/here] 0" {
		t.Errorf("the other way round: %s", got)
	}
}

// A change covered by a lock is reported as that lock. Shared locks cover no
// changes, and the caller's locks made here do not cover changes made there.
func TestChangesElsewhereThatALockCoversAreItsHolders(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.put(w.link, "src/a", "src/b")
	claim := func(from, agent string, shared bool, scope ...string) func() {
		a, err := w.at(from).Create(background, store.CreateRequest{Title: "t", Scope: scope, AgentID: &agent, Shared: shared})
		if err != nil {
			t.Fatal(err)
		}
		return func() { w.finish(from, a.Result.ID, true) }
	}
	hears := func(want string) {
		t.Helper()
		for _, r := range []store.CreateRequest{{}, {Shared: true}} {
			r.Scope, r.AgentID = []string{"src"}, ptr("me")
			if got := w.elsewhere(w.main, r); got != want {
				t.Errorf("shared %v: %q, want %q", r.Shared, got, want)
			}
		}
	}
	const both = "link side [src/a src/b] 0"
	hears(both)
	done := claim(w.link, "other", false, "src/a")
	hears("link side [src/b] 0")
	done()
	hears(both)
	done = claim(w.link, "reader", true, "src/*")
	hears(both)
	done()
	done = claim(w.main, "me", false, "src/a")
	hears(both)
	done()
	done = claim(w.link, "me", false, "src/a")
	hears("link side [src/b] 0")
	done()
	defer claim(w.link, "other", false, "**")()
	hears("")
}

// The answer stays short however many changes and worktrees there are. The
// worktrees most recently used by git come first.
func TestManyChangesElsewhere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	for i := range 17 { // more than are examined
		dir := filepath.Join(filepath.Dir(w.main), fmt.Sprint("w", i))
		w.git(w.main, "worktree", "add", "-q", "--detach", dir)
		for n := range 10 + i {
			w.put(dir, fmt.Sprintf("src/%03d", n))
		}
		at := w.now.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(filepath.Join(w.main, ".git", "worktrees", fmt.Sprint("w", i), "index"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	const five = "[src/000 src/001 src/002 src/003 src/004]"
	want := fmt.Sprintf("w16  %[1]s 21; w15  %[1]s 20; w14  %[1]s 19; w13  %[1]s 18; w12  %[1]s 17; 10 more", five)
	if got := w.elsewhere(w.main, store.CreateRequest{Scope: []string{"src"}}); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	long := strings.Repeat(strings.Repeat("x", 200)+"/", 10)
	w.put(w.link, long+"a", long+"b", long+"c")
	if got := w.elsewhere(w.main, store.CreateRequest{Scope: []string{long + "*"}}); !strings.HasSuffix(got, "] 1") {
		t.Errorf("long names: %s", got)
	}
}

// Worktrees nested in this one, damaged ones, and other repositories in their
// place report nothing and never fail a claim.
func TestOddWorktreesElsewhere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	inside := filepath.Join(w.main, "in", "side")
	w.git(w.main, "worktree", "add", "-q", "-b", "inside", inside)
	w.put(inside, "src/a")
	w.git(w.link, "worktree", "add", "-q", "--detach", filepath.Join(w.link, "sub"))
	w.put(filepath.Join(w.link, "sub"), "src/b")
	all := store.CreateRequest{Scope: []string{"src", "in", "sub"}}
	if got := w.elsewhere(w.main, all); !slices.Equal(fields(got), fields("side inside [src/a] 0; sub  [src/b] 0")) {
		t.Errorf("nested: %s", got)
	}
	if got := w.elsewhere(inside, all); got != "sub  [src/b] 0" {
		t.Errorf("from inside: %s", got)
	}
	w.write("../worktrees/sub/index", "no index")
	if got := w.elsewhere(w.main, all); got != "side inside [src/a] 0" {
		t.Errorf("damaged index: %s", got)
	}
	w.write("../worktrees/side/HEAD", "no head")
	if got := w.elsewhere(w.main, all); got != "" {
		t.Errorf("damaged HEAD: %s", got)
	}
}

func fields(s string) []string {
	all := strings.Split(s, "; ")
	slices.Sort(all)
	return all
}

// A starting session is informed of changes elsewhere to the files that it
// holds.
func TestSessionHearsWhatIsChangedElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(w.link, "src/a", "lib/b")
	me := ptr("me")
	start := func() string {
		t.Helper()
		a, err := w.patient(w.main).SessionStart(background, store.SessionRequest{
			Session: store.Session{ID: "s"}, Why: "startup", OwnID: me, AgentID: me})
		if err != nil || len(a.Warnings) > 0 {
			t.Fatalf("%v, %q", err, a.Warnings)
		}
		return w.inShort(a.Result.ChangedElsewhere)
	}
	if got := start(); got != "" {
		t.Errorf("without a lock: %s", got)
	}
	if _, err := w.at(w.main).Create(background, store.CreateRequest{Title: "t", Scope: []string{"src"}, AgentID: me}); err != nil {
		t.Fatal(err)
	}
	if got := start(); got != "link side [src/a] 0" {
		t.Errorf("got %s", got)
	}
}
