package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/cli/guard"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A hookSite is a site without a guard, where somebody holds a file.
type hookSite struct{ *site }

func newHookSite(t *testing.T) *hookSite {
	t.Helper()
	s := newSite(t)
	s.locks(s.main, "guard", "uninstall")
	s.locks(s.main, "claim", "--title", "Their work", "--scope", "held/**", "--agent", "them")
	s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=me")
	return &hookSite{s}
}

// answers asks the guard's status, and commits a held file: where status says that the
// guard runs, that must be refused.
func (s *hookSite) answers() string {
	s.t.Helper()
	status := s.locks(s.main, "guard", "status")
	first, _, _ := strings.Cut(status, " here")
	s.write("main", "held/old.txt", "changed\n")
	s.git(s.main, "add", "held")
	out, code := s.run(s.main, "git", "commit", "-q", "-m", "x")
	if code == 0 {
		s.git(s.main, "reset", "-q", "--soft", "HEAD~")
	}
	s.git(s.main, "reset", "-q", "--hard")
	if refused := code != 0 && strings.Contains(out, "agent-locks: refused"); first == "runs" && !refused {
		s.t.Errorf("status says %q, and a commit of a held file went through, or failed for another reason: exit code %d\n%s", status, code, out)
	}
	return first
}

func (s *hookSite) hook(text string) {
	s.t.Helper()
	s.script(filepath.Join(s.main, ".git", "hooks", "pre-commit"), text)
}

// script replaces what may be run, in one step.
func (s *hookSite) script(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `rm -f "$1" && cat > "$1" && chmod 755 "$1"`, "sh", path)
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
}

// A hook that somebody wrote counts as running the guard where its first command is a
// call that ends the hook. Of any other that names the guard it is not known.
func TestStatusOfAHookOfSomebodysOwn(t *testing.T) {
	t.Parallel()
	s := newHookSite(t)
	program, err := exec.LookPath("agent-locks")
	if err != nil {
		t.Fatal(err)
	}
	const runs, unknown = "runs", "may not run"
	for text, want := range gittest.SomeOf(2, map[string]string{
		guard.Line + "\n": runs,
		"#!/bin/sh\n" + guard.Line + "\necho more\n":                      runs,
		"#!/bin/sh -e\n\n# first\nagent-locks guard check\necho more\n":   runs,
		"#!/usr/bin/env bash\nset -eu\n\tagent-locks guard check\ntrue\n": runs,
		"#!/bin/sh\nagent-locks guard check":                              runs,
		"#!/bin/sh\nagent-locks guard check --quiet\n\n":                  runs,
		"#!/bin/sh\nagent-locks guard check || exit 1\ntrue\n":            runs,
		"#!/bin/sh\nagent-locks guard check || exit $?\ntrue\n":           runs,
		"#!/bin/sh\nexec agent-locks guard check\ntrue\n":                 runs,
		"#!/bin/sh\n" + program + " guard check || exit\ntrue\n":          runs,
		"#!/bin/sh\n\"" + program + "\" guard check\n":                    runs,
		"#! /bin/sh\nagent-locks guard check\n":                           runs,
		"\n#!/bin/sh -n\nagent-locks guard check\n":                       runs,
		"#!/bin/sh\nagent-locks guard check || exit\r\ntrue\n":            unknown,
		"#!/bin/sh -e\nset +e\nagent-locks guard check\ntrue\n":           unknown,
		"#!/bin/sh\nexec agent-locks guard check || exit 0\n":             unknown,
		"#!/bin/sh\nif\n": "does not run",
		"#!/bin/sh\n# agent-locks guard check || exit\n":                        "does not run",
		"#!/bin/sh\nagent-locks guard check\ntrue\n":                            unknown,
		"#!/bin/sh\nagent-locks guard check --quiet || true\n":                  unknown,
		"#!/bin/sh\nagent-locks guard check || exit 0\n":                        unknown,
		"#!/bin/sh\nagent-locks guard check || exit 256\n":                      unknown,
		"#!/bin/sh\nagent-locks guard check || exit &\n":                        unknown,
		"#!/bin/sh\nagent-locks guard check &\n":                                unknown,
		"#!/bin/sh\n! agent-locks guard check || exit\n":                        unknown,
		"#!/bin/sh\nagent-locks guard check \\\n|| true\n":                      unknown,
		"#!/bin/sh\nagent-locks guard check || exit 1 | cat\n":                  unknown,
		"#!/bin/sh\nagent-locks guard check | cat\n":                            unknown,
		"#!/bin/sh\nexit 0; agent-locks guard check\n":                          unknown,
		"#!/bin/sh\nexit 0\nagent-locks guard check || exit\n":                  unknown,
		"#!/bin/sh\necho agent-locks guard check\n":                             unknown,
		"#!/bin/sh\nagent-locks guard check --help || exit 1\n":                 unknown,
		"#!/bin/sh\nagent-locks guard check --stdin </dev/null || exit\n":       unknown,
		"#!/bin/sh\nagent-locks guard check --base-dir /tmp || exit\n":          unknown,
		"#!/bin/sh\nAGENT_LOCKS_GUARD=off agent-locks guard check\n":            unknown,
		"#!/bin/sh\nexport AGENT_LOCKS_GUARD=off\n" + guard.Line + "\n":         unknown,
		"#!/bin/sh\nif false; then\nagent-locks guard check\nfi\n":              unknown,
		"#!/bin/sh\nf() {\nagent-locks guard check || exit\n}\n":                unknown,
		"#!/bin/sh\ncat <<x\nagent-locks guard check || exit\nx\n":              unknown,
		"#!/bin/sh\nPATH=/bin\n" + guard.Line + "\n":                            unknown,
		"#!/bin/sh\nagent-locks() { :; }\nagent-locks guard check\n":            unknown,
		"#!/bin/sh\ntrap 'exit 0' EXIT\nagent-locks guard check\n":              unknown,
		"#!/bin/sh\ncd /\nagent-locks guard check\n":                            unknown,
		"#!/bin/sh\nset -n\nagent-locks guard check || exit\n":                  unknown,
		"#!/bin/sh\nset -e +e\nagent-locks guard check\ntrue\n":                 unknown,
		"#!/bin/sh\n: '\nagent-locks guard check || exit\n'\n":                  unknown,
		"#!/bin/sh\ntrue \"$#\"; agent-locks guard check || true\n":             unknown,
		"#!/bin/sh\nagent-locks guard check || exit # 1\n":                      unknown,
		"#!/bin/sh\nagent-locks\tguard check || exit\n":                         unknown,
		"#!/bin/sh\nnpx agent-locks guard check || exit\n":                      unknown,
		"#!/bin/sh\n./agent-locks guard check || exit\n":                        unknown,
		"#!/bin/sh -n\nagent-locks guard check || exit\n":                       unknown,
		"#!/bin/sh /dev/null\nagent-locks guard check || exit\n":                unknown,
		"#!/bin/bash -l\n" + guard.Line + "\n":                                  unknown,
		"#!/usr/bin/env -S PATH=/bin sh\n" + guard.Line + "\n":                  unknown,
		"#!/usr/bin/python3\nimport os\nos.system('agent-locks guard check')\n": unknown,
		"#!/usr/bin/true\nagent-locks guard check || exit\n":                    unknown,
		"#!/bin/cat\nagent-locks guard check || exit\n":                         unknown,
	}) {
		s.hook(text)
		if got := s.answers(); got != want {
			t.Errorf("of %q status says %q, want %q", text, got, want)
		}
	}
}

// A call by the bare name is one of what PATH has. Without any it does not run, and
// another program of that name may do anything.
func TestStatusOfACallKnowsTheProgram(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newHookSite(t)
	self, err := exec.LookPath("agent-locks")
	if err != nil {
		t.Fatal(err)
	}
	s.git(s.main, "config", "agentlocks.guard", "block")
	plain, other, bare := s.env, t.TempDir(), t.TempDir()
	s.script(filepath.Join(other, "agent-locks"), "#!/bin/sh\nexit 0\n")
	s.script(filepath.Join(s.main, "bin", "agent-locks"), "#!/bin/sh\nexit 0\n")
	for _, name := range []string{"git", "sh", "bash", "cat"} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(bare, name)); err != nil {
				t.Skipf("no symbolic links here: %v", err)
			}
		}
	}
	list := string(filepath.ListSeparator)
	usual := filepath.Dir(self) + list + os.Getenv("PATH")
	framework := frameworkHook(t)
	for _, c := range []struct{ path, want string }{
		{usual, "runs"}, {bare, "does not run"}, {other + list + usual, "may not run"}, {"bin" + list + usual, "may not run"},
	} {
		for _, hook := range []struct{ text, legacy string }{{guard.Line, ""}, {"exec agent-locks guard check", ""}, {framework, guard.Line}} {
			s.hook("#!/bin/sh\n" + strings.TrimPrefix(hook.text, "#!/bin/sh\n"))
			if hook.legacy != "" {
				if framework == "" {
					continue
				}
				s.hook(hook.text)
				s.script(filepath.Join(s.main, ".git", "hooks", "pre-commit.legacy"), "#!/bin/sh\n"+hook.legacy+"\n")
			}
			s.env = append(plain[:len(plain):len(plain)], "PATH="+c.path)
			out, code := s.run(s.main, self, "guard", "status")
			if code != 0 || !strings.HasPrefix(out, c.want+" here") {
				t.Errorf("with PATH %q, %q and %q: exit code %d, %q, want %q", c.path, hook.text, hook.legacy, code, out, c.want)
			}
		}
	}
}

// The program that installed the guard may be another version by now, or something else.
func TestStatusKnowsTheProgramThatTheHookStarts(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newHookSite(t)
	self, err := exec.LookPath("agent-locks")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "agent-locks")
	copied := func() {
		if out, code := s.run(s.main, "sh", "-c", `rm -f "$2" && cp "$1" "$2"`, "sh", self, program); code != 0 {
			t.Fatal(out)
		}
	}
	copied()
	if out, code := s.run(s.main, program, "guard", "install"); code != 0 {
		t.Fatal(out)
	}
	if got := s.answers(); got != "runs" {
		t.Errorf("of another copy status says %q", got)
	}
	s.script(program, "#!/bin/sh\nexit 0\n")
	if got := s.answers(); got != "may not run" {
		t.Errorf("of another program status says %q", got)
	}
	copied()
	if got := s.answers(); got != "runs" {
		t.Errorf("once it is back status says %q", got)
	}
}

// frameworkHook is the script that https://pre-commit.com writes, with a .legacy;
// empty where there is none, and under -short, since it takes its time.
func frameworkHook(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		return ""
	}
	if _, err := exec.LookPath("pre-commit"); err != nil {
		return ""
	}
	dir := t.TempDir()
	for _, args := range [][]string{{"git", "init", "-q"}, {"pre-commit", "install"}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(skillEnv(), "PRE_COMMIT_HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, ".git", "hooks", "pre-commit"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A hook of ours in a script that its own first line keeps from running does not count.
func TestStatusOfOurBlockWhereNoShellReadsIt(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newHookSite(t)
	evil := filepath.Join(filepath.Dir(s.main), "sh") // runs nothing
	if err := os.WriteFile(evil, []byte("#!/bin/true\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for first, want := range map[string]string{"#!/bin/sh": "runs", "#!/bin/bash -l": "runs", "#!/bin/sh -n": "may not run", "#!/bin/sh /dev/null": "may not run",
		"#!/nonexistent/sh": "may not run", "#!" + evil: "may not run"} {
		s.hook(first + "\ntrue\n")
		s.locks(s.main, "guard", "install")
		if got := s.answers(); got != want {
			t.Errorf("with %q status says %q, want %q", first, got, want)
		}
		s.locks(s.main, "guard", "uninstall")
	}
	framework := frameworkHook(t)
	if framework == "" {
		return
	}
	s.write("main", ".pre-commit-config.yaml", "repos: []\n")
	for _, c := range []struct{ script, want string }{
		{framework, "runs"},
		{strings.Replace(framework, "\nHERE=", "\nexit 0\nHERE=", 1), "may not run"},
		{strings.Replace(framework, "\nINSTALL_PYTHON=", "\nINSTALL_PYTHON=$(exit)", 1), "may not run"},
	} {
		s.hook(c.script)
		s.locks(s.main, "guard", "install")
		s.git(s.main, "add", ".pre-commit-config.yaml")
		if got := s.answers(); got != c.want {
			t.Errorf("with %q status says %q, want %q", c.script, got, c.want)
		}
		s.write("main", ".pre-commit-config.yaml", "repos: []\n")
		s.locks(s.main, "guard", "uninstall")
	}
}

// Whether a tool's settings have it run the guard is up to the tool.
func TestStatusOfAToolsSettings(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newHookSite(t)
	lefthook := "#!/bin/sh\ncall_lefthook run \"pre-commit\" \"$@\"\n"
	for i, c := range []struct{ hook, name, text string }{
		{lefthook, "lefthook.yml", "pre-commit:\n  jobs:\n  - run: agent-locks guard check\n    skip: true\n"},
		{lefthook, "lefthook.yml", "pre-commit:\n  jobs:\n  - run: agent-locks guard check\n    env: {AGENT_LOCKS_GUARD: off}\n"},
		{lefthook, "lefthook.toml", "[pre-commit.commands.x]\nrun = \"agent-locks guard check\"\n"},
		{"#!/bin/sh\n. \"$(dirname \"$0\")/h\"\n", ".husky/pre-commit", "agent-locks guard check || true\n"},
		{"#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n", ".pre-commit-config.yaml",
			"repos:\n- repo: local\n  hooks:\n  - {id: x, entry: sh -c 'agent-locks guard check || true', files: '[.]go$'}\n"},
	} {
		s.hook(c.hook)
		s.write("main", c.name, c.text)
		out := s.locks(s.main, "guard", "status")
		if !strings.HasPrefix(out, "may not run here: ") || !strings.Contains(out, "commit a change") {
			t.Errorf("%d, with %q: %q", i, c.text, out)
		}
		if out := s.locks(s.main, "doctor"); !strings.Contains(out, "may not run") {
			t.Errorf("%d: doctor says %q", i, out)
		}
		if err := os.Remove(filepath.Join(s.main, filepath.FromSlash(c.name))); err != nil {
			t.Fatal(fmt.Errorf("%d: %w", i, err))
		}
	}
}
