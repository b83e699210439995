package cli

import (
	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newHeartbeat(a *app) *cobra.Command {
	var request store.HeartbeatRequest
	cmd := &cobra.Command{
		Use:               "heartbeat <id>",
		Short:             "say that you are still at work",
		Long:              "Refresh the heartbeat, so that the lock does not become stale.",
		Example:           "  agent-locks heartbeat fix-login",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Target, request.Ref = a.target(), lockID(args[0])
			ans, err := a.locks.Heartbeat(cmd.Context(), request)
			return answer(a, ans, err, render.Alive)
		},
	}
	agentFlag(cmd.Flags(), &request.AgentID)
	return cmd
}
