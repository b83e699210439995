package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type finishOptions struct {
	*app
	request store.FinishRequest
}

func newFinish(a *app) *cobra.Command {
	o := &finishOptions{app: a}
	cmd := &cobra.Command{
		Use:   "finish <id>",
		Short: "end a lock and archive it",
		Long: "End a lock: its files are free again, and the record moves to the archive. The\n" +
			"summary is optional; it tells whoever comes to these files next what was\n" +
			"changed, and what is left to do.",
		Example:           "  agent-locks finish fix-login --summary \"login checks the token's age\"",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.Ref = lockID(args[0])
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	textFlag(f, &o.request.Summary, "summary", "what was done and what is left, `text` for the last note; - reads stdin")
	textFlag(f, &o.request.Outcome, "outcome", "`what` became of the files: modified, created, deleted, moved, unchanged")
	textFlag(f, &o.request.MovedTo, "moved-to", "the `path` where they are now, with --outcome moved")
	agentFlag(f, &o.request.AgentID)
	forceFlag(f, &o.request.Force)
	completeValues(cmd, "outcome", "modified", "created", "deleted", "moved", "unchanged")
	return cmd
}

func (o *finishOptions) run(ctx context.Context) error {
	if err := o.fromStdin(ctx, &o.request.Summary); err != nil {
		return err
	}
	o.request.Target = o.target()
	ans, err := o.locks.Finish(ctx, o.request)
	return answer(o.app, ans, err, o.print)
}

func (o *finishOptions) print(w io.Writer, f store.Finished) {
	fmt.Fprintf(w, "finished %s\nthe record is in %s\n", plain(f.ID), plain(f.FilePath))
	if o.request.Summary == nil {
		fmt.Fprintf(w, "no summary was left: agent-locks update %s --note ... adds one\n", plain(f.ID))
	}
}
