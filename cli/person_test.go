package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

// How to pass the guard by is told to people, who see it on a terminal, and to
// no agent.
func TestOnlyAPersonIsToldHowToBypass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		terminal bool
		env      string
		told     bool
	}{
		"a person":                 {true, "TERM=xterm", true},
		"a pipe":                   {false, "TERM=xterm", false},
		"an agent with an id":      {true, "AGENT_LOCKS_AGENT_ID=me", false},
		"an agent in a terminal":   {true, "CLAUDECODE=1", false},
		"a session's variable":     {true, "CODEX_THREAD_ID=x", false},
		"a variable that is empty": {true, "CLAUDECODE=", true},
		"another variable":         {true, "MY_AGENT=x", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &app{World: World{StderrIsTerminal: c.terminal, Environ: func() []string { return []string{c.env} }}}
			var out strings.Builder
			g := store.Guarded{Verdict: store.GuardBlocked, Blocked: []store.Hold{{Files: []string{"a"}}}}
			render.Guarded(io.Discard, &out, g, false, a.person())
			if told := strings.Contains(out.String(), "AGENT_LOCKS_BYPASS=1 git commit\n"); told != c.told || strings.Contains(out.String(), "the person you work for") == told {
				t.Errorf("told %v, want %v:\n%s", told, c.told, out.String())
			}
			err := a.orBypass(&store.Error{Code: store.GitFailed, Message: "no", Hint: "fix that"})
			e, ok := err.(*store.Error)
			if !ok || strings.Contains(e.Hint, "AGENT_LOCKS_BYPASS=1") != c.told || !strings.HasPrefix(e.Hint, "fix that") {
				t.Errorf("hint of a failure: %v", err)
			}
		})
	}
}
