package guard

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A ground is a repository with a linked worktree, and a program that stands
// for agent-locks, before any that is installed: it writes down that it was
// called, and refuses where a file "refuse" is there.
type ground struct {
	t       *testing.T
	dir     string
	main    string
	link    string
	env     []string
	program string
}

func newGround(t *testing.T) *ground {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh to run hooks with")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{t: t, dir: dir, main: filepath.Join(dir, "main"), link: filepath.Join(dir, "link"), program: filepath.Join(dir, "agent-locks")}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "AGENT_LOCKS_") {
			g.env = append(g.env, kv)
		}
	}
	g.env = append(g.env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LOG="+filepath.ToSlash(filepath.Join(dir, "log")),
		"PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid")
	g.write(g.program, "#!/bin/sh\necho \"guard $*\" >> \"$LOG\"\nif [ -f \"${LOG%/*}/refuse\" ]; then exit 1; fi\n", 0o777)
	err = grounds.Copy(dir, func(dir string) error {
		main := filepath.Join(dir, "main")
		return gittest.Git(dir, g.env, []string{"init", "-q", "-b", "main", main},
			[]string{"-C", main, "commit", "-q", "--allow-empty", "-m", "first"},
			[]string{"-C", main, "worktree", "add", "-q", filepath.Join(dir, "link")})
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var grounds gittest.Template

func TestMain(m *testing.M) { os.Exit(gittest.InMemory{Tests: m}.Run()) }

func (g *ground) git(dir string, args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, g.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// write writes what may be run, so no parallel test may start a process
// meanwhile: it would inherit the open file, which the system then does not run.
func (g *ground) write(path, text string, mode fs.FileMode) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		g.t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		g.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) place(dir string) Place {
	g.t.Helper()
	repo, err := gitdir.Find(g.t.Context(), gitdir.Query{BaseDir: &dir, Environ: g.env})
	if err != nil {
		g.t.Fatal(err)
	}
	p, err := Find(g.t.Context(), repo, g.env)
	if err != nil {
		g.t.Fatal(err)
	}
	return p
}

func (g *ground) install(dir string) Change {
	g.t.Helper()
	c, err := Install(g.t.Context(), g.place(dir), filepath.ToSlash(g.program), 0)
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

func (g *ground) uninstall(dir string) (Change, error) {
	return Uninstall(g.t.Context(), g.place(dir))
}

func (g *ground) installed(dir string) bool {
	g.t.Helper()
	installed, err := Installed(g.t.Context(), g.place(dir))
	if err != nil {
		g.t.Fatal(err)
	}
	return installed
}

func (g *ground) runs(dir string, lookPath func(string) (string, error)) (runs bool, why string) {
	g.t.Helper()
	s := StatusOf(g.place(dir), Shell{LookPath: lookPath, Self: g.program})
	return s.Runs, s.Why
}

func nowhere(string) (string, error) { return "", exec.ErrNotFound }

// ran commits in dir and tells which hooks ran, in their order.
func (g *ground) ran(dir string) string {
	g.t.Helper()
	path := filepath.Join(g.dir, "log")
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.t.Fatal(err)
	}
	g.git(dir, "commit", "-q", "--allow-empty", "-m", "x")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.t.Fatal(err)
	}
	return strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; ")
}

func (g *ground) refused(dir string) {
	g.t.Helper()
	refuse := filepath.Join(g.dir, "refuse")
	g.write(refuse, "", 0o666)
	cmd := exec.Command("git", "commit", "-q", "--allow-empty", "-m", "x")
	cmd.Dir, cmd.Env = dir, g.env
	if out, err := cmd.CombinedOutput(); err == nil {
		g.t.Errorf("the guard's refusal was not respected: %s", out)
	}
	if err := os.Remove(refuse); err != nil {
		g.t.Fatal(err)
	}
}

// nothingLeft looks for what an installation has not taken away.
func (g *ground) nothingLeft() {
	g.t.Helper()
	for _, pattern := range []string{".git/hooks/*agent-locks*", ".git/*agent-locks*", ".git/hooks/.git*"} {
		if names, err := filepath.Glob(filepath.Join(g.main, filepath.FromSlash(pattern))); err != nil || len(names) > 0 {
			g.t.Errorf("left behind: %q, %v", names, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(g.main, ".git", "hooks", "pre-commit*"))
	if err != nil {
		g.t.Fatal(err)
	}
	for _, path := range files {
		if f, err := look(path); err != nil || f.ours() {
			g.t.Errorf("left behind: ours is in %s, %v", path, err)
		}
	}
	if said := g.git(g.main, "config", "--list"); strings.Contains(said, "agentlocks") {
		g.t.Errorf("left behind in git's configuration: %s", said)
	}
}

func (g *ground) symlink(target, path string) {
	g.t.Helper()
	if err := os.Symlink(target, path); err != nil {
		g.t.Skipf("no symbolic links here: %v", err)
	}
}

// listing is what is under a path, with contents.
func listing(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		text, err := os.ReadFile(path)
		b.WriteString(path + ": " + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
