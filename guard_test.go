package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

func TestGuardOfCommits(t *testing.T) {
	t.Parallel()
	held := []string{"held/old.txt"}
	for name, test := range gittest.SomeOf(1, map[string]func(*site){
		"from the main worktree": func(s *site) { // which the lock was made from
			s.write("main", "held/old.txt", "changed\n")
			s.git(s.main, "add", ".")
			s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=me")
			s.commit(s.main, held)
			s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=them")
			s.commit(s.main, nil)
		},
		"by somebody without an id": func(s *site) {
			s.write("main", "held/old.txt", "changed\n")
			s.write("link", "held/old.txt", "changed\n")
			s.commit(s.link, held, "-a")
			s.commit(s.main, nil, "-a") // the worktree decides: it may be the holder
		},
		"from a subdirectory": func(s *site) {
			s.write("link", "held/old.txt", "changed\n")
			s.git(s.link, "add", ".")
			if out, code := s.run(s.link, "git", "hook", "run", "pre-commit"); code != 1 && !strings.Contains(out, "is not a git command") { // before git 2.36
				s.t.Errorf("git does not find the hook in a linked worktree: exit code %d\n%s", code, out)
			}
			s.commit(filepath.Join(s.link, "held"), held, "-a")
			out := s.commit(filepath.Join(s.link, "free"), held)
			s.waysOut(filepath.Join(s.link, "free"), out)
			s.commit(filepath.Join(s.link, "free"), held, "-a")
		},
		"of some files only": func(s *site) {
			s.write("link", "held/old.txt", "changed\n")
			s.write("link", "free/a.txt", "changed\n")
			s.git(s.link, "add", "held/old.txt")
			s.commit(s.link, nil, "free/a.txt")
			s.commit(s.link, held, "held/old.txt")
			s.commit(filepath.Join(s.link, "free"), held, "../held/old.txt")
		},
		"amended": func(s *site) {
			s.write("link", "free/a.txt", "changed\n")
			s.commit(s.link, nil, "-a")
			s.write("link", "held/old.txt", "changed\n")
			s.git(s.link, "add", ".")
			s.commit(s.link, held, "--amend")
			s.git(s.link, "restore", "--staged", "held/old.txt")
			s.commit(s.link, nil, "--amend", "--no-edit", "--reset-author", "--date=2001-01-01T00:00:00Z")
			// What is committed already is not asked about again.
			s.commit(s.link, nil, "-a", "--no-verify")
			if touched := s.git(s.link, "show", "--format=", "--name-only"); touched != held[0] {
				s.t.Fatalf("the commit touches %s", touched)
			}
			s.commit(s.link, nil, "--amend", "--date=2001-01-01T00:00:00Z")
			s.write("link", "free/a.txt", "changed again\n")
			s.commit(s.link, nil, "-a", "--amend")
			s.write("link", "held/old.txt", "changed again\n")
			s.commit(s.link, held, "-a", "--amend")
		},
		"of a rename, away and into": func(s *site) {
			s.git(s.link, "mv", "held/old.txt", "free/new.txt")
			s.commit(s.link, held)
			s.git(s.link, "reset", "-q", "--hard")
			s.git(s.link, "mv", "free/a.txt", "held/new.txt")
			s.commit(s.link, []string{"held/new.txt"})
		},
		"of a deletion": func(s *site) {
			s.git(s.link, "rm", "-q", "held/gone.txt")
			s.commit(s.link, []string{"held/gone.txt"})
		},
		"of a mode": func(s *site) {
			s.git(s.link, "update-index", "--chmod=+x", "held/old.txt")
			s.commit(s.link, held)
		},
		"of a submodule": func(s *site) {
			sub := filepath.Join(filepath.Dir(s.main), "sub")
			s.git(s.main, "init", "-q", sub)
			s.git(sub, "commit", "-q", "--allow-empty", "-m", "i")
			s.git(s.link, "config", "diff.ignoreSubmodules", "all")
			s.git(s.link, "-c", "protocol.file.allow=always", "submodule", "add", "-q", sub, "held/sub")
			s.commit(s.link, []string{"held/sub"})
		},
		"of odd names": func(s *site) {
			// git lists them in this order, and the ways out spell out five.
			s.oddNames("-n", "[id].txt", "_config.yml", "a b.txt", "it's.txt", "\u00e9\u4e2d.txt", "#x", "{a", "~", "held/~/x", "held/-n", "held/[id].txt", "held/a,b")
		},
		"of names that the system may not have": func(s *site) {
			if runtime.GOOS == "windows" {
				s.t.Skip("git refuses such names there")
			}
			s.oddNames(":x", "!x", "held/a\nb", "held/a\"b\tc", "held/\xff.txt", "held/it's\n", "a*b", `a\b`, "x ", " x", "\u202e", "held/100%\x1b")
		},
		"whose diff is configured": func(s *site) {
			for _, kv := range []string{"diff.relative=true", "diff.noprefix=true", "diff.renames=copies", "core.quotepath=true", "color.ui=always", "diff.external=false", "core.pager=false"} {
				key, value, _ := strings.Cut(kv, "=")
				s.git(s.link, "config", key, value)
			}
			s.git(s.link, "mv", "held/old.txt", "free/new.txt")
			s.commit(filepath.Join(s.link, "free"), held)
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.hold("held/**")
			test(s)
		})
	}
}

// Of two who claimed the same file in the same second, one may commit.
func TestGuardOfClaimsOfOneSecond(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSite(t)
	out := s.locks(s.main, "claim", "--title", "Work", "--scope", "held/**", "--agent", "one")
	id, _, _ := strings.Cut(strings.TrimPrefix(out, "claimed "), "\n")
	dir := filepath.Join(s.main, ".git", "agents-locks")
	text, err := os.ReadFile(filepath.Join(dir, id+".md"))
	if err != nil {
		t.Fatal(err)
	}
	twin := strings.NewReplacer(id, id+"-2", "agent_id: one", "agent_id: two").Replace(string(text))
	if err := os.WriteFile(filepath.Join(dir, id+"-2.md"), []byte(twin), 0o666); err != nil {
		t.Fatal(err)
	}
	s.write("link", "held/old.txt", "changed\n")
	s.git(s.link, "add", ".")
	env := s.env
	for agent, want := range map[string]int{"one": 0, "two": 1} {
		s.env = append(env[:len(env):len(env)], "AGENT_LOCKS_AGENT_ID="+agent)
		if out, code := s.run(s.link, "agent-locks", "guard", "check"); code != want {
			t.Errorf("%s: exit code %d, want %d\n%s", agent, code, want, out)
		}
	}
}

// Where a scope is not compared exactly, nobody is said to hold anything.
func TestGuardSaysMay(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSite(t)
	s.hold("held/!(x)")
	s.write("link", "held/old.txt", "changed\n")
	out := s.commit(s.link, []string{"held/old.txt"}, "-a")
	if !strings.Contains(out, "files that somebody else may hold:\n") || !strings.Contains(out, "\n    may be held by them for") {
		t.Error(out)
	}
}

func TestGuardOfTheFirstCommit(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSite(t)
	s.main = filepath.Join(filepath.Dir(s.main), "new")
	s.git(filepath.Dir(s.main), "init", "-q", s.main)
	s.locks(s.main, "guard", "install")
	s.hold("held/**")
	s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=me")
	s.write("new", "held/x.txt", "x\n")
	s.git(s.main, "add", ".")
	refusal := s.commit(s.main, []string{"held/x.txt"})
	s.link = s.main
	s.waysOut(s.main, refusal)
	s.git(s.main, "add", ".")
	s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=them")
	s.commit(s.main, nil)
}

func TestGuardModes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.hold("held/**")
	s.write("link", "held/old.txt", "changed\n")
	s.git(s.link, "add", ".")
	again := func(env ...string) (string, int) {
		t.Helper()
		saved := s.env
		defer func() { s.env = saved }()
		s.env = append(s.env[:len(s.env):len(s.env)], env...)
		return s.run(s.link, "agent-locks", "guard", "check")
	}
	expect := func(code int, part string, env ...string) {
		t.Helper()
		if out, got := again(env...); got != code || !strings.Contains(out, part) {
			t.Errorf("%q: exit code %d, want %d and %q:\n%s", env, got, code, part, out)
		}
	}
	expect(1, "refused")
	expect(0, "warning: this commit changes", "AGENT_LOCKS_GUARD=warn")
	expect(0, "off", "AGENT_LOCKS_GUARD=off")
	expect(0, "not checked", "AGENT_LOCKS_BYPASS=1")
	if testing.Short() {
		return
	}
	expect(1, "refused", "AGENT_LOCKS_BYPASS=0")
	expect(1, "treated as block; use block, warn or off", "AGENT_LOCKS_GUARD=loose")
	s.git(s.main, "config", "agentlocks.guard", "warn")
	expect(0, "warning")
	expect(1, "refused", "AGENT_LOCKS_GUARD=block")
	s.git(s.main, "config", "agentlocks.guard", "off")
	expect(0, "off")
	s.git(s.main, "config", "--unset", "agentlocks.guard")

	// A store that cannot be read at all.
	locks := filepath.Join(s.main, ".git", "agents-locks")
	if err := os.Rename(locks, locks+".kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(locks, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	expect(1, "cannot tell whether others hold these files")
	expect(0, "not checked", "AGENT_LOCKS_GUARD=warn")
	expect(0, "off", "AGENT_LOCKS_GUARD=off")
	expect(0, "not checked", "AGENT_LOCKS_BYPASS=1")
	if err := errors.Join(os.Remove(locks), os.Rename(locks+".kept", locks)); err != nil {
		t.Fatal(err)
	}

	// A single file that cannot.
	s.git(s.link, "reset", "-q")
	if err := os.WriteFile(filepath.Join(locks, "2026-07-17T18-45-12-torn.md"), []byte("---\nid"), 0o666); err != nil {
		t.Fatal(err)
	}
	expect(0, "2026-07-17T18-45-12-torn.md")
}

func TestGuardRequiresAClaim(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSite(t)
	s.git(s.main, "config", "agentlocks.requireClaim", "true")
	s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=me")
	s.write("link", "free/a.txt", "changed\n")
	out, code := s.run(s.link, "git", "commit", "-q", "-a", "-m", "x")
	if code != 1 || !strings.Contains(out, "free/a.txt") || !strings.Contains(out, "agent-locks claim") || strings.Contains(out, "AGENT_LOCKS_BYPASS") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	s.locks(s.link, "claim", "--title", "Mine", "--scope", "free/**")
	s.commit(s.link, nil, "-a")
}

// The names come from anywhere, each ended by a NUL.
func TestGuardChecksNames(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSite(t)
	s.hold("held/**")
	for names, want := range map[string]int{"": 0, "free/a.txt\x00": 0, "free/a.txt\x00held/x y.txt": 1, "held/x\x00": 1, filepath.Join(s.link, "held", "z") + "\x00": 1} {
		cmd := exec.Command("agent-locks", "guard", "check", "--stdin", "--json")
		cmd.Dir, cmd.Env, cmd.Stdin = s.link, s.env, strings.NewReader(names)
		var out, fault bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &fault
		if err := cmd.Run(); err != nil && want == 0 || cmd.ProcessState.ExitCode() != want {
			t.Errorf("%q: exit code %d, want %d: %s%s", names, cmd.ProcessState.ExitCode(), want, out.String(), fault.String())
		}
	}
}

// However many names there are, each is judged by itself, and told of once.
func TestGuardChecksManyNames(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSite(t)
	for range 10 {
		s.hold("**/*[-_]test.*")
	}
	count := 10000
	rest := fmt.Sprintf("  and %d more\n", count-10)
	check := func(format string, args ...string) (string, int) {
		t.Helper()
		var names strings.Builder
		for i := range count {
			fmt.Fprintf(&names, format+"\x00", i)
		}
		cmd := exec.Command("agent-locks", append([]string{"guard", "check", "--stdin"}, args...)...)
		cmd.Dir, cmd.Env, cmd.Stdin = s.link, s.env, strings.NewReader(names.String())
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := check("vendor/example.com/pkg/internal/file_%d.go"); code != 0 {
		t.Errorf("files that nobody holds: exit code %d\n%.2000s", code, out)
	}
	out, code := check("vendor/%d_test.go")
	if code != 1 || strings.Count(out, rest) != 10 || !strings.Contains(out, fmt.Sprintf("(and %d more:", count-5)) {
		t.Errorf("files that ten hold: exit code %d\n%.2000s", code, out)
	}
	s.git(s.main, "config", "agentlocks.requireClaim", "true")
	s.locks(s.link, "claim", "--title", "Mine", "--scope", "**/*[-_]spec.*", "--agent", "me")
	out, code = check("vendor/example.com/pkg/internal/file_%d.go", "--agent", "me")
	if code != 1 || !strings.Contains(out, "that no lock of yours covers") || !strings.Contains(out, rest) {
		t.Errorf("files that no lock of one's own covers: exit code %d\n%.2000s", code, out)
	}
}

// A claim of one's own that may cover a file, and does not, gives no leave.
func TestGuardDoubtsOnesOwn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSite(t)
	s.locks(s.link, "claim", "--title", "Mine", "--scope", "free/!(a).txt", "--agent", "me")
	s.hold("free/a.txt")
	s.write("link", "free/a.txt", "changed\n")
	s.git(s.link, "add", ".")
	if out, code := s.run(s.link, "agent-locks", "guard", "check", "--agent", "me"); code != 1 || !strings.Contains(out, "held by them for") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
