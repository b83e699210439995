package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
)

// The scripts run this test binary under the name agent-locks, which is then
// the real program: real processes, real git, real files.
func TestMain(m *testing.M) {
	testscript.Main(gittest.InMemory{Tests: m}, programs)
}

// programs are what tests start of this binary, by name.
var programs = map[string]func(){"agent-locks": main, "tools": tools}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else each process of a race run sleeps for a second
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			for _, who := range []string{"GIT_AUTHOR", "GIT_COMMITTER"} {
				env.Setenv(who+"_NAME", "t")
				env.Setenv(who+"_EMAIL", "t@example.invalid")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo":       cmdRepo,
			"claim":      cmdClaim,
			"code":       cmdCode,
			"json":       cmdJSON,
			"idle":       cmdIdle,
			"bytes":      cmdBytes,
			"queued":     cmdQueued,
			"crlf":       cmdCRLF,
			"executable": cmdExecutable,
		},
	})
}

// Under -short many scripts are skipped: this one still starts each command.
func TestHouseScriptStartsEveryCommand(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/script/every-command.txtar")
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.Command("agent-locks", "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^  ([a-z]+)  `).FindAllStringSubmatch(string(help), -1)
	if len(commands) < 20 {
		t.Fatalf("help lists %q", commands)
	}
	for _, c := range commands {
		if !regexp.MustCompile(`(?m)^(exec agent-locks|code \d) ` + c[1] + `\b`).Match(script) {
			t.Errorf("it does not start %q", c[1])
		}
	}
}

// repo dir [worktree...] makes a repository with one commit, and linked
// worktrees of it, each on a branch of its own name.
func cmdRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: repo dir [worktree...]")
	}
	git := func(args ...string) { ts.Check(ts.Exec("git", args...)) }
	ts.Check(plain.Copy(ts.MkAbs(args[0]), initialized))
	for _, w := range args[1:] {
		git("-C", args[0], "worktree", "add", "-q", "-b", filepath.Base(w), ts.MkAbs(w))
	}
}

// claim VAR args... claims with these arguments and puts the id into $VAR.
func cmdClaim(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: claim VAR args...")
	}
	ts.Check(ts.Exec("agent-locks", append([]string{"claim", "--json"}, args[1:]...)...))
	var created struct{ ID string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &created))
	ts.Setenv(args[0], created.ID)
}

// code N args... runs agent-locks with these arguments and wants exit code N.
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec("agent-locks", args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("agent-locks %q: exit code %d, want %d", args[1:], got, want)
	}
}

// json stdout|stderr path want: the value at path (keys, indices, # for a
// list's length; separated by dots) in the stream's last line is want: the
// text itself for a string, else its JSON.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] json stdout|stderr path want")
	}
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	var v any
	ts.Check(json.Unmarshal([]byte(lines[len(lines)-1]), &v))
	for _, key := range strings.Split(args[1], ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			if key == "#" {
				v = len(at)
				continue
			}
			i, err := strconv.Atoi(key)
			ts.Check(err)
			if i >= len(at) {
				ts.Fatalf("no element %d in %s", i, lines[len(lines)-1])
			}
			v = at[i]
		default:
			ts.Fatalf("no %q in %s", key, lines[len(lines)-1])
		}
	}
	got, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		ts.Check(err)
		got = string(b)
	}
	if (got == args[2]) == neg {
		ts.Fatalf("%s is %q; want %q: %v", args[1], got, args[2], !neg)
	}
}

// idle [-30s] file... makes lock files look as if their holders had been silent
// for that long, else for years.
func cmdIdle(ts *testscript.TestScript, neg bool, args []string) {
	since := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		age, err := time.ParseDuration(args[0])
		ts.Check(err)
		since, args = time.Now().Add(age), args[1:]
	}
	updated := regexp.MustCompile(`(?m)^updated: \S+`)
	for _, file := range args {
		text := ts.ReadFile(file)
		old := updated.ReplaceAllString(text, "updated: "+lockfile.FormatStamp(since))
		if neg || old == text {
			ts.Fatalf("no stamp to change in %s", file)
		}
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(old), 0o666))
	}
}

// bytes file old new replaces text in a file; old and new are Go strings
// without their quotes.
func cmdBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: bytes file old new")
	}
	unquote := func(s string) string {
		u, err := strconv.Unquote(`"` + s + `"`)
		ts.Check(err)
		return u
	}
	text := ts.ReadFile(args[0])
	changed := strings.Replace(text, unquote(args[1]), unquote(args[2]), 1)
	if changed == text {
		ts.Fatalf("no %q in %s", args[1], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(changed), 0o666))
}

// queued dir N returns when N tickets are in the queue.
func cmdQueued(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: queued dir N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	var tickets []string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		tickets, err = filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.json"))
		ts.Check(err)
		if len(tickets) == want {
			return
		}
	}
	ts.Fatalf("queued are %q, want %d", tickets, want)
}

// executable writes a file that is to be run. No parallel test may start a
// process meanwhile: it would inherit the open file, and the system runs no
// file that is open for writing.
func executable(path, text string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		return err
	}
	return os.Chmod(path, 0o777)
}

// executable from to copies a script to where it will be run.
func cmdExecutable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: executable from to")
	}
	ts.Check(executable(ts.MkAbs(args[1]), ts.ReadFile(args[0])))
}

// crlf file... gives files the line ends of Windows.
func cmdCRLF(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: crlf file...")
	}
	for _, file := range args {
		text := strings.ReplaceAll(ts.ReadFile(file), "\n", "\r\n")
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o666))
	}
}
