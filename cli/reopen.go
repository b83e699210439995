package cli

import (
	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newReopen(a *app) *cobra.Command {
	var request store.ReopenRequest
	cmd := &cobra.Command{
		Use:               "reopen <id>",
		Short:             "make an ended lock active again",
		Long:              "Make a finished or reaped lock active again, with its tasks and notes.",
		Example:           "  agent-locks reopen fix-login --reason \"the fix was incomplete\"",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "done"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Target, request.Ref = a.target(), lockID(args[0])
			ans, err := a.locks.Reopen(cmd.Context(), request)
			return answer(a, ans, err, render.Reopened)
		},
	}
	f := cmd.Flags()
	shortTextFlag(f, &request.Reason, "reason", "m", "why, `text` for the notes (not needed after a reap)")
	f.BoolVar(&request.IfFree, "if-free", false,
		"reopen only if no live lock blocks it; else exit with 2 and say who holds what")
	agentFlag(f, &request.AgentID)
	forceFlag(f, &request.Force)
	return cmd
}
