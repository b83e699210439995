package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type listOptions struct {
	*app
	request store.QueryRequest
	agent   *string
	text    *string
	status  *string
}

func newList(a *app) *cobra.Command {
	o := &listOptions{app: a}
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "list locks by status, scope, agent or text",
		Long:    "List locks, oldest first. Filters narrow each other; without any it lists the\nactive locks.",
		Example: "  agent-locks list --status all --scope 'src/**' --limit 10",
		Args:    noArgs("name files with --scope, as in agent-locks list --scope 'src/**'"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	textFlag(f, &o.status, "status", "`which` locks: active (default), done or all")
	f.StringArrayVar(&o.request.Scope, "scope", nil, "only locks whose scope overlaps this `glob` (repeatable)")
	textFlag(f, &o.agent, "agent", "only locks of this agent `id`")
	textFlag(f, &o.text, "text", "only locks with this `text` in title or notes, in any case")
	staleFlag(f, &o.request.StaleMinutes)
	countFlag(f, &o.request.Limit, "limit", "only the newest `n`")
	completeValues(cmd, "status", "active", "done", "all")
	return cmd
}

func (o *listOptions) run(ctx context.Context) error {
	for _, f := range []filter{{"status", o.status, &o.request.Status}, {"agent", o.agent, &o.request.AgentID}, {"text", o.text, &o.request.Text}} {
		if err := f.apply(); err != nil {
			return err
		}
	}
	o.request.Target = o.target()
	ans, err := o.locks.Query(ctx, o.request)
	return answer(o.app, ans, err, func(w io.Writer, rows []store.Summary) { o.print(w, ans.Dir, rows) })
}

func (o *listOptions) print(w io.Writer, dir string, rows []store.Summary) {
	printStore(w, dir)
	if len(rows) == 0 {
		fmt.Fprintln(w, "no locks found")
		return
	}
	printTable(w, []column{
		statusColumn(rows), staleColumn(rows), agentColumn(rows), worktreeColumn(rows), branchColumn(rows),
		scopeColumn(rows), percentColumn(rows), titleColumn(rows), idColumn(rows),
	}, o.width(), o.coloured())
}
