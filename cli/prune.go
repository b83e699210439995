package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type pruneOptions struct {
	*app
	request   store.PruneRequest
	olderThan *string
}

func newPrune(a *app) *cobra.Command {
	o := &pruneOptions{app: a}
	cmd := &cobra.Command{
		Use:   "prune --older-than <age>",
		Short: "delete old finished locks for good",
		Long: "Delete the finished locks that ended longer ago than an age, or only show them\n" +
			"without --yes. Active locks are never touched.",
		Example: "  agent-locks prune --older-than 90d --yes",
		Args:    noArgs("agent-locks prune --older-than 90d"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	textFlag(f, &o.olderThan, "older-than", "the `age` from which they go: 24h, 90d, a stamp or RFC 3339")
	f.BoolVar(&o.request.Yes, "yes", false, "delete them, and do not only show them")
	return cmd
}

func (o *pruneOptions) run(ctx context.Context) error {
	if o.olderThan == nil {
		return usage("as in agent-locks prune --older-than 90d", "prune needs --older-than")
	}
	o.request.Target, o.request.OlderThan = o.target(), *o.olderThan
	ans, err := o.locks.Prune(ctx, o.request)
	return answer(o.app, ans, err, o.print)
}

func (o *pruneOptions) print(w io.Writer, pruned []store.Pruned) {
	verb := "would delete"
	if o.request.Yes {
		verb = "deleted"
	}
	for _, p := range pruned {
		fmt.Fprintf(w, "%s %s (%s), finished %s\n", verb, plain(p.ID), plain(p.Title), plain(p.Finished))
	}
	switch {
	case len(pruned) == 0:
		fmt.Fprintln(w, "no finished lock is that old")
	case !o.request.Yes:
		fmt.Fprintln(w, "nothing is deleted without --yes")
	}
}
