//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A held is agent-locks run with a shell's script as its command, under way in a
// repository of its own.
type held struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string
	stdout bytes.Buffer
	stderr bytes.Buffer
}

// runHeld starts it, and waits until the script has made the file "ready".
func runHeld(t *testing.T, script string, env ...string) *held {
	t.Helper()
	h := &held{t: t, dir: repository(t)}
	h.cmd = program(t, "run", "-t", "Held", "src/**", "--", "sh", "-c", script)
	h.cmd.Dir, h.cmd.Env = h.dir, append(append(skillEnv(), "GORACE=atexit_sleep_ms=0", "AGENT_LOCKS_AGENT_ID=me"), env...)
	h.cmd.Stdout, h.cmd.Stderr = &h.stdout, &h.stderr
	h.cmd.WaitDelay = 10 * time.Second
	startInterruptible(t, h.cmd, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	h.await("ready")
	return h
}

func (h *held) await(name string) {
	h.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(h.dir, name)); err == nil {
			return
		}
	}
	h.t.Fatalf("no %s; stderr %q", name, h.stderr.String())
}

func (h *held) touch(name string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), nil, 0o666); err != nil {
		h.t.Fatal(err)
	}
}

// wait is the exit code.
func (h *held) wait() int {
	h.t.Helper()
	err := h.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return 0
}

// locks runs agent-locks in the repository, and returns what it printed.
func (h *held) locks(args ...string) string {
	h.t.Helper()
	cmd := program(h.t, args...)
	cmd.Dir, cmd.Env = h.dir, h.cmd.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("agent-locks %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (h *held) wantDone(note string) {
	h.t.Helper()
	if got := h.locks("list", "--json"); got != "[]\n" {
		h.t.Errorf("still active: %s", got)
	}
	if got := h.locks("log"); !strings.Contains(got, note) {
		h.t.Errorf("the log does not say %q:\n%s", note, got)
	}
}

// untilGo is a script's wait for the file "go".
const untilGo = "while [ ! -e go ]; do sleep 0.02; done; "

func TestRunForwardsWhatIsSentToItAlone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for sig, name := range map[syscall.Signal]string{syscall.SIGTERM: "TERM", syscall.SIGHUP: "HUP"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := runHeld(t, "trap 'echo caught; exit 7' "+name+"; : >ready; "+untilGo)
			if err := h.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := h.wait(); code != 7 || h.stdout.String() != "caught\n" || h.stderr.String() != "" {
				t.Errorf("exit code %d, stdout %q, stderr %q", code, h.stdout.String(), h.stderr.String())
			}
			h.wantDone(`"sh" ended with exit status 7`)
		})
	}
}

// One that does not catch it ends by it, and so does the exit code say.
func TestRunSaysWhichSignalEndedIt(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	h := runHeld(t, ": >ready; exec sleep 60")
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := h.wait(); code != 128+15 {
		t.Errorf("exit code %d, stderr %q", code, h.stderr.String())
	}
	h.wantDone(`"sh" was ended by signal 15 (terminated)`)
}

// INT comes from the terminal, which has sent it to the command as well: sent to
// us alone, or to a command that keeps running, it ends nothing.
func TestRunLeavesInterruptsToItsCommand(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	h := runHeld(t, "trap 'echo caught' INT; : >ready; "+untilGo+"exit 5")
	for range 2 {
		if err := h.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond)
	if got := h.locks("list", "--json"); !strings.Contains(got, `"title":"Held"`) {
		t.Errorf("the lock is not held any more: %s", got)
	}
	h.touch("go")
	if code := h.wait(); code != 5 || h.stdout.String() != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, h.stdout.String(), h.stderr.String())
	}
}

// The claim is refreshed while the command runs; after a kill -9 of ours it stands,
// and nobody refreshes it.
func TestRunKeepsItsClaimAlive(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	h := runHeld(t, ": >ready; "+untilGo, "AGENT_LOCKS_STALE_MINUTES=0.05")
	updated := func() string {
		t.Helper()
		found := regexp.MustCompile(`"updated":"([^"]+)"`).FindStringSubmatch(h.locks("list", "--json"))
		if found == nil {
			t.Fatal("the claim is gone")
		}
		return found[1]
	}
	first := updated()
	for deadline := time.Now().Add(time.Minute); updated() == first; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the claim is never refreshed")
		}
	}
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	h.touch("go") // for the command, which nobody has ended and which holds our output open
	_ = h.cmd.Wait()
	last := updated()
	time.Sleep(1500 * time.Millisecond) // more than one heartbeat
	if got := updated(); got != last {
		t.Errorf("the claim of a killed run was refreshed at %s, after %s", got, last)
	}
}

// A claim that was reaped while we were stopped is not ours any more.
func TestRunSaysThatItsClaimWasReaped(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	h := runHeld(t, ": >ready; "+untilGo+"exit 3", "AGENT_LOCKS_STALE_MINUTES=0.02")
	if err := h.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	reaped := ""
	for deadline := time.Now().Add(time.Minute); !strings.Contains(reaped, `"title":"Held"`) && time.Now().Before(deadline); {
		reaped = h.locks("reap", "--stale-minutes", "1s", "--force", "--agent", "you", "--json") // stamps count seconds
	}
	if err := h.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(reaped, `"title":"Held"`) {
		t.Fatalf("nothing was reaped: %s", reaped)
	}
	h.touch("go")
	code := h.wait()
	if want := "ended before the command: lock "; code != 3 || !strings.Contains(h.stderr.String(), want) ||
		!strings.Contains(h.stderr.String(), "was reaped for inactivity") {
		t.Errorf("exit code %d, stderr %q", code, h.stderr.String())
	}
}

// What others note is shown by the heartbeats already: it may be about what the
// command does at this moment.
func TestRunShowsNotesWhileItsCommandRuns(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	h := runHeld(t, ": >ready; "+untilGo, "AGENT_LOCKS_STALE_MINUTES=0.05")
	h.locks("tell", "held", "please stop", "--agent", "you")
	for deadline := time.Now().Add(time.Minute); strings.Contains(h.locks("show", "held", "--json"), "newNotes"); {
		if time.Now().After(deadline) {
			t.Fatal("the note is never shown")
		}
		time.Sleep(50 * time.Millisecond)
	}
	h.touch("go")
	if code := h.wait(); code != 0 || h.stderr.String() != "agent-locks: new note: you: please stop\n" {
		t.Errorf("exit code %d, stderr %q", code, h.stderr.String())
	}
}
