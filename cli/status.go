package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

func newStatus(a *app) *cobra.Command {
	request := store.QueryRequest{Status: lockfile.Active}
	watch := false
	cmd := &cobra.Command{
		Use:   "status",
		Short: "show who is working on what",
		Long: "Show the active locks of this repository, made from any worktree, and where they\n" +
			"are kept.",
		Example: "  agent-locks status",
		Args:    noArgs("agent-locks list <glob> shows only the locks that overlap a scope"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			request.Target, request.ForPeople = a.target(), !a.json
			if watch && request.Conflicts {
				return usage("run them apart", "--watch and --forecast do not go together")
			}
			if watch {
				return a.watch(cmd.Context(), request)
			}
			ans, err := a.locks.Query(cmd.Context(), request)
			return answer(a, ans, err, func(w io.Writer, _ []store.Summary) { render.Status(w, ans, a.screen()) })
		},
	}
	staleFlag(cmd.Flags(), &request.StaleMinutes)
	cmd.Flags().BoolVar(&request.Conflicts, "forecast", false,
		"count the files of each lock that will conflict, like forecast --all")
	cmd.Flags().BoolVar(&watch, "watch", false, "keep showing it, by worktree, until q or an interrupt")
	return cmd
}
