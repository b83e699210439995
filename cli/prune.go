package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newPrune(a *app) *cobra.Command {
	var (
		request   store.PruneRequest
		olderThan *string
	)
	cmd := &cobra.Command{
		Use:   "prune --older-than <age>",
		Short: "delete old finished locks for good",
		Long: "Delete finished locks that ended longer ago than the given age, and versions of\n" +
			"shared state that were replaced before then. Without --yes, only list them.\n" +
			"Active locks and current versions are never touched.",
		Example: "  agent-locks prune --older-than 90d --yes",
		Args:    noArgs("agent-locks prune --older-than 90d"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if olderThan == nil {
				return usage("as in agent-locks prune --older-than 90d", "prune needs --older-than")
			}
			request.Target, request.OlderThan = a.target(), *olderThan
			ans, err := a.locks.Prune(cmd.Context(), request)
			return answer(a, ans, err, func(w io.Writer, pruned []store.Pruned) { render.Pruned(w, pruned, !request.Yes) })
		},
	}
	f := cmd.Flags()
	textFlag(f, &olderThan, "older-than", "the `age` from which they are deleted: 24h, 90d, a stamp or RFC 3339")
	f.BoolVar(&request.Yes, "yes", false, "delete them instead of only listing them")
	return cmd
}
