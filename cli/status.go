package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

type statusOptions struct {
	*app
	request store.QueryRequest
}

func newStatus(a *app) *cobra.Command {
	o := &statusOptions{app: a, request: store.QueryRequest{Status: lockfile.Active}}
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "show who works on what now",
		Long:    "Show the active locks of this repository, from whichever worktree they were\nmade, and where they are kept.",
		Example: "  agent-locks status",
		Args:    noArgs("agent-locks list --scope <glob> shows only the locks that meet a scope"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	staleFlag(cmd.Flags(), &o.request.StaleMinutes)
	return cmd
}

func (o *statusOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	ans, err := o.locks.Query(ctx, o.request)
	return answer(o.app, ans, err, func(w io.Writer, rows []store.Summary) {
		fmt.Fprintf(w, "locks in %s\n\n", plain(ans.Dir))
		if len(rows) == 0 {
			fmt.Fprintln(w, "no active locks")
			return
		}
		printTable(w, []column{
			staleColumn(rows), agentColumn(rows), worktreeColumn(rows), branchColumn(rows),
			scopeColumn(rows), percentColumn(rows), titleColumn(rows), idColumn(rows),
		}, o.width(), o.coloured())
	})
}
