package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type checkOptions struct {
	*app
	request  store.CheckRequest
	exitCode bool
}

func newCheck(a *app) *cobra.Command {
	o := &checkOptions{app: a}
	cmd := &cobra.Command{
		Use:   "check <glob>...",
		Short: "ask who else works on these files",
		Long: "List the active locks that could name a file which one of the globs names, too.\n" +
			"Asking blocks nobody and writes nothing.",
		Example: "  agent-locks check src/auth/login.ts 'docs/**'\n  git diff --name-only -z | xargs -0 agent-locks check --exit-code --",
		Args:    needGlobs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.Scope = args
			return o.run(cmd.Context())
		},
	}
	staleFlag(cmd.Flags(), &o.request.StaleMinutes)
	textFlag(cmd.Flags(), &o.request.AgentID, "agent", "leave out the locks of this `id`: your own (default: AGENT_LOCKS_AGENT_ID)")
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false,
		"exit with 2 where locks overlap, 1 where none does but a lock file could not be read")
	return cmd
}

func (o *checkOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	ans, err := o.locks.Check(ctx, o.request)
	err = answer(o.app, ans, err, func(w io.Writer, rows []store.Summary) {
		o.print(w, rows, ans.Unreadable)
	})
	if err != nil || !o.exitCode {
		return err
	}
	switch {
	case len(ans.Result) > 0:
		return answered(exitAnswer)
	case ans.Unreadable > 0:
		return answered(exitError)
	default:
		return nil
	}
}

func (o *checkOptions) print(w io.Writer, rows []store.Summary, unreadable int) {
	if len(rows) == 0 {
		fmt.Fprintln(w, "no active lock overlaps")
	} else {
		printTable(w, []column{
			staleColumn(rows), agentColumn(rows), worktreeColumn(rows),
			{head: "OVERLAP", cells: cells(rows, overlapCell), least: 16},
			titleColumn(rows), idColumn(rows),
		}, o.width(), o.coloured())
	}
	if unreadable > 0 {
		fmt.Fprintf(w, "the answer is incomplete: %s could not be read\n", count(unreadable, "lock file"))
	}
	for _, s := range rows {
		if s.Stale {
			fmt.Fprintf(w, "silent for %s: agent-locks show %[2]s, then agent-locks reap %[2]s\n", store.Age(s.StaleForSeconds), plain(s.ID))
		}
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
