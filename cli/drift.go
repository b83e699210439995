package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

func newDrift(a *app) *cobra.Command {
	var request store.DriftRequest
	cmd := &cobra.Command{
		Use:   "drift [id]|[glob]...",
		Short: "see what changed here outside a claim",
		Long: "Compare the files that changed in this worktree since a claim, committed or not,\n" +
			"with its scope. Files that it may not cover, as with !(...), count as outside.\n" +
			"Without an id: your active locks of this worktree, or those that overlap a glob.",
		Example:           "  agent-locks drift",
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Target = a.target()
			if len(args) > 0 && lockfile.ValidID(lockID(args[0]).LockID) == nil && len(request.Scope) == 0 {
				if err := oneID(cmd, args); err != nil {
					return err
				}
				request.LockID = optionalID(args)
			} else { // an argument that cannot be an id is a path or a glob
				request.Scope = append(request.Scope, args...)
			}
			ans, err := a.locks.Drift(cmd.Context(), request)
			return answer(a, ans, err, func(w io.Writer, drifts []store.LockDrift) {
				render.Drift(w, drifts, len(request.Scope) > 0, a.caller(request.AgentID))
			})
		},
	}
	scopeFlag(cmd.Flags(), &request.Scope, "only locks whose scope overlaps this `glob` (repeatable)")
	agentFlag(cmd.Flags(), &request.AgentID)
	countFlag(cmd.Flags(), &request.Limit, "limit",
		"list at most `n` lines (default 100); beyond that, directories instead of files")
	return cmd
}
