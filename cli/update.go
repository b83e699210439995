package cli

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newUpdate(a *app) *cobra.Command {
	var (
		request      store.UpdateRequest
		done, undone bool
	)
	cmd := &cobra.Command{
		Use:   "update <id>",
		Short: "tick off a task, leave a note, amend the claim",
		Long: "Record progress: tick off a task of the lock, add a note. Or amend the claim:\n" +
			"widen or narrow its scope, add tasks, hand it over. An update by the holder also\n" +
			"refreshes the heartbeat.",
		Example:           "  agent-locks update fix-login --task \"Write test\" --note \"fails as expected\"",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if request.Done, err = taskDone(cmd.Flags(), done, undone, request.TaskText); err != nil {
				return err
			}
			if err := a.fromStdin(cmd.Context(), &request.Note); err != nil {
				return err
			}
			request.Target, request.Ref = a.target(), lockID(args[0])
			ans, err := a.locks.Update(cmd.Context(), request)
			return answer(a, ans, err, func(w io.Writer, u store.Updated) {
				render.Updated(w, u, request.HandTo, a.caller(request.AgentID))
			})
		},
	}
	f := cmd.Flags()
	textFlag(f, &request.TaskText, "task", "the task's exact `text`, or its number")
	f.BoolVar(&done, "done", false, "the task is done (the default)")
	f.BoolVar(&undone, "undone", false, "the task is not done after all")
	shortTextFlag(f, &request.Note, "note", "m", "`text` to add to the notes; - reads stdin")
	f.StringArrayVar(&request.AddScope, "add-scope", nil, "widen the claim by a path or `glob` (repeatable)")
	f.BoolVar(&request.IfFree, "if-free", false,
		"widen only if no live lock blocks that; else exit with 2 and say who holds what")
	f.StringArrayVar(&request.RemoveScope, "remove-scope", nil, "narrow the claim by an `entry` of its scope (repeatable)")
	f.StringArrayVar(&request.AddTasks, "add-task", nil, "one more step of the work, one line of `text` (repeatable)")
	leaseFlag(f, &request.LeaseMinutes)
	textFlag(f, &request.HandTo, "hand-to", "give the lock to the agent with this `id`")
	agentFlag(f, &request.AgentID)
	forceFlag(f, &request.Force)
	return cmd
}

// taskDone combines two flags into one value: nil if neither was given.
func taskDone(f *pflag.FlagSet, done, undone bool, task *string) (*bool, error) {
	switch {
	case !f.Changed("done") && !f.Changed("undone"):
		return nil, nil
	case f.Changed("done") && f.Changed("undone"):
		return nil, usage("give one of the two", "--done and --undone exclude each other")
	case task == nil:
		return nil, usage("name the task with --task", "--done and --undone have no effect without --task")
	case f.Changed("undone"):
		done = !undone
	}
	return &done, nil
}
