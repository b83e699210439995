package gitdir_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
)

// Who may write to a worktree may write its `.git` file, and with it say whose
// settings a git that stands there goes by.
func TestFixedIsNotLedElsewhere(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the filter is a shell's command")
	}
	ctx := context.Background()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../w")
	found := s.find(s.based(".", s.path("w"))).Fixed()
	unfiltered, filters, err := found.Unfiltered(ctx)
	if err != nil || len(filters) != 0 {
		t.Fatalf("%q, %v", filters, err)
	}
	named, err := found.Afresh(ctx)
	if err != nil || named.Worktree != "" || named.Root != s.path("r") || named.CommonDir != found.CommonDir {
		t.Fatalf("%+v, %v", named, err)
	}

	// Another git directory in the worktree, of the same repository by its commondir.
	s.git("r", "config", "extensions.worktreeConfig", "true")
	s.mkdir("w/evil")
	s.write("w/evil/HEAD", "ref: refs/heads/main\n")
	s.write("w/evil/commondir", s.path("r/.git")+"\n")
	s.write("w/evil/config.worktree", "[filter \"x\"]\n\tclean = touch "+s.path("ran")+" && cat\n")
	s.write("w/.gitattributes", "*.t filter=x\n")
	s.write("w/a.t", "a")
	s.write("w/.git", "gitdir: "+s.path("w/evil")+"\n")
	if _, err := unfiltered.Git(ctx, "add", "--dry-run", "a.t"); err != nil {
		t.Error(err)
	}
	if _, err := unfiltered.Git(ctx, "hash-object", "a.t"); err != nil {
		t.Error(err)
	}
	for _, o := range named.Others() {
		if strings.HasPrefix(o.GitDir, s.path("w")) {
			t.Errorf("%q is a worktree's git directory", o.GitDir)
		}
		if _, err := o.UncommittedUnder(ctx, nil); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(s.path("ran")); err == nil {
		t.Error("the worktree's own filter was run")
	}
}

func TestAfreshReadsTheConfigAgain(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	repo := s.find(s.at("r"))
	s.git("r", "config", "core.ignorecase", "true")
	fresh, err := repo.Afresh(context.Background())
	if err != nil || !fresh.IgnoreCase || fresh.Branch != "" || fresh.Head != "" || fresh.Prefix != "" {
		t.Errorf("%+v, %v", fresh, err)
	}
	if err := os.Rename(s.path("r"), s.path("moved")); err != nil {
		t.Fatal(err)
	}
	if fresh, err = repo.Afresh(context.Background()); err == nil || !strings.Contains(err.Error(), "no repository at") {
		t.Errorf("%+v, %v", fresh, err)
	}
}
