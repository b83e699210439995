package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newList(a *app) *cobra.Command {
	var (
		request             store.QueryRequest
		agent, text, status *string
	)
	cmd := &cobra.Command{
		Use:     "list [glob]...",
		Short:   "list locks by status, scope, agent or text",
		Long:    "List locks, oldest first. Filters combine; without a filter, list the active\nlocks.",
		Example: "  agent-locks list 'src/**' --status all --limit 10",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.refuseIdleWords(cmd.Context(), args, filterBy); err != nil {
				return err
			}
			request.Scope = append(request.Scope, args...)
			err := applyFilters(filter{"status", status, &request.Status}, filter{"agent", agent, &request.AgentID},
				filter{"text", text, &request.Text})
			if err != nil {
				return err
			}
			request.Target, request.ForPeople = a.target(), !a.json
			ans, err := a.locks.Query(cmd.Context(), request)
			return answer(a, ans, err, func(w io.Writer, _ []store.Summary) { render.List(w, ans, a.screen()) })
		},
	}
	f := cmd.Flags()
	textFlag(f, &status, "status", "`which` locks: active (default), done or all")
	scopeFlag(f, &request.Scope, "only locks whose scope overlaps this `glob`, as the arguments (repeatable)")
	textFlag(f, &agent, "agent", "only locks of this agent `id`")
	textFlag(f, &text, "text", "only locks with this `text` in title or notes, in any case")
	staleFlag(f, &request.StaleMinutes)
	countFlag(f, &request.Limit, "limit", "only the newest `n`")
	completeValues(cmd, "status", "active", "done", "all")
	return cmd
}
