package gitdir_test

import (
	"strings"
	"testing"
)

// By variables, git can take the files of one place for those of another's git
// directory. That is found out, and what fits together is not complained about.
func TestMismatch(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../w")
	s.git("", "clone", "-q", "--bare", "r", "bare.git")
	s.git("", "clone", "-q", "--separate-git-dir", s.path("apart"), "r", "separate")
	s.repo("o")
	for _, dir := range []string{"r/sub", "w/sub", "home/sub"} {
		s.mkdir(dir)
	}
	const worktree, common, files = "for the worktree of", "for the common directory of", "which is not a directory"
	for _, c := range []struct {
		dir, variables string // TOP is the sandbox
		want           string // "": they fit
	}{
		{"r", "", ""},
		{"r", "GIT_DIR=.git", ""},
		{"r", "GIT_DIR=TOP/r/.git", ""},
		{"r", "GIT_DIR=TOP/r/.git GIT_INDEX_FILE=none", ""},
		{"w", "GIT_DIR=.git", ""},
		{"w", "GIT_DIR=TOP/r/.git/worktrees/w", ""},
		{"w", "GIT_DIR=TOP/r/.git/worktrees/w GIT_WORK_TREE=.", ""},
		{"w", "GIT_COMMON_DIR=../r/.git", ""},
		{"w/sub", "GIT_WORK_TREE=..", ""},
		{"w/sub", "GIT_DIR=../.git GIT_WORK_TREE=..", ""},
		{".", "GIT_DIR=w/.git GIT_WORK_TREE=w", ""},
		{"home", "GIT_DIR=../bare.git GIT_WORK_TREE=.", ""},
		{"home/sub", "GIT_DIR=../../bare.git GIT_WORK_TREE=..", ""},
		{"bare.git", "GIT_DIR=.", ""},
		{"separate", "GIT_DIR=TOP/apart", ""},

		{"r", "GIT_DIR=TOP/r/.git/worktrees/w", worktree},
		{"r", "GIT_DIR=../w/.git", worktree},
		{"r", "GIT_WORK_TREE=../w", worktree},
		{"r", "GIT_DIR=.git GIT_WORK_TREE=../w", worktree},
		{"r/.git", "GIT_DIR=.", worktree},
		{"r/sub", "GIT_DIR=../.git", worktree},
		{"w", "GIT_DIR=../r/.git", worktree},
		{"w", "GIT_WORK_TREE=TOP/r", worktree},
		{"w/sub", "GIT_DIR=../.git", worktree},
		{"home", "GIT_DIR=../w/.git", worktree},
		{"home", "GIT_DIR=../r/.git", worktree},
		{"o", "GIT_DIR=../r/.git/worktrees/w", worktree},
		{"separate", "GIT_DIR=TOP/apart GIT_WORK_TREE=sub", files},
		{"r", "GIT_WORK_TREE=nowhere", files},
		{"r", "GIT_COMMON_DIR=../o/.git", common},
		{"w", "GIT_COMMON_DIR=../o/.git", common},
		{"w", "GIT_DIR=../r/.git/worktrees/w GIT_COMMON_DIR=../o/.git", common},
	} {
		t.Run(c.dir+" "+c.variables, func(t *testing.T) {
			t.Parallel()
			variables := strings.Fields(strings.ReplaceAll(c.variables, "=TOP", "="+s.dir))
			got := s.find(s.at(c.dir, variables...)).Mismatch()
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, v := range variables {
				if name, value, _ := strings.Cut(v, "="); c.want != "" && !strings.Contains(got, name+"=\""+value) {
					t.Errorf("%q does not name %s", got, v)
				}
			}
			if got := s.find(s.based(".", "w", variables...)).Mismatch(); got != "" {
				t.Errorf("with base_dir: %q", got)
			}
		})
	}
}

// A worktree of a separate git directory that only stands below another one is found
// by its `.git`, since nothing in the git directory names it.
func TestMismatchBelowAWorktree(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("", "clone", "-q", "--separate-git-dir", s.path("apart"), "r", "separate")
	s.mkdir("separate/sub")
	s.git("separate", "worktree", "add", "-q", "../w")
	for _, dir := range []string{"separate/sub", "w"} {
		if got := s.find(s.at(dir, "GIT_DIR="+s.path("apart"))).Mismatch(); got == "" {
			t.Errorf("%s: fits", dir)
		}
	}
	if got := s.find(s.at("separate", "GIT_DIR="+s.path("apart"))).Mismatch(); got != "" {
		t.Error(got)
	}
}
