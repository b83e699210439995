package forecast_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A sandbox is a directory for repositories, a temporary directory of its own,
// and the environment that git is given, without the machine's configuration.
type sandbox struct {
	testing.TB
	dir, temp string
	env       []string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{TB: t, dir: dir, temp: filepath.Join(dir, "temp")}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + dir,
		"XDG_CONFIG_HOME=" + dir,
		"GIT_CONFIG_GLOBAL=" + filepath.Join(dir, "gitconfig"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_TEMPLATE_DIR=", // no sample hooks
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid",
	}
	if runtime.GOOS == "windows" {
		s.env = append(s.env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"), "TEMP="+os.Getenv("TEMP"))
	}
	s.mkdir("temp")
	s.write("gitconfig", "[protocol \"file\"]\n\tallow = always\n[init]\n\tdefaultBranch = main\n[core]\n\tfsync = none\n")
	return s
}

func (s *sandbox) path(name string) string {
	return filepath.Join(s.dir, filepath.FromSlash(name))
}

// try runs git in a directory of the sandbox.
func (s *sandbox) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = s.path(dir)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

func (s *sandbox) git(dir string, args ...string) string {
	s.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.path(dir)
	cmd.Env = s.env
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		s.Fatalf("git %q in %q: %v\n%s", args, dir, err, said.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (s *sandbox) mkdir(name string) {
	s.Helper()
	if err := os.MkdirAll(s.path(name), 0o777); err != nil {
		s.Fatal(err)
	}
}

// write makes a file, and the directories above it.
func (s *sandbox) write(name, text string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o777); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
		s.Fatal(err)
	}
}

// script writes a program. A child writes it: a descriptor that is open for
// writing could be inherited by what a parallel test starts.
func (s *sandbox) script(name, text string) {
	s.Helper()
	s.mkdir(filepath.ToSlash(filepath.Dir(name)))
	cmd := exec.Command("sh", "-c", `cat >"$1" && chmod +x "$1"`, "sh", s.path(name))
	cmd.Stdin = strings.NewReader("#!/bin/sh\n" + text)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%v\n%s", err, out)
	}
}

func (s *sandbox) remove(name string) {
	s.Helper()
	if err := os.RemoveAll(s.path(name)); err != nil {
		s.Fatal(err)
	}
}

func (s *sandbox) link(target, name string) {
	s.Helper()
	if err := os.Symlink(target, s.path(name)); err != nil {
		s.Skipf("links cannot be made here: %v", err)
	}
}

// commit commits all that is in a worktree.
func (s *sandbox) commit(dir string) {
	s.Helper()
	s.git(dir, "add", "-A")
	s.git(dir, "commit", "-q", "--allow-empty", "-m", "m")
}

// numbered is a text of so many lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

var repositories gittest.Template

func TestMain(m *testing.M) { os.Exit(gittest.InMemory{Tests: m}.Run()) }

// two makes a repository with a worktree beside it, both at a commit that has
// the files f and g.
func (s *sandbox) two() {
	s.Helper()
	s.copyOf(&repositories, func(s *sandbox) { s.twoAnew() })
}

// copyOf fills the sandbox with what the first call's make puts into one.
func (s *sandbox) copyOf(made *gittest.Template, make func(s *sandbox)) {
	s.Helper()
	err := made.Copy(s.dir, func(dir string) error {
		in := *s
		in.dir = dir
		make(&in)
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
}

// twoAnew does so without a copy of what was made before.
func (s *sandbox) twoAnew(args ...string) {
	s.Helper()
	s.git("", append([]string{"init", "-q", "main"}, args...)...)
	s.write("main/f", numbered(20))
	s.write("main/g", numbered(20))
	s.commit("main")
	s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
}

// edit replaces a line of a file that numbered made.
func (s *sandbox) edit(name string, line int, text string) {
	s.Helper()
	old, err := os.ReadFile(s.path(name))
	if err != nil {
		s.Fatal(err)
	}
	lines := strings.SplitAfter(string(old), "\n")
	lines[line-1] = text + "\n"
	s.write(name, strings.Join(lines, ""))
}

func (s *sandbox) find(dir string, env ...string) *gitdir.Repo {
	s.Helper()
	repo, err := gitdir.Find(context.Background(), gitdir.Query{
		Getwd:   func() (string, error) { return s.path(dir), nil },
		Environ: append(s.env[:len(s.env):len(s.env)], env...),
	})
	if err != nil {
		s.Fatal(err)
	}
	return repo
}

// ask asks for the forecast of a directory's repository.
func (s *sandbox) ask(dir string, r forecast.Request, env ...string) *forecast.Result {
	s.Helper()
	r.Temp, r.Limit = s.temp, cmp.Or(r.Limit, 10*time.Minute) // on a machine that is busy
	res, err := forecast.Of(context.Background(), s.find(dir, env...), r)
	if err != nil {
		s.Fatal(err)
	}
	if left, err := os.ReadDir(s.temp); err != nil || len(left) > 0 {
		s.Errorf("left in the temporary directory: %v, %v", left, err)
	}
	return res
}

// told is a result as lines: of each pair that is not clean, who, what and why.
func (s *sandbox) told(res *forecast.Result) []string {
	var out []string
	name := func(i int) string {
		place := res.Sides[i].Place()
		if rel, err := filepath.Rel(s.dir, place); err == nil && filepath.IsAbs(place) {
			return filepath.ToSlash(rel)
		}
		return place
	}
	for _, p := range res.Pairs {
		for _, f := range p.Files {
			line := fmt.Sprintf("%s %s %s %q", name(p.Yours), name(p.Theirs), f.Kind, f.Path)
			if len(f.Lines) > 0 {
				line += fmt.Sprint(" ", f.Lines)
			}
			out = append(out, line)
		}
		if p.Why != "" {
			out = append(out, fmt.Sprintf("%s %s: %s", name(p.Yours), name(p.Theirs), strings.ReplaceAll(p.Why, s.dir, "DIR")))
		}
	}
	return out
}

// wants compares lines.
func (s *sandbox) wants(got []string, want ...string) {
	s.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.Errorf("got:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// sum is a digest of each file under a directory: its name, mode and bytes.
func (s *sandbox) sum(dir string) string {
	s.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(s.path(dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %v\n", name, info.Mode())
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%d\n%s", len(text), text)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%q\n", to)
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
