package cli

import (
	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newShow(a *app) *cobra.Command {
	var request store.ShowRequest
	cmd := &cobra.Command{
		Use:               "show <id>",
		Short:             "show one lock with its tasks and notes",
		Long:              "Show everything in a lock, active or archived.",
		Example:           "  agent-locks show fix-login",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "all"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Target, request.Ref = a.target(), lockID(args[0])
			ans, err := a.locks.Show(cmd.Context(), request)
			return answer(a, ans, err, render.Show)
		},
	}
	staleFlag(cmd.Flags(), &request.StaleMinutes)
	return cmd
}
