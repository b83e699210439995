package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newWait(a *app) *cobra.Command {
	var request store.WaitRequest
	var scope []string
	cmd := &cobra.Command{
		Use:   "wait <glob>...",
		Short: "wait until nobody holds these files",
		Long: "Wait until no live lock blocks a claim of these files, without claiming them.\n" +
			"Exit with 0 when they are free, 2 when the time is up, or 1 if other clones\n" +
			"share their locks and could not be asked by then. To be next in line, use claim\n" +
			"--wait.",
		Example: "  agent-locks wait 'src/auth/**' --timeout 300 && make deploy",
		Args:    needGlobs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.refuseIdleWords(cmd.Context(), args, laterPath); err != nil {
				return err
			}
			request.Target, request.Scope = a.target(), append(scope, args...)
			ans, err := a.locks.Wait(a.withProgress(cmd.Context()), request)
			if err := answer(a, ans, err, render.Waited); err != nil {
				return err
			}
			if ans.Result.Status != "free" {
				return answered(exitAnswer)
			}
			return nil
		},
	}
	f := cmd.Flags()
	scopeFlag(f, &scope, "a path or `glob`, as the arguments are (repeatable)")
	secondsFlag(f, &request.TimeoutSeconds, "timeout", "wait at most `n` seconds, or 5m, 1h (default: 30)")
	agentFlag(f, &request.AgentID)
	parentFlag(f, &request.ParentAgentID)
	f.BoolVar(&request.Shared, "shared", false, "you only want to read or review: shared locks do not block you")
	return cmd
}

// withProgress makes a wait print on stderr what it waits for, and again when
// that changes. With --json the answer contains it instead.
func (a *app) withProgress(ctx context.Context) context.Context {
	if a.json {
		return ctx
	}
	var said string
	return store.WithWaiting(ctx, store.Waiting{Report: func(p store.Progress) {
		if p.Message == said || p.Limit <= 0 { // a single check is not a wait
			return
		}
		said = p.Message
		limit := p.Limit.Round(100 * time.Millisecond)
		if limit == 0 {
			limit = p.Limit
		}
		fmt.Fprintf(a.Stderr, "agent-locks: waiting up to %s: %s\n", withoutZeros(limit), render.PlainLines(asTyped(said)))
	}})
}

// withoutZeros formats a duration as people write it: 10m, not 10m0s.
func withoutZeros(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
