//go:build unix

package main

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// As in agent-locks status --watch | head -1: it ends when nobody reads it any
// more, though nothing changes. Elsewhere the next write alone notices.
func TestWatchEndsWithItsReader(t *testing.T) {
	t.Parallel()
	cmd := program(t, "status", "--watch")
	cmd.Env = skillEnv()
	setUp := exec.Command("git", "init", "-q")
	setUp.Dir, setUp.Env = cmd.Dir, cmd.Env
	if out, err := setUp.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "locks in ") {
		t.Fatalf("it began with %q, %v", line, err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v, want exit code 0", err)
		}
	case <-time.After(time.Minute): // it looks once a second
		t.Error("it is still watching, a minute after its reader has gone")
	}
}
