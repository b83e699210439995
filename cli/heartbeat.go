package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type heartbeatOptions struct {
	*app
	request store.HeartbeatRequest
}

func newHeartbeat(a *app) *cobra.Command {
	o := &heartbeatOptions{app: a}
	cmd := &cobra.Command{
		Use:               "heartbeat <id>",
		Short:             "say that you are still at work",
		Long:              "Give a sign of life, so that the lock does not count as stale.",
		Example:           "  agent-locks heartbeat fix-login",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.Ref = lockID(args[0])
			return o.run(cmd.Context())
		},
	}
	agentFlag(cmd.Flags(), &o.request.AgentID)
	return cmd
}

func (o *heartbeatOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	ans, err := o.locks.Heartbeat(ctx, o.request)
	return answer(o.app, ans, err, printHeartbeat)
}

func printHeartbeat(w io.Writer, h store.Heartbeat) {
	fmt.Fprintf(w, "alive %s at %s\n", plain(h.ID), plain(h.Updated))
	printWaiting(w, h.Waiting)
}
