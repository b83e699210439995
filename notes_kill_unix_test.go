//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// fill makes a pipe take nothing more: a write to it waits.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	fd := int(w.Fd()) // which makes writes wait; here they must not
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for size := 1 << 16; size > 0; size /= 2 {
		for {
			if _, err := syscall.Write(fd, make([]byte, size)); errors.Is(err, syscall.EAGAIN) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := syscall.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
}

// A process that is killed once it has done its work, and before its answer is
// out, has told nobody of the notes: the holder's next answer has them, on
// either face.
func TestNotesSurviveAKilledAnswer(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct {
		args  []string
		stdin string
		did   string // in the lock file
	}{
		"command": {[]string{"update", "ID", "--note", "mine", "--agent", "a"}, "", "- mine\n"},
		"server": {[]string{"serve"}, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lock_update",` +
			`"arguments":{"lock_id":"ID","note":"mine","agent_id":"a"}}}`, "- mine\n"},
		"hook": {[]string{"hook", "claude", "post-tool-use"}, `{"session_id":"s","cwd":"DIR","tool_name":"Edit",` +
			`"tool_input":{"file_path":"DIR/other"}}`, "- Edited outside the claim: other\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			id := strings.TrimSpace(strings.TrimPrefix(strings.Split(agentLocks(t, dir, "claim", "--title", "Work", "--scope", "src", "--agent", "a"), "\n")[0], "claimed "))
			agentLocks(t, dir, "update", id, "--note", "leave a.go", "--agent", "b")
			said, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer said.Close()
			defer out.Close()
			meant := strings.NewReplacer("ID", id, "DIR", dir)
			args := make([]string, len(c.args))
			for i, arg := range c.args {
				args[i] = meant.Replace(arg)
			}
			cmd := exec.Command("agent-locks", args...)
			cmd.Dir, cmd.Env, cmd.Stdout = dir, append(skillEnv(), "AGENT_LOCKS_AGENT_ID=a"), out
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if name != "server" {
				fill(t, out)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if name == "server" { // whose handshake comes first
				fmt.Fprintln(in, initialize)
				if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
					t.Fatal(err)
				}
				fill(t, out)
			}
			fmt.Fprintln(in, meant.Replace(c.stdin))
			file := filepath.Join(dir, ".git", "agents-locks", id+".md")
			for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
				if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), c.did) {
					break
				}
				if time.Now().After(end) {
					t.Fatal("it did nothing")
				}
			}
			time.Sleep(20 * time.Millisecond) // it waits for somebody to read
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // killed
			heartbeat := []string{"heartbeat", id, "--agent", "a", "--json"}
			if said := agentLocks(t, dir, heartbeat...); !strings.Contains(said, `"newNotes":[{"from":"b","text":"leave a.go"}]`) {
				t.Errorf("after the kill the holder hears %s", said)
			}
			if said := agentLocks(t, dir, heartbeat...); strings.Contains(said, "newNotes") {
				t.Errorf("then it hears %s", said)
			}
		})
	}
}
