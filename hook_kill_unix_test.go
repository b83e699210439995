//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// Hooks that are killed between any two steps leave a store that works, and
// sessions that are known whole or not at all.
func TestKilledSessionHooks(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	dir := repository(t)
	agentLocks(t, dir, "claim", "--title", "Mine", "--scope", "src/**", "--agent", "them")
	event := func(id int, what string) string {
		return fmt.Sprintf(`{"session_id":"11111111-1111-4111-8111-1111%08x","agent_id":"sub-%d","cwd":%q,"source":"clear","reason":"clear"%s}`, id, id, dir, what)
	}
	rounds := 60
	took := time.Duration(0)
	for i := range rounds {
		for _, name := range []string{"session-start", "subagent-start", "session-end"} {
			cmd := exec.Command("agent-locks", "hook", "claude", name)
			cmd.Dir, cmd.Env, cmd.Stdin = dir, skillEnv(), strings.NewReader(event(i, ""))
			begun := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				kill := time.AfterFunc(rand.N(took), func() { cmd.Process.Kill() })
				_ = cmd.Wait() // killed, or in time
				kill.Stop()
				continue
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			took = max(took, time.Since(begun))
		}
	}
	said := output(t, dir, event(rounds, ""), "agent-locks", "hook", "claude", "session-start")
	if !strings.Contains(said, "You are ") || !strings.Contains(said, "Made from this very worktree") {
		t.Errorf("%s", said)
	}
	edit := event(rounds, fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(dir, "src", "a")))
	if said := output(t, dir, edit, "agent-locks", "hook", "claude", "pre-tool-use"); !strings.Contains(said, `"deny"`) {
		t.Errorf("%s", said)
	}
	if said := agentLocks(t, dir, "doctor"); !strings.Contains(said, "0 problems") {
		t.Errorf("%s", said)
	}
}
