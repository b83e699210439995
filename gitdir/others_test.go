package gitdir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Others are known by files alone what git says of them, the one first in which
// git last did something; what only looks like one is not among them.
func TestOtherWorktrees(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("main")
	repo := s.find(s.at("main"))
	if others := repo.Others(); len(others) != 0 {
		t.Fatalf("of one worktree: %v", others)
	}
	for _, name := range []string{"w", "detached", "gone", "emptied", "replaced", "deep/w"} {
		s.git("main", "worktree", "add", "-q", "-b", "b/"+name, "../"+name)
	}
	s.git("detached", "checkout", "-q", "--detach")
	for _, name := range []string{"gone", "emptied/.git", "replaced"} {
		if err := os.RemoveAll(s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	s.repo("replaced")
	for n, dir := range []string{"main/.git", "main/.git/worktrees/w", "main/.git/worktrees/detached", "main/.git/worktrees/w1"} {
		at := time.Date(2026, 7, 17, 18, 45, n, 0, time.UTC)
		if err := os.Chtimes(s.path(dir+"/index"), at, at); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if repo.Owns(s.find(s.at("replaced"))) || !repo.Taken(s.path("replaced")) {
		t.Error("another repository counts as a worktree of this one")
	}
	s.mkdir("stale")
	s.write("stale/.git", "gitdir: "+s.path("nothing")+"\n")
	if repo.Taken(s.path("stale")) || repo.Taken(s.path("emptied")) {
		t.Error("a pointer that leads nowhere counts as another repository")
	}
	for from, want := range map[string]string{
		"main": "[deep/w b/deep/w detached  w b/w]", "w": "[deep/w b/deep/w detached  main main]",
	} {
		var got []string
		for _, o := range s.find(s.at(from)).Others() {
			there := s.find(s.at("main"))
			if there, err := there.Sibling(t.Context(), o.Worktree); err != nil || there.GitDir != o.GitDir || there.Branch != o.Branch ||
				there.WorktreeName() != o.WorktreeName() || !repo.Owns(o) {
				t.Errorf("%+v, %v; want %+v", o, err, there)
			}
			name, err := filepath.Rel(s.dir, o.Worktree)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(name)+" "+o.Branch)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("from %s: %v, want %v", from, got, want)
		}
	}
}

func TestUncommittedUnderSomePaths(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("main")
	s.git("main", "worktree", "add", "-q", "-b", "w", "../w")
	for _, dir := range []string{"w/src/deep", "w/lib", "w/src x"} {
		s.mkdir(dir)
	}
	for _, name := range []string{"w/src/a", "w/src/deep/b", "w/lib/c", "w/src x/d", "w/src2"} {
		s.write(name, "x")
	}
	s.git("w", "add", "src/a")
	other := s.find(s.at("main", "GIT_LITERAL_PATHSPECS=1")).Others()[0]
	for _, test := range []struct{ under, want []string }{
		{nil, []string{"lib/c", "src x/d", "src/a", "src/deep/b", "src2"}},
		{[]string{"src"}, []string{"src/a", "src/deep/b"}},
		{[]string{"src/deep", "src2", "nothing"}, []string{"src/deep/b", "src2"}},
		{[]string{"src x"}, []string{"src x/d"}},
		{[]string{"-x"}, nil},
		{[]string{"SRC"}, nil},
	} {
		got, err := other.UncommittedUnder(t.Context(), test.under)
		if slices.Sort(got); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("under %q: %q, %v; want %q", test.under, got, err, test.want)
		}
	}
	folding := *s.find(s.at("main")).Others()[0]
	folding.IgnoreCase = true
	if got, err := folding.UncommittedUnder(t.Context(), []string{"SRC/Deep"}); err != nil || !slices.Equal(got, []string{"src/deep/b"}) {
		t.Errorf("with core.ignorecase: %q, %v", got, err)
	}
}
