package gitdir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// layouts are the ways in which a repository can lie on the disk; places are
// in the sandbox. Where refusal is empty, go-git must give git's very answer
// when there is no git program; else it says why it does not.
var layouts = []struct {
	name    string
	build   func(s *sandbox)
	dir     string // where the call comes from
	want    gitdir.Repo
	unborn  bool
	refusal string
	unixly  bool // names that Windows does not allow
}{
	{
		name:  "main checkout",
		build: func(s *sandbox) { s.repo("r") },
		dir:   "r",
		want:  gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Branch: "main"},
	},
	{
		name:  "subdirectory",
		build: func(s *sandbox) { s.repo("r"); s.mkdir("r/a/b") },
		dir:   "r/a/b",
		want:  gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Prefix: "a/b", Branch: "main"},
	},
	{
		name: "unborn branch",
		build: func(s *sandbox) {
			s.mkdir("r")
			s.git("r", "init", "-q")
			s.git("r", "symbolic-ref", "HEAD", "refs/heads/topic/x")
		},
		dir:    "r",
		want:   gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Branch: "topic/x"},
		unborn: true,
	},
	{
		name:  "detached head",
		build: func(s *sandbox) { s.repo("r"); s.git("r", "checkout", "-q", "--detach") },
		dir:   "r",
		want:  gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r"},
	},
	{
		name:  "a tag with the branch's name",
		build: func(s *sandbox) { s.repo("r"); s.git("r", "tag", "main") },
		dir:   "r",
		want:  gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Branch: "main"},
	},
	{
		name: "an ambiguous HEAD",
		build: func(s *sandbox) {
			s.repo("r")
			s.git("r", "update-ref", "refs/heads/HEAD", "HEAD")
		},
		dir:  "r",
		want: gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Branch: "main"},
	},
	{
		name:  "packed refs",
		build: func(s *sandbox) { s.repo("r"); s.git("r", "pack-refs", "--all") },
		dir:   "r",
		want:  gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Branch: "main"},
	},
	{
		name:  "linked worktree",
		build: func(s *sandbox) { s.repo("r"); s.git("r", "worktree", "add", "-q", "../w"); s.mkdir("w/sub") },
		dir:   "w/sub",
		want:  gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git/worktrees/w", Root: "r", Worktree: "w", Prefix: "sub", Branch: "w"},
	},
	{
		name: "linked worktree with relative paths",
		build: func(s *sandbox) {
			s.repo("r")
			s.git("r", "worktree", "add", "-q", "../w")
			s.write("w/.git", "gitdir: ../r/.git/worktrees/w\n") // as git 2.48's worktree.useRelativePaths does
			s.write("r/.git/worktrees/w/gitdir", "../../../../w/.git\n")
		},
		dir:  "w",
		want: gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git/worktrees/w", Root: "r", Worktree: "w", Branch: "w"},
	},
	{
		name: "submodule",
		build: func(s *sandbox) {
			s.repo("s")
			s.repo("r")
			s.git("r", "-c", "protocol.file.allow=always", "submodule", "add", "-q", s.path("s"), "vendor/s")
		},
		dir:  "r/vendor/s",
		want: gitdir.Repo{CommonDir: "r/.git/modules/vendor/s", GitDir: "r/.git/modules/vendor/s", Root: "r/vendor/s", Worktree: "r/vendor/s", Branch: "main"},
	},
	{
		name: "a submodule's linked worktree",
		build: func(s *sandbox) {
			s.repo("s")
			s.repo("r")
			s.git("r", "-c", "protocol.file.allow=always", "submodule", "add", "-q", s.path("s"), "vendor/s")
			s.git("r/vendor/s", "worktree", "add", "-q", s.path("w"))
		},
		dir:  "w",
		want: gitdir.Repo{CommonDir: "r/.git/modules/vendor/s", GitDir: "r/.git/modules/vendor/s/worktrees/w", Root: "r/vendor/s", Worktree: "w", Branch: "w"},
	},
	{
		name:    "bare",
		build:   func(s *sandbox) { s.repo("r"); s.git(".", "clone", "-q", "--bare", s.path("r"), "b.git") },
		dir:     "b.git",
		want:    gitdir.Repo{CommonDir: "b.git", GitDir: "b.git", Root: "b.git", Branch: "main"},
		refusal: "bare repository",
	},
	{
		name:    "a directory of a bare repository",
		build:   func(s *sandbox) { s.repo("r"); s.git(".", "clone", "-q", "--bare", s.path("r"), "b.git") },
		dir:     "b.git/refs",
		want:    gitdir.Repo{CommonDir: "b.git", GitDir: "b.git", Root: "b.git", Branch: "main"},
		refusal: "bare repository",
	},
	{
		name:    "inside the git directory",
		build:   func(s *sandbox) { s.repo("r") },
		dir:     "r/.git/refs",
		want:    gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Branch: "main"},
		refusal: "inside a git directory",
	},
	{
		name: "inside a linked worktree's git directory",
		build: func(s *sandbox) {
			s.repo("r")
			s.git("r", "worktree", "add", "-q", "../w")
		},
		dir:     "r/.git/worktrees/w",
		want:    gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git/worktrees/w", Root: "r", Branch: "w"},
		refusal: "inside a git directory",
	},
	{
		name: "worktree of a bare repository",
		build: func(s *sandbox) {
			s.repo("r")
			s.git(".", "clone", "-q", "--bare", s.path("r"), "b.git")
			s.git("b.git", "worktree", "add", "-q", "-b", "topic", s.path("w"))
		},
		dir:  "w",
		want: gitdir.Repo{CommonDir: "b.git", GitDir: "b.git/worktrees/w", Root: "b.git", Worktree: "w", Branch: "topic"},
	},
	{
		name: "a bare .git with worktrees beside it",
		build: func(s *sandbox) {
			s.repo("r")
			s.git(".", "clone", "-q", "--bare", s.path("r"), "p/.git")
			s.git("p/.git", "worktree", "add", "-q", "-b", "topic", s.path("p/topic"))
		},
		dir:  "p/topic",
		want: gitdir.Repo{CommonDir: "p/.git", GitDir: "p/.git/worktrees/topic", Root: "p", Worktree: "p/topic", Branch: "topic"},
	},
	{
		name: "a .git file that points to a bare repository beside it",
		build: func(s *sandbox) {
			s.repo("r")
			s.git(".", "clone", "-q", "--bare", s.path("r"), "p/.bare")
			s.write("p/.git", "gitdir: ./.bare\n")
		},
		dir:  "p",
		want: gitdir.Repo{CommonDir: "p/.bare", GitDir: "p/.bare", Root: "p/.bare", Branch: "main"},
	},
	{
		name: "core.bare=true over live worktrees, in one of them",
		build: func(s *sandbox) {
			s.repo("r")
			s.git("r", "worktree", "add", "-q", "../w")
			s.mkdir("w/sub")
			s.git("r", "config", "core.bare", "true")
		},
		dir:  "w/sub",
		want: gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git/worktrees/w", Root: "r", Worktree: "w", Prefix: "sub", Branch: "w"},
	},
	{
		name: "core.bare=true over live worktrees, with worktreeConfig",
		build: func(s *sandbox) {
			s.repo("r")
			s.git("r", "worktree", "add", "-q", "../w")
			s.mkdir("w/sub")
			s.git("r", "config", "extensions.worktreeConfig", "true")
			s.git("r", "config", "core.bare", "true")
		},
		dir:     "w/sub",
		want:    gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git/worktrees/w", Root: "r", Worktree: "w", Prefix: "sub", Branch: "w"},
		refusal: `extension "worktreeConfig"`,
	},
	{
		name: "core.bare=true over live worktrees, in the main one",
		build: func(s *sandbox) {
			s.repo("r")
			s.git("r", "config", "core.bare", "true")
		},
		dir:  "r",
		want: gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Branch: "main"},
	},
	{
		name:  "separate git directory",
		build: func(s *sandbox) { s.repo("r", "--separate-git-dir", s.path("elsewhere")) },
		dir:   "r",
		want:  gitdir.Repo{CommonDir: "elsewhere", GitDir: "elsewhere", Root: "elsewhere", Worktree: "r", Branch: "main"},
	},
	{
		name: "core.worktree elsewhere",
		build: func(s *sandbox) {
			s.repo("r")
			s.mkdir("tree/sub")
			s.git("r", "config", "core.worktree", "../../tree")
		},
		dir:  "r",
		want: gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "tree", Worktree: "tree", Branch: "main"},
	},
	{
		name: "core.worktree in config.worktree",
		build: func(s *sandbox) {
			s.repo("r")
			s.mkdir("tree")
			s.git("r", "worktree", "add", "-q", "../w")
			s.git("r", "config", "extensions.worktreeConfig", "true")
			s.git("r", "config", "--worktree", "core.worktree", s.path("tree"))
		},
		dir:     "w",
		want:    gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git/worktrees/w", Root: "tree", Worktree: "w", Branch: "w"},
		refusal: `extension "worktreeConfig"`,
	},
	{
		name:  "through a symlink",
		build: func(s *sandbox) { s.repo("r"); s.mkdir("r/a"); s.symlink(s.path("r/a"), "link") },
		dir:   "link",
		want:  gitdir.Repo{Dir: "r/a", CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Prefix: "a", Branch: "main"},
	},
	{
		name: ".git is a symlink",
		build: func(s *sandbox) {
			s.repo("r")
			s.rename("r/.git", "r/.git.nosync")
			s.symlink(".git.nosync", "r/.git")
		},
		dir:     "r",
		want:    gitdir.Repo{CommonDir: "r/.git.nosync", GitDir: "r/.git.nosync", Root: "r", Worktree: "r", Branch: "main"},
		refusal: "its .git is neither a directory nor a file",
	},
	{
		name: "a worktree of a repository whose .git is a symlink",
		build: func(s *sandbox) {
			s.repo("r")
			s.rename("r/.git", "r/.git.nosync")
			s.symlink(".git.nosync", "r/.git")
			s.git("r", "worktree", "add", "-q", "../w")
		},
		dir:  "w",
		want: gitdir.Repo{CommonDir: "r/.git.nosync", GitDir: "r/.git.nosync/worktrees/w", Root: "r", Worktree: "w", Branch: "w"},
	},
	{
		name:   "a name that ends in a space",
		build:  func(s *sandbox) { s.repo("r "); s.mkdir("r /a ") },
		dir:    "r /a ",
		want:   gitdir.Repo{CommonDir: "r /.git", GitDir: "r /.git", Root: "r ", Worktree: "r ", Prefix: "a ", Branch: "main"},
		unixly: true,
	},
	{
		name:   "a bare repository's name ends in a space",
		build:  func(s *sandbox) { s.repo("r"); s.git(".", "clone", "-q", "--bare", s.path("r"), "b ") },
		dir:    "b ",
		want:   gitdir.Repo{CommonDir: "b ", GitDir: "b ", Root: "b ", Branch: "main"},
		unixly: true, refusal: "bare repository",
	},
	{
		name:   "names that hold newlines",
		build:  func(s *sandbox) { s.repo("r\n\nx\n"); s.mkdir("r\n\nx\n/a\n") },
		dir:    "r\n\nx\n/a\n",
		want:   gitdir.Repo{CommonDir: "r\n\nx\n/.git", GitDir: "r\n\nx\n/.git", Root: "r\n\nx\n", Worktree: "r\n\nx\n", Prefix: "a\n", Branch: "main"},
		unixly: true,
	},
	{
		name:    "sha256",
		build:   func(s *sandbox) { s.repo("r", "--object-format=sha256") },
		dir:     "r",
		want:    gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Branch: "main"},
		refusal: `extension "objectformat"`,
	},
	{
		name: "partial clone",
		build: func(s *sandbox) {
			s.repo("r")
			s.git("r", "config", "core.repositoryFormatVersion", "1")
			s.git("r", "config", "extensions.partialClone", "origin")
		},
		dir:     "r",
		want:    gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Branch: "main"},
		refusal: `extension "partialClone"`,
	},
	{
		name:  "an empty .git is passed over",
		build: func(s *sandbox) { s.repo("r"); s.mkdir("r/a/.git") },
		dir:   "r/a",
		want:  gitdir.Repo{CommonDir: "r/.git", GitDir: "r/.git", Root: "r", Worktree: "r", Prefix: "a", Branch: "main"},
	},
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	for _, l := range gittest.Some(5, layouts) {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			if l.unixly && runtime.GOOS == "windows" {
				t.Skip("Windows does not allow such names")
			}
			s := newSandbox(t)
			l.build(s)

			want := l.want
			if want.Dir == "" {
				want.Dir = l.dir
			}
			for _, p := range []*string{&want.CommonDir, &want.GitDir, &want.Root, &want.Dir, &want.Worktree} {
				*p = s.path(*p)
			}
			if !l.unborn {
				want.Head = s.git(l.dir, "rev-parse", "--verify", "HEAD")
			}
			same := func(how string, q gitdir.Query) {
				t.Helper()
				if diff := cmp.Diff(&want, s.find(q), cmpopts.IgnoreUnexported(gitdir.Repo{})); diff != "" {
					t.Errorf("%s (-want +got):\n%s", how, diff)
				}
			}
			same("from the working directory", s.at(l.dir))
			same("by an absolute base directory", s.based("", s.path(l.dir)))
			same("by a relative base directory", s.based(".", l.dir))

			without := s.based("", s.path(l.dir), noGit)
			if l.refusal == "" {
				same("without git", without)
				return
			}
			wantError(t, without, gitdir.ErrGitFailed, l.refusal, "install git")
		})
	}
}

// Whatever worktree one stands in, the root is the same.
func TestRootIsTheSameFromEveryWorktree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../w")
	s.mkdir("other")
	main := s.find(s.at("r"))
	for how, q := range map[string]gitdir.Query{
		"linked worktree": s.at("w"),
		"git directory":   s.at("r/.git"),
		"GIT_WORK_TREE":   s.at("other", "GIT_DIR="+s.path("r/.git"), "GIT_WORK_TREE="+s.path("other")),
	} {
		if got := s.find(q); got.Root != main.Root || got.CommonDir != main.CommonDir {
			t.Errorf("%s: root %q of %q, want %q of %q", how, got.Root, got.CommonDir, main.Root, main.CommonDir)
		}
	}
}

// Reading must not touch the repository, and work where it cannot be written.
func TestFindWritesNothing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	before := tree(t, s.path("r"))
	s.find(s.at("r"))
	s.find(s.at("r", noGit))
	if diff := cmp.Diff(before, tree(t, s.path("r"))); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// tree lists what is below a directory, with the times of change.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			entries[path] = info.Mode().String() + info.ModTime().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// wantError checks that a query fails in one way and in no other, and that
// message and hint together say certain things.
func wantError(t *testing.T, q gitdir.Query, kind error, says ...string) *gitdir.Error {
	t.Helper()
	repo, err := gitdir.Find(context.Background(), q)
	var e *gitdir.Error
	if !errors.As(err, &e) {
		t.Fatalf("Find = %+v, %v; want an *Error", repo, err)
	}
	for _, k := range []error{gitdir.ErrNotRepository, gitdir.ErrGitFailed, gitdir.ErrBaseDir} {
		if errors.Is(err, k) != (k == kind) {
			t.Errorf("%q is %q: %v", err, k, errors.Is(err, k))
		}
	}
	for _, text := range says {
		if !strings.Contains(e.Message+"\n"+e.Hint, text) {
			t.Errorf("message %q\nhint %q\nwant in it: %q", e.Message, e.Hint, text)
		}
	}
	if strings.Contains(e.Message, "\n") || strings.Contains(e.Hint, "\n") {
		t.Errorf("more than one line: %q, %q", e.Message, e.Hint)
	}
	return e
}
