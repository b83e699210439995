package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A site is a repository with the guard installed, a linked worktree, and a
// lock of somebody else on held/**.
type site struct {
	t    *testing.T
	main string
	link string
	env  []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh to run hooks with")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, main: filepath.Join(dir, "main"), link: filepath.Join(dir, "link"), env: skillEnv()}
	err = sites.Copy(dir, func(dir string) error {
		return (&site{t: t, main: filepath.Join(dir, "main"), link: filepath.Join(dir, "link"), env: s.env}).build()
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var sites gittest.Template

func (s *site) build() error {
	dir := filepath.Dir(s.main)
	if err := gittest.Git(dir, s.env, []string{"init", "-q", "-b", "main", s.main}); err != nil {
		return err
	}
	s.write("main", "held/old.txt", "1\n")
	s.write("main", "held/gone.txt", "2\n")
	s.write("main", "free/a.txt", "1\n")
	s.locks(s.main, "guard", "install")
	return gittest.Git(s.main, s.env, []string{"add", "."}, []string{"commit", "-q", "--no-verify", "-m", "first"},
		[]string{"worktree", "add", "-q", "-b", "side", s.link})
}

// hold claims the scope for another agent, from the main worktree.
func (s *site) hold(scope string) {
	s.t.Helper()
	s.locks(s.main, "claim", "--title", "Their work", "--scope", scope, "--agent", "them")
}

func (s *site) run(dir, name string, args ...string) (string, int) {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, s.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("%s %q: %v", name, args, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (s *site) git(dir string, args ...string) string {
	s.t.Helper()
	out, code := s.run(dir, "git", args...)
	if code != 0 {
		s.t.Fatalf("git %q: exit code %d\n%s", args, code, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (s *site) locks(dir string, args ...string) string {
	s.t.Helper()
	out, code := s.run(dir, "agent-locks", args...)
	if code != 0 {
		s.t.Fatalf("agent-locks %q: exit code %d\n%s", args, code, out)
	}
	return out
}

// write makes a file in a worktree (main or link).
func (s *site) write(tree, name, text string) {
	s.t.Helper()
	path := filepath.Join(filepath.Dir(s.main), tree, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// commit runs git commit, which must be refused for the files named, or must
// go through where none are.
func (s *site) commit(dir string, files []string, args ...string) string {
	s.t.Helper()
	before, _ := s.run(dir, "git", "rev-parse", "HEAD")
	out, code := s.run(dir, "git", append([]string{"commit", "-q", "-m", "x"}, args...)...)
	after, _ := s.run(dir, "git", "rev-parse", "HEAD")
	if len(files) == 0 {
		if code != 0 || before == after {
			s.t.Fatalf("git commit %q: exit code %d\n%s", args, code, out)
		}
		return out
	}
	if code != 1 || before != after {
		s.t.Fatalf("git commit %q: exit code %d, HEAD was %s and is %s\n%s", args, code, before, after, out)
	}
	for _, part := range append(files, "them", "Their work", "coordinate", "wait", "narrow") {
		if !strings.Contains(out, part) {
			s.t.Errorf("the refusal does not say %q:\n%s", part, out)
		}
	}
	if strings.Contains(out, "AGENT_LOCKS_BYPASS") {
		s.t.Errorf("the refusal says how to get round it:\n%s", out)
	}
	return out
}

// oddNames commits a file of each name alone, and goes the ways out.
func (s *site) oddNames(names ...string) {
	s.t.Helper()
	s.hold("**")
	for _, name := range gittest.Some(3, names) {
		blob := s.git(s.link, "rev-parse", "HEAD:free/a.txt")
		cmd := exec.Command("git", "update-index", "-z", "--index-info")
		cmd.Dir, cmd.Env = s.link, s.env
		cmd.Stdin = strings.NewReader("100644 " + blob + "\t" + name + "\x00")
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("%q: %v\n%s", name, err, out)
		}
		s.waysOut(filepath.Join(s.link, "free"), s.commit(s.link, []string{"somebody else holds"}))
	}
}

// waysOut takes a refusal at its word: typed in dir, its commands wait for the
// files, which are held, and take them out of the index.
func (s *site) waysOut(dir, refusal string) {
	s.t.Helper()
	for _, way := range []struct {
		before string
		code   int
	}{{"until the files are free: ", 2}, {"commit without them (and without -a): ", 0}} {
		_, command, _ := strings.Cut(refusal, way.before)
		command, _, _ = strings.Cut(command, "\n")
		command = strings.Replace(command, " --timeout 600 ", " --timeout 0 ", 1)
		if out, code := s.run(dir, "sh", "-c", command); code != way.code {
			s.t.Errorf("%s: exit code %d, want %d\n%s", command, code, way.code, out)
		}
	}
	if left := s.git(s.link, "diff", "--cached", "--name-only"); left != "" {
		s.t.Errorf("still staged: %s, after\n%s", left, refusal)
	}
}
