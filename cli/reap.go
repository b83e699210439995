package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newReap(a *app) *cobra.Command {
	var request store.ReapRequest
	cmd := &cobra.Command{
		Use:   "reap [id]",
		Short: "archive stale locks",
		Long: "Archive the given stale lock, or all stale ones, with a note that records it.\n" +
			"Locks shared by other clones are archived 5 minutes later. With --stale-minutes\n" +
			"below the configured threshold, it reaches only your own locks.",
		Example:           "  agent-locks reap --dry-run",
		Args:              atMostOneID,
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Target = a.target()
			request.LockID = optionalID(args)
			ans, err := a.locks.Reap(cmd.Context(), request)
			text := func(w io.Writer, reaped []store.Reaped) { render.Reaped(w, reaped, request.DryRun) }
			if err == nil && !request.DryRun && len(ans.Result) > 0 {
				a.warn(ans.Warnings)
				return answerWith(a, outcomeOfReap(ans.Result), ans.Result, text)
			}
			return answer(a, ans, err, text)
		},
	}
	f := cmd.Flags()
	staleFlag(f, &request.StaleMinutes)
	f.BoolVar(&request.DryRun, "dry-run", false, "only show what would be archived")
	agentFlag(f, &request.AgentID)
	f.BoolVar(&request.Force, "force", false, "let a short --stale-minutes reach other agents' locks")
	return cmd
}
