package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type waitOptions struct {
	*app
	request store.WaitRequest
}

func newWait(a *app) *cobra.Command {
	o := &waitOptions{app: a}
	cmd := &cobra.Command{
		Use:   "wait <glob>...",
		Short: "wait until nobody holds these files",
		Long: "Wait until no live lock blocks a claim of these files, and take nothing: exit\n" +
			"with 0 when they are free, 2 when the time is up. To be next in line use\n" +
			"claim --wait.",
		Example: "  agent-locks wait 'src/auth/**' --timeout 300 && make deploy",
		Args:    needGlobs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.Scope = args
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	numberFlag(f, &o.request.TimeoutSeconds, "timeout", "wait at most `n` seconds (default: 30)")
	agentFlag(f, &o.request.AgentID)
	parentFlag(f, &o.request.ParentAgentID)
	f.BoolVar(&o.request.Shared, "shared", false, "you only want to read or review: shared locks do not block you")
	return cmd
}

func (o *waitOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	ans, err := o.locks.Wait(o.telling(ctx), o.request)
	if err := answer(o.app, ans, err, printWaited); err != nil {
		return err
	}
	if ans.Result.Status != "free" {
		return answered(exitAnswer)
	}
	return nil
}

// telling makes a wait say on stderr what it waits for, and again when that is
// something else. Scripts that ask for JSON are told by the answer.
func (a *app) telling(ctx context.Context) context.Context {
	if a.json {
		return ctx
	}
	var said string
	return store.WithWaiting(ctx, store.Waiting{Tell: func(p store.Progress) {
		if p.Message == said {
			return
		}
		said = p.Message
		fmt.Fprintf(a.Stderr, "agent-locks: waiting up to %s: %s\n", p.Limit.Round(100*time.Millisecond), plainLines(asTyped(said)))
	}})
}

func printWaited(w io.Writer, r store.Waited) {
	if r.Status == "free" {
		fmt.Fprintf(w, "free after %s\n", store.Age(r.WaitedSeconds))
	} else {
		fmt.Fprintf(w, "not free after %s\n", store.Age(r.WaitedSeconds))
	}
	printOverlaps(w, r.Overlaps)
	printRecent(w, r.Recent)
}
