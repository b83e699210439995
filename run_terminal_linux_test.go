package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A printed is what has been printed on a terminal so far.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *printed) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *printed) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// openTerminal opens a new one: its keyboard and screen, and what programs see of it.
func openTerminal(t *testing.T) (keys, tty *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { keys.Close() })
	if err := unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return keys, tty
}

// A command may read the terminal, and Ctrl-C is for it.
func TestRunAtATerminal(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	keys, tty := openTerminal(t)
	cmd := program(t, "run", "-t", "Held", "src/**", "--", "sh", "-c",
		`test -t 0 && test -t 1 && read answer && echo "got $answer" && : >ready && exec sleep 60`)
	cmd.Dir, cmd.Env = dir, append(skillEnv(), "GORACE=atexit_sleep_ms=0")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	startInterruptible(t, cmd, os.Interrupt)
	tty.Close()
	var seen printed
	go func() {
		b := make([]byte, 1024)
		for {
			n, err := keys.Read(b)
			if err != nil {
				return // the last program at the terminal has ended
			}
			_, _ = seen.Write(b[:n])
		}
	}()
	if _, err := keys.WriteString("an answer\n"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the command has not read: %q", seen.String())
		}
	}
	if _, err := keys.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its exit code says how
	if code := cmd.ProcessState.ExitCode(); code != 128+2 || !strings.Contains(seen.String(), "got an answer") {
		t.Errorf("exit code %d, screen %q", code, seen.String())
	}
	if log := agentLocks(t, dir, "log"); !strings.Contains(log, `"sh" was ended by signal 2 (interrupt)`) {
		t.Errorf("the log is %s", log)
	}
}
