package gitdir_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A sandbox is a directory for repositories and the environment that git is
// given there, without the machine's own configuration.
type sandbox struct {
	testing.TB
	dir string
	env []string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + dir,
		"XDG_CONFIG_HOME=" + dir,
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_TEMPLATE_DIR=", // no sample hooks
		"GIT_CEILING_DIRECTORIES=",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid",
	}
	if runtime.GOOS == "windows" {
		env = append(env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"), "TEMP="+os.Getenv("TEMP"))
	}
	return &sandbox{t, dir, env}
}

// path is a place in the sandbox, named with slashes.
func (s *sandbox) path(name string) string {
	if name == "" {
		return ""
	}
	return s.dir + string(filepath.Separator) + filepath.FromSlash(name)
}

// git runs git in a directory of the sandbox and returns what it printed.
func (s *sandbox) git(dir string, args ...string) string {
	s.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join(s.dir, filepath.FromSlash(dir))
	cmd.Env = s.env
	out, err := cmd.Output()
	if err != nil {
		var said []byte
		if exit, ok := err.(*exec.ExitError); ok {
			said = exit.Stderr
		}
		s.Fatalf("git %q in %q: %v\n%s", args, dir, err, said)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// repo makes a repository with one commit on main.
func (s *sandbox) repo(dir string, args ...string) {
	s.Helper()
	s.mkdir(dir)
	made := func(at string) error {
		return gittest.Git(at, s.env, append([]string{"init", "-q"}, args...),
			[]string{"symbolic-ref", "HEAD", "refs/heads/main"}, []string{"commit", "-q", "--allow-empty", "-m", "first"})
	}
	var err error
	if len(args) > 0 {
		err = made(s.path(dir))
	} else {
		err = repositories.Copy(s.path(dir), made)
	}
	if err != nil {
		s.Fatal(err)
	}
}

var repositories gittest.Template

func TestMain(m *testing.M) { os.Exit(gittest.InMemory{Tests: m}.Run()) }

func (s *sandbox) mkdir(name string) {
	s.Helper()
	if err := os.MkdirAll(s.path(name), 0o777); err != nil {
		s.Fatal(err)
	}
}

func (s *sandbox) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
		s.Fatal(err)
	}
}

// executable writes a shell script. A child process does the writing: a
// descriptor open for writing here could be inherited by whatever a parallel
// test is starting, and the system refuses to run a file that is being written.
func (s *sandbox) executable(name, text string) {
	s.Helper()
	cmd := exec.Command("sh", "-c", `cat >"$1" && chmod +x "$1"`, "sh", filepath.ToSlash(s.path(name)))
	cmd.Stdin = strings.NewReader("#!/bin/sh\n" + text)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%v\n%s", err, out)
	}
}

func (s *sandbox) read(name string) string {
	s.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

func (s *sandbox) rename(from, to string) {
	s.Helper()
	if err := os.Rename(s.path(from), s.path(to)); err != nil {
		s.Fatal(err)
	}
}

func (s *sandbox) symlink(target, name string) {
	s.Helper()
	if err := os.Symlink(target, s.path(name)); err != nil {
		s.Skipf("symlinks cannot be made here: %v", err)
	}
}

// at is a query from a working directory, without a base directory.
func (s *sandbox) at(cwd string, env ...string) gitdir.Query {
	return gitdir.Query{
		Getwd:   func() (string, error) { return s.path(cwd), nil },
		Environ: append(s.env[:len(s.env):len(s.env)], env...),
	}
}

// based is a query with a base directory, given as it is.
func (s *sandbox) based(cwd, base string, env ...string) gitdir.Query {
	q := s.at(cwd, env...)
	q.BaseDir = &base
	return q
}

// noGit is the environment entry that hides the git program.
const noGit = "PATH="

func (s *sandbox) find(q gitdir.Query) *gitdir.Repo {
	s.Helper()
	repo, err := gitdir.Find(context.Background(), q)
	if err != nil {
		s.Fatal(err)
	}
	return repo
}
