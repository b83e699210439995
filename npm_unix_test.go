//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// serving starts the server by npm's script and waits for its first answer.
func serving(t *testing.T, sig os.Signal, env ...string) (script *exec.Cmd, program int) {
	t.Helper()
	cmd := newNpmPackage(t).command(false)
	cmd.Env = append(cmd.Env, env...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startInterruptible(t, cmd, sig)
	if _, err := stdin.Write([]byte(initializeOnce)); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("no answer to initialize: %v", err)
	}
	stuck := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { stuck.Stop() })
	// A Node that can replace itself has become the program.
	children, err := exec.Command("pgrep", "-P", strconv.Itoa(cmd.Process.Pid)).Output()
	if _, isExit := errors.AsType[*exec.ExitError](err); err != nil && !isExit {
		t.Skip(err)
	}
	program = cmd.Process.Pid
	if child := strings.TrimSpace(string(children)); child != "" {
		if program, err = strconv.Atoi(child); err != nil {
			t.Fatal(err)
		}
	}
	return cmd, program
}

func TestNpmScriptPassesSignalsOn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd, program := serving(t, sig)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v, and the server ends a signal with exit code 0", err)
			}
			if err := syscall.Kill(program, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the program is still there (%v)", err)
			}
		})
	}
}

// The program may answer before the script goes on.
func TestNpmScriptPassesSignalsOnFromTheStart(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	slow := filepath.Join(t.TempDir(), "slow.js")
	if err := os.WriteFile(slow, []byte(`const p = require('child_process'), { spawn } = p;
p.spawn = (...args) => {
  const child = spawn(...args);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  return child;
};
`), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd, program := serving(t, syscall.SIGHUP, "NODE_OPTIONS=--require="+slow)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v, and the server ends a signal with exit code 0", err)
	}
	if err := syscall.Kill(program, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the program is still there (%v)", err)
	}
}

func TestNpmScriptEndsAsTheProgramDid(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGABRT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd, program := serving(t, syscall.SIGTERM)
			if err := syscall.Kill(program, sig); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok || exit.Sys().(syscall.WaitStatus).Signal() != sig && exit.ExitCode() != 2 { // Go's own end by SIGABRT
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// A signal to the whole process group reaches the program twice: from its sender,
// and passed on by the script. That is not a person's second ctrl-C.
func TestNpmScriptOfAGroupThatIsInterrupted(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	p := newNpmPackage(t)
	if out, err := p.command(true, "claim", "src/", "-t", "held", "--agent", "you").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for range 8 {
		cmd := p.command(false, "claim", "src/", "-t", "mine", "--wait", "60", "--agent", "me")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		startInterruptible(t, cmd, syscall.SIGINT)
		for deadline := time.Now().Add(time.Minute); !queued(t, p.dir); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the program does not wait")
			}
		}
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
			t.Errorf("it ended with %v", cmd.ProcessState)
		}
	}
}

func queued(t *testing.T, repository string) bool {
	t.Helper()
	tickets, err := filepath.Glob(filepath.Join(repository, ".git", "agents-locks", "waiting", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(tickets) > 0
}

func TestNpmScriptLeavesNoProgramBehind(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	cmd, program := serving(t, syscall.SIGQUIT)
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := syscall.Kill(program, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the program is still there (%v)", err)
	}
}
