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
	s.git(dir, "init", "-q", "-b", "main", s.main)
	s.write("main", "held/old.txt", "1\n")
	s.write("main", "held/gone.txt", "2\n")
	s.write("main", "free/a.txt", "1\n")
	s.git(s.main, "add", ".")
	s.git(s.main, "commit", "-q", "-m", "first")
	s.git(s.main, "worktree", "add", "-q", "-b", "side", s.link)
	s.locks(s.main, "guard", "install")
	return s
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
	for _, name := range names {
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

func TestGuardOfCommits(t *testing.T) {
	t.Parallel()
	held := []string{"held/old.txt"}
	for name, test := range map[string]func(*site){
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
	} {
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

// A merge brings in what others have committed: only what it changes itself
// is looked at.
func TestGuardOfMerges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("main", "held/old.txt", "theirs\n")
	s.write("main", "free/a.txt", "theirs\n")
	s.commit(s.main, nil, "-a")
	s.hold("held/**")
	s.write("link", "free/a.txt", "ours\n")
	s.commit(s.link, nil, "-a")
	if out, code := s.run(s.link, "git", "merge", "main"); code != 1 {
		t.Fatalf("no conflict to resolve: %s", out)
	}
	s.write("link", "free/a.txt", "both\n")
	s.write("link", "held/gone.txt", "slipped in\n")
	s.git(s.link, "add", ".")
	s.commit(s.link, []string{"held/gone.txt", "leave them as you had them: git reset -q -- :/held/gone.txt\n"})
	s.git(s.link, "reset", "-q", "--", ":/held/gone.txt")
	// Not as it was here: that would undo what they did.
	s.write("link", "held/old.txt", "overruled\n")
	s.git(s.link, "add", "held/old.txt")
	out := s.commit(s.link, []string{"held/old.txt"})
	_, way, _ := strings.Cut(out, "or as what you merge has them: ")
	way, _, _ = strings.Cut(way, "\n")
	if out, code := s.run(s.link, "sh", "-c", way); code != 0 || s.git(s.link, "show", ":held/old.txt") != "theirs" {
		t.Errorf("%s: exit code %d\n%s", way, code, out)
	}
	s.commit(s.link, nil) // held/old.txt is as in main
	if parents := s.git(s.link, "log", "-1", "--format=%p"); len(strings.Fields(parents)) != 2 {
		t.Errorf("not a merge: parents %q", parents)
	}
}

func TestGuardOfSquashMerges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("main", "held/old.txt", "theirs\n")
	s.commit(s.main, nil, "-a")
	s.hold("held/**")
	s.git(s.link, "merge", "-q", "--squash", "main")
	out := s.commit(s.link, nil)
	if !strings.Contains(out, "this squash merge changes") || !strings.Contains(out, "held/old.txt") {
		t.Errorf("no warning: %s", out)
	}
}

// These make commits without a word from the guard, because git does not ask
// it. A git that begins to ask makes this test fail, and the help text wrong.
func TestGitDoesNotRunTheGuardFor(t *testing.T) {
	t.Parallel()
	// theirs is a commit on main that changes a held file.
	theirs := func(s *site) {
		s.write("main", "held/old.txt", "theirs\n")
		s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=them")
		s.commit(s.main, nil, "-a")
		s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=me")
	}
	for name, args := range map[string][]string{
		"cherry-pick without conflicts": {"cherry-pick", "main"},
		"rebase":                        {"rebase", "-q", "main"},
		"merge without conflicts":       {"merge", "-q", "-m", "x", "main"},
		"revert without conflicts":      {"revert", "--no-edit", "side"},
		"am":                            {"am", "-q", "0001-x.patch"},
		"commit --no-verify":            {"commit", "-q", "-n", "-m", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.write("link", "held/gone.txt", "ours\n")
			s.commit(s.link, nil, "-a")
			s.hold("held/**")
			theirs(s)
			switch name {
			case "am":
				s.git(s.link, "format-patch", "-q", "-1", "main")
			case "commit --no-verify":
				s.write("link", "held/old.txt", "ours\n")
				s.git(s.link, "add", ".")
			}
			before := s.git(s.link, "rev-parse", "HEAD")
			out := s.git(s.link, args...)
			if strings.Contains(out, "agent-locks") || s.git(s.link, "rev-parse", "HEAD") == before {
				t.Errorf("git %q: %s", args, out)
			}
			if text := s.locks(s.link, "guard", "status"); !strings.Contains(text, name) {
				t.Errorf("status does not say so: %s", text)
			}
		})
	}
}

// After a conflict git goes on by making a commit, and asks; only in a rebase
// it does not, unless one commits by hand.
func TestGuardAfterAConflict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stop, goOn []string
		unasked    bool
	}{
		"cherry-pick":               {[]string{"cherry-pick", "main"}, []string{"cherry-pick", "--continue"}, false},
		"revert":                    {[]string{"revert", "--no-edit", "HEAD~1"}, []string{"revert", "--continue"}, false},
		"merge":                     {[]string{"merge", "main"}, []string{"merge", "--continue"}, false},
		"commit in a rebase":        {[]string{"rebase", "main"}, []string{"commit", "-q", "-m", "x"}, false},
		"rebase":                    {[]string{"rebase", "main"}, []string{"rebase", "--continue"}, true},
		"rebase, by way of patches": {[]string{"rebase", "--apply", "main"}, []string{"rebase", "--continue"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.env = append(s.env, "GIT_EDITOR=true")
			s.write("main", "held/old.txt", "theirs\n")
			s.commit(s.main, nil, "-a")
			for _, text := range []string{"ours\n", "ours, more\n"} {
				s.write("link", "held/old.txt", text)
				s.commit(s.link, nil, "-a")
			}
			s.hold("held/**")
			if out, code := s.run(s.link, "git", c.stop...); code == 0 {
				t.Fatalf("git %q meets no conflict: %s", c.stop, out)
			}
			s.write("link", "held/old.txt", "both\n")
			s.git(s.link, "add", ".")
			before := s.git(s.link, "rev-parse", "HEAD")
			out, code := s.run(s.link, "git", c.goOn...)
			moved := s.git(s.link, "rev-parse", "HEAD") != before
			if refused := strings.Contains(out, "agent-locks: refused"); refused == c.unasked || moved == refused || refused && code == 0 {
				t.Errorf("git %q: refused %v, HEAD moved %v, exit code %d\n%s", c.goOn, refused, moved, code, out)
			}
		})
	}
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
	expect(1, "nobody can tell whether others hold these files")
	expect(0, "nobody checked", "AGENT_LOCKS_GUARD=warn")
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
	t.Parallel()
	s := newSite(t)
	for range 10 {
		s.hold("**/*[-_]test.*")
	}
	check := func(format string, args ...string) (string, int) {
		t.Helper()
		var names strings.Builder
		for i := range 10000 {
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
	if code != 1 || strings.Count(out, "  and 9990 more\n") != 10 || !strings.Contains(out, "(and 9995 more:") {
		t.Errorf("files that ten hold: exit code %d\n%.2000s", code, out)
	}
	s.git(s.main, "config", "agentlocks.requireClaim", "true")
	s.locks(s.link, "claim", "--title", "Mine", "--scope", "**/*[-_]spec.*", "--agent", "me")
	out, code = check("vendor/example.com/pkg/internal/file_%d.go", "--agent", "me")
	if code != 1 || !strings.Contains(out, "that no lock of your own covers") || !strings.Contains(out, "  and 9990 more\n") {
		t.Errorf("files that no lock of one's own covers: exit code %d\n%.2000s", code, out)
	}
}

// A claim of one's own that may cover a file, and does not, gives no leave.
func TestGuardDoubtsOnesOwn(t *testing.T) {
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

// Without its program the guard lets a commit through, and says so.
func TestGuardWithoutItsProgram(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.hold("held/**")
	s.write("link", "held/old.txt", "changed\n")
	hook := filepath.Join(s.main, ".git", "hooks", "pre-commit")
	text, err := os.ReadFile(hook)
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+pathWithoutProgram(t))
	s.commit(s.link, []string{"held/old.txt"}, "-a") // by the path that was recorded
	gone := strings.ReplaceAll(string(text), filepath.ToSlash(filepath.Dir(recordedProgram(t, string(text)))), "/nowhere")
	if err := executable(hook, gone); err != nil {
		t.Fatal(err)
	}
	out := s.commit(s.link, nil, "-a")
	if strings.Count(out, "\n") != 1 || !strings.Contains(out, "THE GUARD DID NOT RUN") {
		t.Errorf("the commit went through with %q", out)
	}
}

// pathWithoutProgram is PATH without any agent-locks: not the tests' own, nor
// one that is installed. What else lies beside one, git perhaps, stays.
func pathWithoutProgram(t *testing.T) string {
	t.Helper()
	var path []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath(filepath.Join(abs, "agent-locks")); err != nil {
			path = append(path, dir)
			continue
		}
		if runtime.GOOS == "windows" {
			continue // links need a privilege there, and git has directories of its own
		}
		entries, err := os.ReadDir(abs)
		if err != nil {
			t.Fatal(err)
		}
		rest := t.TempDir()
		for _, e := range entries {
			if e.Name() == "agent-locks" {
				continue
			}
			if err := os.Symlink(filepath.Join(abs, e.Name()), filepath.Join(rest, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
		path = append(path, rest)
	}
	return strings.Join(path, string(filepath.ListSeparator))
}

func recordedProgram(t *testing.T, script string) string {
	t.Helper()
	_, rest, _ := strings.Cut(script, "\n\tguard '")
	program, _, ok := strings.Cut(rest, "'")
	if !ok {
		t.Fatalf("no program in %s", script)
	}
	return program
}
