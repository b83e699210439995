package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

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
