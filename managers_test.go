package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A step is what somebody does, and what a commit then runs.
type step struct {
	do    string // guard install, guard uninstall, or a command of the manager
	guard bool
	tool  bool
}

// The real hook managers and the guard, installed over each other in whatever
// order: a commit runs what is installed, the guard's status and doctor say so,
// and nothing of ours is left in the end.
func TestGuardAmongHookManagers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool  string
		steps []step
	}{
		"pre-commit, the guard later": {"pre-commit", []step{
			{"pre-commit install", false, true}, {"guard install", true, true}, {"pre-commit install", true, true},
			{"guard install", true, true}, {"guard uninstall", false, true}, {"pre-commit uninstall", false, false},
		}},
		"pre-commit, the guard first": {"pre-commit", []step{
			{"guard install", true, false}, {"pre-commit install", true, true}, {"guard install", true, true},
			{"pre-commit uninstall", true, false}, {"guard uninstall", false, false},
		}},
		"pre-commit, by force": {"pre-commit", []step{
			{"guard install", true, false}, {"pre-commit install -f", false, true}, {"guard install", true, true},
			{"pre-commit uninstall", true, false}, {"pre-commit install", true, true}, {"guard uninstall", false, true},
		}},
		"lefthook, the guard later": {"lefthook", []step{
			{"lefthook install", false, true}, {"guard install", true, true}, {"lefthook install -f", false, true},
			{"guard install", true, true}, {"guard uninstall", false, true},
		}},
		"lefthook, the guard first": {"lefthook", []step{
			{"guard install", true, false}, {"lefthook install", false, true}, {"guard install", true, true},
			{"lefthook uninstall", true, false}, {"guard uninstall", false, false},
		}},
		"husky": {"husky", []step{
			{"guard install", true, false}, {"husky", false, true}, {"guard install", true, true},
			{"husky", false, true}, {"guard install", true, true}, {"guard uninstall", false, true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newManaged(t, c.tool)
			installed := false
			for i, step := range c.steps {
				m.do(step.do)
				installed = strings.HasPrefix(step.do, "guard ") && step.guard || installed && step.do != "guard uninstall"
				if t.Failed() || !m.agrees(step, installed) {
					t.Fatalf("step %d, %q", i+1, step.do)
				}
			}
			m.nothingLeft()
		})
	}
}

// A managed is a site whose settings for a hook manager write to a log.
type managed struct {
	*site
	log     string
	bin     string // where the manager's program is
	commits int
}

func newManaged(t *testing.T, tool string) *managed {
	t.Helper()
	m := &managed{bin: toolDir(t, tool), site: newSite(t)}
	m.log = filepath.Join(filepath.Dir(m.main), "log")
	// The tools look for themselves on PATH, and for settings of the user's.
	m.env = append(m.env, "LOG="+m.log, "PATH="+m.bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "PRE_COMMIT_HOME="+t.TempDir(), "HOME="+t.TempDir(),
		"GIT_CONFIG_GLOBAL="+filepath.Join(t.TempDir(), "config"))
	m.locks(m.main, "guard", "uninstall")
	m.write("main", ".pre-commit-config.yaml", "repos:\n- repo: local\n  hooks:\n  - {id: x, name: x, entry: sh -c 'echo tool >> \"$LOG\"', language: system, always_run: true, pass_filenames: false}\n")
	m.write("main", "lefthook.yml", "pre-commit:\n  commands:\n    x:\n      run: echo tool >> \"$LOG\"\n")
	m.write("main", ".husky/pre-commit", "echo tool >> \"$LOG\"\n")
	m.git(m.main, "add", ".")
	m.git(m.main, "commit", "-q", "-m", "settings")
	m.git(m.link, "merge", "-q", "main")
	m.locks(m.link, "claim", "--title", "Their work", "--scope", "held/**", "--agent", "them")
	m.env = append(m.env, "AGENT_LOCKS_AGENT_ID=me")
	return m
}

// toolDir is where a manager's program lies: AGENT_LOCKS_NODE_MODULES may name
// a directory of npm's that has it.
func toolDir(t *testing.T, tool string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the tools take their time")
	}
	if path, err := exec.LookPath(tool); err == nil {
		return filepath.Dir(path)
	}
	bin := filepath.Join(os.Getenv("AGENT_LOCKS_NODE_MODULES"), ".bin")
	if _, err := exec.LookPath(filepath.Join(bin, tool)); err != nil || !filepath.IsAbs(bin) {
		t.Skipf("no %s on PATH, nor in AGENT_LOCKS_NODE_MODULES", tool)
	}
	return bin
}

func (m *managed) do(command string) {
	m.t.Helper()
	if rest, ok := strings.CutPrefix(command, "guard "); ok {
		m.locks(m.main, "guard", rest)
		return
	}
	words := strings.Fields(command)
	if out, code := m.run(m.main, filepath.Join(m.bin, words[0]), words[1:]...); code != 0 {
		m.t.Fatalf("%s: exit code %d\n%s", command, code, out)
	}
}

// agrees commits a file that somebody else holds, and asks about the guard.
func (m *managed) agrees(s step, installed bool) bool {
	m.t.Helper()
	if err := os.RemoveAll(m.log); err != nil {
		m.t.Fatal(err)
	}
	if listed := m.git(m.main, "status", "--porcelain"); listed != "" {
		m.t.Errorf("git lists %s", listed)
	}
	m.commits++
	m.write("main", "held/old.txt", fmt.Sprintln("change", m.commits))
	m.git(m.main, "add", ".")
	out, code := m.run(m.main, "git", "commit", "-q", "--allow-empty", "-m", "x")
	if refused := strings.Contains(out, "agent-locks: refused"); refused != s.guard || (code != 0) != s.guard || strings.Contains(out, "migration mode") {
		m.t.Errorf("refused %v, exit code %d, want %v\n%s", refused, code, s.guard, out)
	}
	if strings.Count(out, "agent-locks: refused") > 1 {
		m.t.Errorf("the guard ran more than once:\n%s", out)
	}
	m.git(m.main, "reset", "-q", "--hard")
	m.write("main", "free/a.txt", fmt.Sprintln("commit", m.commits)) // lefthook runs nothing for nothing
	m.git(m.main, "commit", "-q", "-a", "-m", "x")
	text, _ := os.ReadFile(m.log)
	if ran := strings.Contains(string(text), "tool"); ran != s.tool {
		m.t.Errorf("the tool ran: %v, want %v\n%s", ran, s.tool, out)
	}
	if status := m.locks(m.main, "guard", "status"); strings.HasPrefix(status, "runs here") != s.guard {
		m.t.Errorf("status: %s", status)
	}
	want := 0
	if installed && !s.guard {
		want = 1
	}
	if out, code := m.run(m.main, "agent-locks", "doctor"); code != want {
		m.t.Errorf("doctor: exit code %d, want %d\n%s", code, want, out)
	}
	return !m.t.Failed()
}

func (m *managed) nothingLeft() {
	m.t.Helper()
	for _, dir := range []string{".git/hooks", ".husky/_", ".git"} {
		entries, err := os.ReadDir(filepath.Join(m.main, filepath.FromSlash(dir)))
		if err != nil {
			continue
		}
		for _, e := range entries {
			text, _ := os.ReadFile(filepath.Join(m.main, filepath.FromSlash(dir), e.Name()))
			if e.Name() != "agents-locks" && strings.Contains(e.Name(), "agent-locks") || strings.Contains(string(text), "agent-locks") || strings.Contains(string(text), "agentlocks") {
				m.t.Errorf("left behind: %s/%s\n%s", dir, e.Name(), text)
			}
		}
	}
}

// husky's directory is generated, so that a new worktree has none: the guard
// runs there, git lists nothing, and husky may come later.
func TestGuardBeforeHuskyInALinkedWorktree(t *testing.T) {
	t.Parallel()
	m := newManaged(t, "husky")
	m.do("husky")
	m.locks(m.link, "guard", "install")
	if listed := m.git(m.link, "status", "--porcelain"); listed != "" {
		t.Errorf("git lists %s", listed)
	}
	m.env = append(m.env, "AGENT_LOCKS_AGENT_ID=me")
	m.locks(m.main, "claim", "--title", "More", "--scope", "free/**", "--agent", "them")
	commit := func(refused bool) {
		t.Helper()
		m.write("link", "free/a.txt", "changed\n")
		m.git(m.link, "add", ".")
		if out, code := m.run(m.link, "git", "commit", "-q", "-m", "x"); (code != 0) != refused || refused != strings.Contains(out, "agent-locks: refused") {
			t.Errorf("exit code %d, want refused %v\n%s", code, refused, out)
		}
	}
	commit(true)
	if out, code := m.run(m.link, filepath.Join(m.bin, "husky")); code != 0 {
		t.Fatalf("husky: exit code %d\n%s", code, out)
	}
	m.locks(m.link, "guard", "install")
	commit(true)
	m.locks(m.link, "guard", "uninstall")
	commit(false)
	if listed := m.git(m.link, "status", "--porcelain"); listed != "" {
		t.Errorf("git lists %s", listed)
	}
}
