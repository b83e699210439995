package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newFinish(a *app) *cobra.Command {
	var request store.FinishRequest
	cmd := &cobra.Command{
		Use:   "finish <id>|<file>",
		Short: "end a lock and archive it",
		Long: "End a lock: its files are free again, and the record moves to the archive. The\n" +
			"summary is optional: it tells the next agent on these files what was changed and\n" +
			"what is left to do. A file stands for the one lock of yours that covers it.",
		Example:           "  agent-locks finish fix-login --summary \"login checks the token's age\"",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.fromStdin(cmd.Context(), &request.Summary); err != nil {
				return err
			}
			request.Target, request.Ref = a.target(), lockID(args[0])
			ans, err := a.locks.Finish(cmd.Context(), request)
			return answer(a, ans, err, func(w io.Writer, f store.Finished) {
				render.Finished(w, f, request.Summary != nil, a.caller(request.AgentID))
			})
		},
	}
	f := cmd.Flags()
	shortTextFlag(f, &request.Summary, "summary", "m",
		"what was done and what is left, `text` for the last note; - reads stdin")
	textFlag(f, &request.Outcome, "outcome", "`what` became of the files: modified, created, deleted, moved, unchanged")
	textFlag(f, &request.MovedTo, "moved-to", "the `path` where they are now, with --outcome moved")
	agentFlag(f, &request.AgentID)
	forceFlag(f, &request.Force)
	completeValues(cmd, "outcome", "modified", "created", "deleted", "moved", "unchanged")
	return cmd
}
