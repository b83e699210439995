package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type reapOptions struct {
	*app
	request store.ReapRequest
}

func newReap(a *app) *cobra.Command {
	o := &reapOptions{app: a}
	cmd := &cobra.Command{
		Use:   "reap [id]",
		Short: "archive stale locks",
		Long: "Archive the stale lock named, or all stale ones, with a note that says so. With\n" +
			"--stale-minutes below the configured threshold it reaches only your own.",
		Example:           "  agent-locks reap --dry-run",
		Args:              atMostOneID,
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.LockID, o.request.Short = optionalID(args)
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	staleFlag(f, &o.request.StaleMinutes)
	f.BoolVar(&o.request.DryRun, "dry-run", false, "only show what would be archived")
	agentFlag(f, &o.request.AgentID)
	f.BoolVar(&o.request.Force, "force", false, "let a short --stale-minutes reach other agents' locks")
	return cmd
}

func (o *reapOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	ans, err := o.locks.Reap(ctx, o.request)
	return answer(o.app, ans, err, o.print)
}

func (o *reapOptions) print(w io.Writer, reaped []store.Reaped) {
	verb := "reaped"
	if o.request.DryRun {
		verb = "would reap"
	}
	if len(reaped) == 0 {
		fmt.Fprintln(w, "no stale locks")
	}
	for _, r := range reaped {
		fmt.Fprintf(w, "%s %s (%s), silent for %s\n", verb, plain(r.ID), plain(r.Title), store.Age(r.StaleForSeconds))
	}
}
