//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// program is this test binary under the name agent-locks: see TestMain.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = append([]string{"agent-locks"}, args...)
	cmd.Dir = t.TempDir()
	return cmd
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// startInterruptible starts a program that signals reach. It would inherit that
// these tests ignore one, as they do under nohup or in a script's background;
// what is caught here, a new program does not inherit.
func startInterruptible(t *testing.T, cmd *exec.Cmd, signals ...os.Signal) {
	t.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, signals...)
	defer signal.Stop(caught)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// For a server a signal is a normal end.
func TestServerEndsOnSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd := program(t)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			startInterruptible(t, cmd, sig)
			if _, err := stdin.Write([]byte(initialize + "\n")); err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
				t.Fatalf("no answer to initialize: %v", err)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the server ended with %v, want exit code 0", err)
			}
		})
	}
}

// A client that reads no more ends the server at the first answer, though its
// own end is open still: not by SIGPIPE, which would leave no word of it.
func TestServerEndsWhereNobodyReads(t *testing.T) {
	t.Parallel()
	cmd := program(t)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := stdout.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write([]byte(initialize + "\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(answers).ReadString('\n'); err != nil {
		t.Fatalf("no answer to initialize: %v", err)
	}
	syscall.ForkLock.RLock() // no program that is just being started has it open
	err = answers.Close()
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write([]byte(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(stderr.String(), "broken pipe") {
		t.Errorf("the server ended with %v, stderr %q; want exit code 1", err, stderr.String())
	}
}

// An interrupted demo exits with 130 and leaves nothing behind.
func TestInterruptedDemoCleansUp(t *testing.T) {
	t.Parallel()
	bin, tmp, ready := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "ready")
	// A git that hangs, so that the signal comes while the demo is at work.
	script := "#!/bin/sh\n: > '" + ready + "'\nexec sleep 60\n"
	if err := executable(filepath.Join(bin, "git"), script); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "demo")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	startInterruptible(t, cmd, os.Interrupt)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(ready); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) || time.Now().After(deadline) {
			t.Fatalf("the demo never ran git: %v", err)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("the demo ended with %v, stderr %q; want exit code 130", err, stderr.String())
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// A forecast that is interrupted while git merges leaves nothing behind.
func TestInterruptedForecastCleansUp(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bin, tmp, ready := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "ready")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ncase \"$*\" in *merge-tree*) : > '" + ready + "'; exec sleep 60;; esac\nexec '" + git + "' \"$@\"\n"
	if err := executable(filepath.Join(bin, "git"), script); err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := program(t, "forecast")
		cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		setUp := exec.Command("sh", "-ec", "git init -q . && git -c user.name=t -c user.email=t@example.invalid commit -q --allow-empty -m 1 && git worktree add -q ./w && : > f")
		if setUp.Dir = cmd.Dir; setUp.Run() != nil {
			t.Fatal("no repository")
		}
		startInterruptible(t, cmd, sig)
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			if os.Remove(ready) == nil {
				break
			} else if time.Now().After(deadline) {
				t.Fatal("git was never asked to merge")
			}
		}
		if during, err := os.ReadDir(tmp); err != nil || len(during) != 1 {
			t.Errorf("meanwhile: %v (%v)", during, err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("%v: it ended with %v; want exit code 130", sig, err)
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("%v left behind: %v (%v)", sig, left, err)
		}
	}
}

// coreutils' timeout signals its child, and then the child's group: a signal that
// comes twice at once does not keep a forecast from cleaning up.
func TestForecastThatIsSignalledTwiceCleansUp(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	tmp := t.TempDir()
	cmd := program(t, "forecast")
	cmd.Env = append(skillEnv(), "TMPDIR="+tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	setUp := exec.Command("sh", "-ec", "git init -q . && git commit -q --allow-empty -m 1 && git worktree add -q ./w && "+
		"mkfifo .gitattributes && for i in $(seq 200); do echo $i > $i; done")
	setUp.Dir, setUp.Env = cmd.Dir, skillEnv()
	if out, err := setUp.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	startInterruptible(t, cmd, syscall.SIGTERM)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if indices, err := filepath.Glob(filepath.Join(tmp, "*", "index*")); err == nil && len(indices) >= 2 {
			break
		} else if time.Now().After(deadline) {
			t.Fatal("no worktree was ever looked at")
		}
	}
	time.Sleep(100 * time.Millisecond) // until git reads the attributes, and hangs
	for _, id := range []int{cmd.Process.Pid, -cmd.Process.Pid} {
		if err := syscall.Kill(id, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond) // two that come before the first is taken are one
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("it ended with %v; want exit code 130", err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// Whatever lies in the git directory, the guard either says that it cannot read
// it or waits for git, and then ends on a signal.
func TestGuardIsNotHeldUpByFifos(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for file, ends := range map[string]bool{"MERGE_HEAD": true, "SQUASH_MSG": true, "worktrees/w/gitdir": true, "config": false, "HEAD": false, "index": false} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			git := func(args ...string) {
				t.Helper()
				cmd := exec.Command("git", args...)
				cmd.Dir, cmd.Env = dir, skillEnv()
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %q: %v\n%s", args, err, out)
				}
			}
			git("init", "-q", "-b", "main")
			git("commit", "-q", "--allow-empty", "-m", "first")
			path := filepath.Join(dir, ".git", file)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := program(t, "guard", "check")
			cmd.Dir, cmd.Env = dir, append(skillEnv(), "GORACE=atexit_sleep_ms=0")
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			startInterruptible(t, cmd, syscall.SIGTERM)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			hangs := 3 * time.Second // longer than it takes to come to where it hangs
			switch {
			case ends:
				hangs = time.Minute
			case testing.Short():
				hangs = time.Second / 2
			}
			select {
			case <-ended:
			case <-time.After(hangs):
				if ends {
					t.Errorf("it did not end by itself")
				}
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				select {
				case <-ended:
				case <-time.After(time.Minute):
					t.Fatal("it did not end on SIGTERM")
				}
			}
			if code := cmd.ProcessState.ExitCode(); file == "MERGE_HEAD" && (code != 1 || !strings.Contains(said.String(), "not a regular file")) {
				t.Errorf("exit code %d: %s", code, said.String())
			}
		})
	}
}

// What hangs in spite of a first signal, as in writing what nobody reads, ends
// with a later one.
func TestALaterSignalEndsTheProgram(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	nobody, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	defer out.Close()
	if err := out.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := out.Write(make([]byte, 1<<20)); n == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%d bytes do not fill it: %v", n, err)
	}
	for wait := 100 * time.Millisecond; wait < 2*time.Minute; wait *= 2 { // until it has begun to write
		cmd := program(t, "completion", "bash")
		cmd.Env, cmd.Stdout = skillEnv(), out
		startInterruptible(t, cmd, syscall.SIGTERM)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		send := func() (runs bool) {
			err := cmd.Process.Signal(syscall.SIGTERM)
			if err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			return err == nil
		}
		endsWithin := func(d time.Duration) bool {
			select {
			case <-ended:
				return true
			case <-time.After(d):
				return false
			}
		}
		time.Sleep(wait)
		send()
		if endsWithin(time.Second) || !send() {
			continue // the first one has ended it: it was not writing yet
		}
		if !endsWithin(time.Minute) {
			t.Error("a later signal does not end it")
			cmd.Process.Kill()
		}
		return
	}
	t.Error("it never hangs in writing")
}
