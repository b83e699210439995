package gitdir_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
)

func TestBaseDir(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.repo("o")
	s.mkdir("o/deep")
	s.write("o/f.txt", "")
	s.mkdir("r/~")
	s.repo("r/~/home")
	abs := s.path("o")

	for _, base := range []string{abs, "../o", "../o/f.txt", "../o/deep", "../o/deep/..", abs + "/f.txt", abs + "/"} {
		if got := s.find(s.based("r", base)); got.Root != abs {
			t.Errorf("base_dir %q: root %q, want %q", base, got.Root, abs)
		}
	}
	if got, want := s.find(s.based("r", "./~/home")).Root, s.path("r/~/home"); got != want {
		t.Errorf("./~/home: root %q, want %q", got, want)
	}
	for _, c := range []struct{ base, says, wayOut string }{
		{"", "`base_dir` is empty: \"\"", "omit `base_dir`"},
		{"~", "`base_dir` \"~\": ~ is not expanded", "./~"},
		{"~/home", "`base_dir` \"~/home\": ~ is not expanded", "./~"},
		{"../o/new/dir", "`base_dir` \"../o/new/dir\" does not exist", "existing directory"},
		{"../o/new/dir", filepath.Base(s.dir), "existing directory"}, // what it was taken for
		{s.path("o/new"), "does not exist", "existing directory"},
		{s.path("o/f.txt/x"), "f.txt", "inside the target repository"},
		{"a\x00b", "`base_dir` \"a\\x00b\"", "directory inside the target repository"},
	} {
		wantError(t, s.based("r", c.base), gitdir.ErrBaseDir, c.says, c.wayOut)
	}
	wantError(t, s.based("r", s.dir), gitdir.ErrNotRepository, filepath.Base(s.dir))
}

// A symlink to a file lies in the repository it is named in, one to a
// directory leads there, and `..` after it goes up from where it led.
func TestBaseDirThroughSymlinks(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.repo("o")
	s.mkdir("o/deep")
	s.write("o/f.txt", "")
	s.symlink(s.path("o/f.txt"), "r/file")
	s.symlink(s.path("o/deep"), "r/dir")
	for base, want := range map[string]string{
		s.path("r/file"): "r",
		"r/file":         "r",
		"r/dir":          "o",
		"r/dir/..":       "o",
	} {
		if got := s.find(s.based(".", base)).Root; got != s.path(want) {
			t.Errorf("base_dir %q: root %q, want %q", base, got, s.path(want))
		}
	}
}

func TestWorkingDirectoryIsGone(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.mkdir("r/gone")
	if err := os.Remove(s.path("r/gone")); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.at("r/gone"), gitdir.ErrBaseDir, "working directory", "gone", "base_dir")
	wantError(t, s.based("r/gone", "x"), gitdir.ErrBaseDir, "working directory", "absolute `base_dir`")

	fails := s.at("r")
	fails.Getwd = func() (string, error) { return "", &fs.PathError{Op: "getwd", Err: fs.ErrNotExist} }
	wantError(t, fails, gitdir.ErrBaseDir, "working directory", "base_dir")

	based := s.based("r/gone", s.path("r"))
	if got := s.find(based).Root; got != s.path("r") {
		t.Errorf("an absolute base_dir needs no working directory: root %q", got)
	}
}

func TestNotARepository(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.mkdir("plain")
	s.mkdir("dangling/sub")
	s.write("dangling/.git", "gitdir: "+s.path("nowhere")+"\n")
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../w")
	s.rename("r", "moved")
	above := "above it"
	if strings.HasPrefix(s.dir, "/dev/shm/") { // a file system of its own
		above = "the search stopped at the file system boundary"
	}
	for _, c := range []struct{ dir, git, without string }{
		{"plain", "fatal: not a git repository", above},
		{"dangling", "fatal: not a git repository: ", "points to"},
		{"dangling/sub", "fatal: not a git repository: ", "points to"},
		{"w", "fatal: not a git repository: ", "points to"},
	} {
		wantError(t, s.at(c.dir), gitdir.ErrNotRepository, filepath.Base(s.path(c.dir)), c.git)
		wantError(t, s.based(".", s.path(c.dir)), gitdir.ErrNotRepository, c.git)
		wantError(t, s.based(".", s.path(c.dir), noGit), gitdir.ErrNotRepository, c.without)
	}
	wantError(t, s.at("moved", "GIT_DIR="+s.path("nowhere")), gitdir.ErrNotRepository, "nowhere")
}

// git's refusal of a repository that is there must not read as "no repository
// here": an agent told so concludes that locking does not apply.
func TestGitSaidNo(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.repo("broken")
	s.write("broken/.git/config", "[core\n")
	s.repo("newer")
	s.git("newer", "config", "core.repositoryFormatVersion", "99")
	s.mkdir("garbage")
	s.write("garbage/.git", "no pointer\n")
	for _, c := range []struct {
		q    gitdir.Query
		says []string
	}{
		{s.at("r", "GIT_TEST_ASSUME_DIFFERENT_OWNER=1"), []string{
			"detected dubious ownership in repository at", "git config --global --add safe.directory"}},
		{s.based(".", "r", "GIT_TEST_ASSUME_DIFFERENT_OWNER=1"), []string{
			"detected dubious ownership in repository at", "git config --global --add safe.directory"}},
		{s.at("broken"), []string{"fatal: bad config line"}},
		{s.at("newer"), []string{"99"}},
		{s.at("garbage"), []string{"fatal: invalid gitfile format"}},
		{s.at("broken", noGit), []string{"install git"}},
		{s.at("newer", noGit), []string{`repository format "99"`, "install git"}},
		{s.at("garbage", noGit), []string{"gitdir: ", "install git"}},
	} {
		wantError(t, c.q, gitdir.ErrGitFailed, c.says...)
	}
}

// GIT_CONFIG_* carry settings: an explicit base directory leaves them be.
func TestSettingsFromTheEnvironmentCount(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	trust := []string{
		"GIT_TEST_ASSUME_DIFFERENT_OWNER=1",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}
	for how, q := range map[string]gitdir.Query{
		"working directory": s.at("r", trust...),
		"base directory":    s.based(".", "r", trust...),
	} {
		if got := s.find(q).Root; got != s.path("r") {
			t.Errorf("%s: root %q", how, got)
		}
	}
}

// Inside a hook, git tells its children which repository they are about. That
// holds for a call from there, and not for one that names another repository.
func TestInheritedFromAHook(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.repo("o")
	s.git("r", "worktree", "add", "-q", "../w")
	s.mkdir("r/.git/hooks")
	s.executable("r/.git/hooks/pre-commit", "env | grep ^GIT_ >\""+filepath.ToSlash(s.path("env"))+"\"\n")
	s.git("w", "commit", "-q", "--allow-empty", "-m", "second")
	inherited := strings.Split(strings.TrimSpace(s.read("env")), "\n")
	if !strings.Contains(strings.Join(inherited, "\n"), "GIT_DIR=") {
		t.Fatalf("the hook saw no GIT_DIR: %q", inherited)
	}

	if got := s.find(s.at("w", inherited...)); got.CommonDir != s.path("r/.git") || got.Worktree != s.path("w") {
		t.Errorf("from the hook: %+v", got)
	}
	if got := s.find(s.at("o", inherited...)).CommonDir; got != s.path("r/.git") {
		t.Errorf("without base_dir, common directory %q: GIT_DIR must count", got)
	}
	for _, base := range []string{"o", s.path("o")} {
		if got := s.find(s.based(".", base, inherited...)).CommonDir; got != s.path("o/.git") {
			t.Errorf("base_dir %q: common directory %q: GIT_DIR must not count", base, got)
		}
	}
	// go-git cannot honour them, and need not where they do not count.
	without := append(inherited, noGit)
	wantError(t, s.at("w", without...), gitdir.ErrGitFailed, "GIT_", "is set", "install git")
	if got := s.find(s.based(".", "o", without...)).CommonDir; got != s.path("o/.git") {
		t.Errorf("without git: common directory %q", got)
	}
	wantError(t, s.based(".", "o", noGit, "GIT_CEILING_DIRECTORIES="+s.dir), gitdir.ErrGitFailed, "GIT_CEILING_DIRECTORIES")
}

// A relative variable means what it means to git, from a subdirectory as well.
func TestRelativeGitDir(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.mkdir("r/a")
	q := s.at("r/a", "GIT_DIR=../.git", "GIT_WORK_TREE=..")
	repo := s.find(q)
	if repo.CommonDir != s.path("r/.git") || repo.Worktree != s.path("r") || repo.Prefix != "a" {
		t.Errorf("%+v", repo)
	}
	out, err := repo.Git(context.Background(), "rev-parse", "--show-toplevel", "--absolute-git-dir")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.ToSlash(s.path("r") + "\n" + s.path("r/.git") + "\n"); string(out) != want {
		t.Errorf("Git runs in %q, want %q", out, want)
	}
}

func TestSomebodyElsesDirectoryWithoutGit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	for _, path := range []string{"r", "r/.git"} {
		s := newSandbox(t)
		s.repo("r")
		if err := os.Chown(s.path(path), 12345, -1); err != nil {
			t.Skipf("chown: %v", err)
		}
		wantError(t, s.at("r", noGit), gitdir.ErrGitFailed, "owned by another user", "install git")
	}
}

func TestWorktrees(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../w1")
	s.git("r", "worktree", "add", "-q", "../w2")
	s.write("w2/.git", "gitdir: ../r/.git/worktrees/w2\n")
	s.write("r/.git/worktrees/w2/gitdir", "../../../../w2/.git\n")
	s.git("r", "worktree", "add", "-q", "../gone")
	if err := os.RemoveAll(s.path("gone")); err != nil {
		t.Fatal(err)
	}
	s.git("r", "worktree", "add", "-q", "../taken")
	if err := os.RemoveAll(s.path("taken")); err != nil {
		t.Fatal(err)
	}
	s.repo("taken")
	s.mkdir("r/.git/worktrees/half-made")
	s.git(".", "clone", "-q", "--bare", s.path("r"), "b.git")
	s.git("b.git", "worktree", "add", "-q", "-b", "topic", s.path("bw"))
	s.git(".", "clone", "-q", "--bare", s.path("r"), "p/.git")
	s.git("p/.git", "worktree", "add", "-q", "-b", "topic", s.path("p/topic"))
	s.repo("sep", "--separate-git-dir", s.path("sep.git"))
	s.repo("cb")
	s.write("cb/f", "")
	s.git("cb", "add", "f")
	s.git("cb", "config", "core.bare", "true")

	for dir, want := range map[string][]string{
		"r":       {"r", "gone", "w1", "w2"},
		"w2":      {"r", "gone", "w1", "w2"},
		"b.git":   {"bw"},
		"bw":      {"bw"},
		"p/.git":  {"p/topic"},
		"p/topic": {"p/topic"},
		"sep":     {"sep"},
		"cb":      {"cb"}, // core.bare=true over a live main worktree
	} {
		got, err := s.find(s.at(dir)).Worktrees()
		if err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		for i := range want {
			want[i] = s.path(want[i])
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("from %s: %q, want %q", dir, got, want)
		}
	}
}

func TestGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.mkdir("r/a")
	s.write("r/staged", "")
	s.git("r", "add", "staged")
	s.repo("o")
	ctx := context.Background()

	elsewhere := []string{"GIT_DIR=" + s.path("o/.git"), "GIT_INDEX_FILE=" + s.path("none")}
	q := s.based(".", "r/a", elsewhere...)
	out, err := s.find(q).Git(ctx, "diff", "--cached", "--name-only", "-z")
	if err != nil || string(out) != "staged\x00" {
		t.Errorf("with base_dir: %q, %v; want git to look into r", out, err)
	}
	q = s.at("r/a", "GIT_INDEX_FILE="+s.path("none")) // as during `git commit --only`
	out, err = s.find(q).Git(ctx, "ls-files", "-z")
	if err != nil || len(out) != 0 {
		t.Errorf("without base_dir: %q, %v; want the index that GIT_INDEX_FILE names", out, err)
	}

	repo := s.find(s.at("r"))
	_, err = repo.Git(ctx, "no-such-command")
	if !errors.Is(err, gitdir.ErrGitFailed) || !strings.Contains(err.Error(), "no-such-command") {
		t.Errorf("error %v, want git's own words", err)
	}
	_, err = repo.Git(ctx, "config", "--get", "not.set")
	if code := exitCode(err); code != 1 {
		t.Errorf("error %v, exit code %d within reach, want 1", err, code)
	}
	_, err = s.find(s.at("r", noGit)).Git(ctx, "version")
	if !errors.Is(err, gitdir.ErrGitFailed) || !strings.Contains(err.Error(), "no git program") {
		t.Errorf("without git: %v", err)
	}
}

func exitCode(err error) int {
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

func TestCancelledBeforeItStarts(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if repo, err := gitdir.Find(ctx, s.at("r")); !errors.Is(err, context.Canceled) {
		t.Errorf("Find = %+v, %v; want context.Canceled", repo, err)
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	ctx := context.Background()
	path, version, err := gitdir.Program(ctx, s.env)
	if err != nil || !filepath.IsAbs(path) || "git version "+version != strings.TrimSpace(s.git(".", "version")) {
		t.Errorf("%q, version %q, %v", path, version, err)
	}
	if _, _, err = gitdir.Program(ctx, []string{noGit}); !errors.Is(err, gitdir.ErrGitFailed) || !strings.Contains(err.Error(), "no git program") {
		t.Errorf("without git: %v", err)
	}
}
