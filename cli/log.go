package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newLog(a *app) *cobra.Command {
	var (
		request            store.HistoryRequest
		agent, text, since *string
	)
	cmd := &cobra.Command{
		Use:   "log [glob]...",
		Short: "read what was done, latest claim first",
		Long: "Show finished locks like a journal, latest claim first: who worked on what, what\n" +
			"became of it, and the notes. With files, also the commits to them in that time.",
		Example: "  agent-locks log 'src/auth/**' --since 7d",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.refuseWords(cmd.Context(), args, nil, filterBy); err != nil {
				return err
			}
			request.Scope = append(request.Scope, args...)
			err := applyFilters(filter{"agent", agent, &request.AgentID}, filter{"text", text, &request.Text},
				filter{"since", since, &request.Since})
			if err != nil {
				return err
			}
			request.Target = a.target()
			ans, err := a.locks.History(cmd.Context(), request)
			which := ""
			switch {
			case agent != nil || text != nil || since != nil:
				which = "that fits"
			case len(request.Scope) > 0:
				which = "on these files"
			}
			return answer(a, ans, err, func(w io.Writer, locks []store.Whole) { render.Log(w, locks, which) })
		},
	}
	f := cmd.Flags()
	scopeFlag(f, &request.Scope, "only locks whose scope overlaps this `glob`, as the arguments (repeatable)")
	textFlag(f, &agent, "agent", "only locks of this agent `id`")
	textFlag(f, &text, "text", "only locks with this `text` in title or notes, in any case")
	textFlag(f, &since, "since", "only what ended since this `time`: 90m, 24h, 7d, a stamp or RFC 3339")
	countFlag(f, &request.Limit, "limit", "only the `n` claimed last (default 20)")
	return cmd
}
