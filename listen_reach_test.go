package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A reach is a listener with two repositories, beside others that it is not for.
func newReach(t *testing.T) (l *listener, home string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l = &listener{t: t, dir: filepath.Join(home, "app")}
	for _, dir := range []string{"app", "web", "secret", "app/vendor/nested"} {
		if err := plain.Copy(filepath.Join(home, dir), initialized); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"-C", "app", "worktree", "add", "-q", "-b", "box", filepath.Join(home, "box")},
		{"-C", "app", "worktree", "add", "-q", "-b", "gone", filepath.Join(home, "gone")},
		{"-C", "app", "worktree", "add", "-q", "-b", "taken", filepath.Join(home, "taken")},
		{"-C", "secret", "worktree", "add", "-q", "-b", "w", filepath.Join(home, "secretwork")},
		{"init", "-q", "--bare", filepath.Join(home, "box", "bare.git")},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = home, skillEnv()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	for _, dir := range []string{"gone", "taken"} {
		if err := os.RemoveAll(filepath.Join(home, dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := plain.Copy(filepath.Join(home, "taken"), initialized); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"box/out": "secret", "link": "secret", "toapp": "app"} {
		if err := os.Symlink(filepath.Join(home, to), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(home, "box", "src"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("src", filepath.Join(home, "box", "self")); err != nil {
		t.Fatal(err)
	}
	l.start("--repo", "app="+filepath.Join(home, "app"), "--repo", "web="+filepath.Join(home, "web"))
	return l, home
}

func TestListenerReachesNamedRepositoriesOnly(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l, home := newReach(t)
	at := func(name string) string { return filepath.Join(home, name) }
	claim := func(below, base string) string {
		args := map[string]any{"title": "x", "scope": []string{"x"}, "agent_id": "box"}
		if base != "" {
			args["base_dir"] = base
		}
		_, _, text := l.post(testToken, below, callText(1, "lock_create", args))
		return text
	}
	for _, c := range []struct{ below, base, dir string }{
		{"", "app", "app"}, {"", "web", "web"}, {"/app", "", "app"}, {"/web", "", "web"}, {"/app", "app", "app"},
		{"", at("app"), "app"}, {"", at("box"), "app"}, {"", at("box/src"), "app"}, {"", at("box/self"), "app"},
		{"", at("box") + "/.", "app"}, {"", at("box/src/../src"), "app"}, {"", at("web"), "web"}, {"/app", at("box"), "app"},
	} {
		if text := claim(c.below, c.base); !strings.Contains(text, at(c.dir+"/.git/agents-locks/")) {
			t.Errorf("%s, %q: %s", c.below, c.base, text)
		}
	}
	before := map[string]string{}
	for _, dir := range []string{"secret", "taken", "app/vendor/nested"} {
		before[dir] = output(t, at(dir), "", "git", "status", "--porcelain", "--ignored")
	}
	for _, c := range []struct{ below, base string }{
		{"", ""}, // which of both?
		{"/app", "web"}, {"/app", at("web")}, {"/web", at("box")},
		{"", "secret"}, {"", "App"}, {"", "APP"}, {"", "."}, {"", ".."}, {"", "./app"}, {"", "app/"}, {"", "../app"}, {"", "~"},
		{"", at("secret")}, {"", at("secretwork")}, {"", at("link")}, {"", at("nothing")}, {"", home}, {"", "/"}, {"", "/etc"}, {"", "/root"},
		{"", at("box/../secret")}, {"", at("box/out")}, {"", at("box/out/.git")}, {"", at("box/nothing")},
		{"", at("app/vendor/nested")}, {"", at("box/bare.git")}, {"", at("app/.git/..") + "/../secret"},
		{"", at("gone")}, {"", at("taken")}, {"", at("toapp")}, {"", strings.ToUpper(at("app"))},
		{"", "file://" + at("app")}, {"", "file://" + at("secret")}, {"", at("app") + "\x00"}, {"", "unix:/x"}, {"", "app\n"},
	} {
		text := claim(c.below, c.base)
		if !strings.Contains(text, `"isError":true`) {
			t.Errorf("%s, %q was answered: %s", c.below, c.base, text)
		}
	}
	for dir, want := range before {
		if got := output(t, at(dir), "", "git", "status", "--porcelain", "--ignored"); got != want {
			t.Errorf("%s: %s", dir, got)
		}
		if _, err := os.Stat(at(dir + "/.git/agents-locks")); err == nil {
			t.Errorf("%s has a store now", dir)
		}
	}
	// What there is elsewhere on the host does not show in the answer.
	same := func(a, b string) {
		t.Helper()
		one, other := claim("", at(a)), claim("", at(b))
		if strings.ReplaceAll(one, at(a), "") != strings.ReplaceAll(other, at(b), "") {
			t.Errorf("%s and %s are told apart:\n%s\n%s", a, b, one, other)
		}
	}
	same("secret", "nothing")
	same("box/out", "box/nothing")
	same("app/vendor/nested", "app/vendor/nothing")
	same("taken", "nothing")
}

// Who may write to a worktree, and not to the git directory, leads git nowhere
// by its `.git` file.
func TestListenerIsNotLedElsewhere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l, home := newReach(t)
	box := filepath.Join(home, "box")
	good, err := os.ReadFile(filepath.Join(box, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	evil := filepath.Join(box, "evil")
	ran := filepath.Join(home, "ran")
	for name, text := range map[string]string{
		"HEAD": "ref: refs/heads/box\n", "commondir": filepath.Join(home, "app", ".git") + "\n", "gitdir": filepath.Join(box, ".git") + "\n",
		"config": "[core]\n\tfsmonitor = touch " + ran + "\n", "config.worktree": "[core]\n\tfsmonitor = touch " + ran + "\n",
	} {
		if err := os.MkdirAll(evil, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(evil, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for what, text := range map[string]string{
		"a git directory of its own":    "gitdir: " + evil + "\n",
		"another repository":            "gitdir: " + filepath.Join(home, "secret", ".git") + "\n",
		"another repository's worktree": "gitdir: " + filepath.Join(home, "secret", ".git", "worktrees", "secretwork") + "\n",
		"nothing":                       "gitdir: nowhere\n",
		"a text":                        "text\n",
	} {
		if err := os.WriteFile(filepath.Join(box, ".git"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"lock_query", "lock_drift", "lock_forecast"} {
			_, _, answer := l.post(testToken, "", callText(1, name, map[string]any{"base_dir": box}))
			if !strings.Contains(answer, `"isError":true`) || strings.Contains(answer, "secret") {
				t.Errorf("%s, %s: %s", what, name, answer)
			}
		}
		_, _, answer := l.post(testToken, "", callText(1, "lock_create", map[string]any{"base_dir": "app", "title": "x", "scope": []string{"**"}, "agent_id": "b"}))
		if strings.Contains(answer, `"isError":true`) {
			t.Errorf("%s: by its name: %s", what, answer)
		}
	}
	if !strings.Contains(l.log(), "a worktree cannot be used") {
		t.Errorf("who started it is not told: %s", l.log())
	}
	if err := os.WriteFile(filepath.Join(box, ".git"), good, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, answer := l.post(testToken, "", callText(1, "lock_drift", map[string]any{"base_dir": box})); strings.Contains(answer, `"isError":true`) {
		t.Error(answer)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the worktree's was run")
	}
}

// A repository goes by its directory's name, and may move or go away.
func TestListenerAndItsRepositoryComeAndGo(t *testing.T) {
	t.Parallel()
	l := listening(t)
	if runtime.GOOS == "windows" {
		t.Skip("a directory in use stays")
	}
	if err := os.Rename(l.dir, l.dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	if _, _, text := l.post(testToken, "", callText(1, "lock_query", nil)); !strings.Contains(text, "no repository at") {
		t.Error(text)
	}
	if err := os.Rename(l.dir+"-moved", l.dir); err != nil {
		t.Fatal(err)
	}
	if _, _, text := l.post(testToken, "", callText(1, "lock_query", nil)); !strings.Contains(text, `"text":"[]"`) {
		t.Error(text)
	}
}
