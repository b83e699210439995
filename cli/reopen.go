package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type reopenOptions struct {
	*app
	request store.ReopenRequest
}

func newReopen(a *app) *cobra.Command {
	o := &reopenOptions{app: a}
	cmd := &cobra.Command{
		Use:               "reopen <id>",
		Short:             "make a lock that has ended active again",
		Long:              "Make a lock that was finished or reaped active again, with its tasks and notes.",
		Example:           "  agent-locks reopen fix-login --reason \"the fix was incomplete\"",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "done"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.Ref = lockID(args[0])
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	textFlag(f, &o.request.Reason, "reason", "why, `text` for the notes (not needed after a reap)")
	agentFlag(f, &o.request.AgentID)
	forceFlag(f, &o.request.Force)
	return cmd
}

func (o *reopenOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	ans, err := o.locks.Reopen(ctx, o.request)
	return answer(o.app, ans, err, printReopened)
}

func printReopened(w io.Writer, r store.Reopened) {
	fmt.Fprintf(w, "reopened %s\n", plain(r.ID))
	printOverlaps(w, r.Overlaps)
}
