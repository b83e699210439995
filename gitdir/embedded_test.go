package gitdir_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// embed puts a bare repository into a directory as plain files, which is how
// one comes with a clone.
func (s *sandbox) embed(dir string, config ...string) {
	s.Helper()
	s.mkdir(dir)
	s.git(dir, "init", "-q", "--bare", ".")
	for i := 0; i+1 < len(config); i += 2 {
		s.git(dir, "config", "--file", "config", config[i], config[i+1])
	}
}

// A bare repository among the files of a worktree may have come with a clone,
// whatever its config says that it is.
func TestRepositoriesAmongAWorktreesFilesAreRefused(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, tc := range map[string]struct {
		build func(s *sandbox)
		dir   string
	}{
		"bare":                    {func(s *sandbox) { s.embed("r/sub") }, "r/sub"},
		"from a directory in it":  {func(s *sandbox) { s.embed("r/sub"); s.mkdir("r/sub/refs/heads/x") }, "r/sub/refs/heads/x"},
		"a worktree of its own":   {func(s *sandbox) { s.embed("r/sub", "core.bare", "false", "core.worktree", ".") }, "r/sub"},
		"the outer worktree":      {func(s *sandbox) { s.embed("r/sub", "core.bare", "false", "core.worktree", "..") }, "r/sub"},
		"within a linked one":     {func(s *sandbox) { s.git("r", "worktree", "add", "-q", "../w"); s.embed("w/a/b") }, "w/a/b"},
		"within a submodule":      {func(s *sandbox) { s.submodule(); s.embed("r/m/x") }, "r/m/x"},
		"within another such one": {func(s *sandbox) { s.embed("r/a"); s.embed("r/a/b") }, "r/a/b"},
		"beside a dead pointer":   {func(s *sandbox) { s.mkdir("w"); s.write("w/.git", "gitdir: ../gone\n"); s.embed("w/b") }, "w/b"},
		"below a linked .git":     {func(s *sandbox) { s.rename("r/.git", "g"); s.symlink(s.path("g"), "r/.git"); s.embed("r/b") }, "r/b"},
		"a worktree inside .git":  {func(s *sandbox) { s.git("r", "worktree", "add", "-q", ".git/w"); s.embed("r/.git/w/x") }, "r/.git/w/x"},
		"a worktree inside a bare one": {func(s *sandbox) {
			s.git(".", "clone", "-q", "--bare", "r", "p")
			s.git("p", "worktree", "add", "-q", "w")
			s.embed("p/w/x")
		}, "p/w/x"},
		"sharing the outer's objects": {func(s *sandbox) {
			s.embed("r/sub")
			s.write("r/sub/commondir", "../.git\n")
		}, "r/sub"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.repo("r")
			tc.build(s)
			for _, q := range []gitdir.Query{s.at(tc.dir), s.based(".", tc.dir), s.based(".", s.path(tc.dir)+"/HEAD", "GIT_DIR="+s.path("r/.git"))} {
				if q.BaseDir != nil && filepath.Base(*q.BaseDir) == "HEAD" {
					if _, err := os.Stat(*q.BaseDir); err != nil {
						continue
					}
				}
				e := wantError(t, q, gitdir.ErrGitFailed, "bare repository inside the worktree", "not used")
				if e != nil && e.Hint == "" {
					t.Error("no way out")
				}
			}
		})
	}
}

// submodule gives r a submodule at r/m.
func (s *sandbox) submodule() {
	s.Helper()
	s.repo("upstream")
	s.git("r", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.path("upstream"), "m")
}

// What a `.git` leads to, or holds, was put there on purpose; so were bare
// repositories that lie in no worktree, and what GIT_DIR names.
func TestRepositoriesThatWereMeantAreFound(t *testing.T) {
	t.Parallel()
	for name, tc := range gittest.SomeOf(4, map[string]struct {
		build  func(s *sandbox)
		dir    string
		env    func(s *sandbox) string
		common string
	}{
		"bare":                      {func(s *sandbox) { s.embed("b.git") }, "b.git", nil, "b.git"},
		"a directory of a bare one": {func(s *sandbox) { s.embed("b.git") }, "b.git/refs/heads", nil, "b.git"},
		"beside an empty .git":      {func(s *sandbox) { s.mkdir("x/.git"); s.embed("x/b.git") }, "x/b.git", nil, "x/b.git"},
		".git itself":               {func(s *sandbox) {}, "r/.git", nil, "r/.git"},
		"hooks":                     {func(s *sandbox) { s.mkdir("r/.git/hooks") }, "r/.git/hooks", nil, "r/.git"},
		"a linked worktree's":       {func(s *sandbox) { s.git("r", "worktree", "add", "-q", "../w") }, "r/.git/worktrees/w", nil, "r/.git"},
		"a submodule's":             {func(s *sandbox) { s.submodule() }, "r/.git/modules/m", nil, "r/.git/modules/m"},
		"a nested repository":       {func(s *sandbox) { s.repo("r/n") }, "r/n", nil, "r/n/.git"},
		"a nested one's .git":       {func(s *sandbox) { s.repo("r/n") }, "r/n/.git", nil, "r/n/.git"},
		"through a symlink":         {func(s *sandbox) { s.rename("r/.git", "g"); s.symlink(s.path("g"), "r/.git") }, "r", nil, "g"},
		"a separate git directory":  {func(s *sandbox) { s.repo("s", "--separate-git-dir", s.path("g")) }, "s", nil, "g"},
		"standing in that":          {func(s *sandbox) { s.repo("s", "--separate-git-dir", s.path("g")) }, "g", nil, "g"},
		"a separate one inside":     {func(s *sandbox) { s.repo("s", "--separate-git-dir", s.path("s/g")) }, "s/g", nil, "s/g"},
		"bare beside its worktrees": {func(s *sandbox) { s.hub(); s.write("p/.git", "gitdir: ./.bare\n") }, "p/.bare", nil, "p/.bare"},
		"bare around its worktrees": {func(s *sandbox) {
			s.git(".", "clone", "-q", "--bare", "r", "p")
			s.git("p", "worktree", "add", "-q", "w")
		}, "p/worktrees/w", nil, "p"},
		"above these":                {func(s *sandbox) { s.hub(); s.write("p/.git", "gitdir: ./.bare\n") }, "p", nil, "p/.bare"},
		"one of these":               {func(s *sandbox) { s.hub() }, "p/w", nil, "p/.bare"},
		"its part of the bare one":   {func(s *sandbox) { s.hub(); s.write("p/.git", "gitdir: ./.bare\n") }, "p/.bare/worktrees/w", nil, "p/.bare"},
		"the bare one's own root":    {func(s *sandbox) { s.hub(); s.rename("p/w/.git", "p/.git") }, "p/.bare", nil, "p/.bare"},
		"named by GIT_DIR":           {func(s *sandbox) { s.embed("r/sub") }, "r/sub", func(s *sandbox) string { return "GIT_DIR=" + s.path("r/sub") }, "r/sub"},
		"named by a relative one":    {func(s *sandbox) { s.embed("r/sub") }, "r/sub", func(s *sandbox) string { return "GIT_DIR=." }, "r/sub"},
		"outside, under one of ours": {func(s *sandbox) { s.embed("r/sub") }, "r", nil, "r/.git"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.repo("r")
			tc.build(s)
			var env []string
			if tc.env != nil {
				env = append(env, tc.env(s))
			}
			if repo := s.find(s.at(tc.dir, env...)); repo.CommonDir != s.path(tc.common) {
				t.Errorf("common directory %q, want %q", repo.CommonDir, s.path(tc.common))
			}
		})
	}
}

// hub makes p/.bare with a worktree p/w beside it.
func (s *sandbox) hub() {
	s.Helper()
	s.git(".", "clone", "-q", "--bare", "r", "p/.bare")
	s.git("p/.bare", "worktree", "add", "-q", s.path("p/w"))
}

// Git run with safe.bareRepository=explicit has an answer of its own, which is
// passed on.
func TestGitsOwnRefusalOfBareRepositories(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.embed("b.git")
	env := []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"}
	if _, err := gitdir.Find(context.Background(), s.at("b.git", env...)); err == nil {
		t.Skip("this git does not know safe.bareRepository")
	}
	wantError(t, s.at("b.git", env...), gitdir.ErrGitFailed, "safe.bareRepository")
}
