package cli

import (
	"strings"
	"testing"
)

// A client's first message is answered by the bare program as by serve; a
// person on a terminal is told what it waits for.
func TestServe(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	for _, args := range [][]string{{}, {"serve"}} {
		for _, terminal := range []bool{false, true} {
			pipes := 0
			got := try(t, &fake{}, args, func(w *World) {
				w.Stdin, w.StdinIsTerminal = strings.NewReader(ping), terminal
				w.IgnoreBrokenPipe = func() { pipes++ }
			})
			if got.code != 0 || !strings.Contains(got.stdout, `"id":1`) {
				t.Errorf("%q: exit code %d, stdout %q", args, got.code, got.stdout)
			}
			if told := strings.Contains(got.stderr, "agent-locks: locks for AI agents that share a git repository; this is its MCP server, waiting for a client") && strings.Contains(got.stderr, "--help"); told != terminal {
				t.Errorf("%q, terminal %v: stderr %q", args, terminal, got.stderr)
			}
			if pipes != 1 {
				t.Errorf("%q: IgnoreBrokenPipe called %d times", args, pipes)
			}
		}
	}
}
