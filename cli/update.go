package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type updateOptions struct {
	*app
	request      store.UpdateRequest
	done, undone bool
}

func newUpdate(a *app) *cobra.Command {
	o := &updateOptions{app: a}
	cmd := &cobra.Command{
		Use:               "update <id>",
		Short:             "tick a task, leave a note, amend the claim",
		Long:              "Record progress: tick one of the lock's tasks, add a note; or amend the claim:\nwiden or narrow its scope, add tasks, hand it over. It counts as a sign of life.",
		Example:           "  agent-locks update fix-login --task \"Write test\" --note \"fails as expected\"",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.Ref = lockID(args[0])
			if err := o.parseDone(cmd); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	textFlag(f, &o.request.TaskText, "task", "the task's exact `text`")
	f.BoolVar(&o.done, "done", false, "the task is done (the default)")
	f.BoolVar(&o.undone, "undone", false, "the task is not done after all")
	textFlag(f, &o.request.Note, "note", "`text` to add to the notes; - reads stdin")
	f.StringArrayVar(&o.request.AddScope, "add-scope", nil, "widen the claim by a path or `glob` (repeatable)")
	f.StringArrayVar(&o.request.RemoveScope, "remove-scope", nil, "narrow the claim by an `entry` of its scope (repeatable)")
	f.StringArrayVar(&o.request.AddTasks, "add-task", nil, "one more step of the work, one line of `text` (repeatable)")
	leaseFlag(f, &o.request.LeaseMinutes)
	textFlag(f, &o.request.HandTo, "hand-to", "give the lock to the agent with this `id`")
	agentFlag(f, &o.request.AgentID)
	forceFlag(f, &o.request.Force)
	return cmd
}

// parseDone makes one answer of two flags: nil where neither was given.
func (o *updateOptions) parseDone(cmd *cobra.Command) error {
	done, undone := cmd.Flags().Changed("done"), cmd.Flags().Changed("undone")
	if done && undone {
		return usage("give one of the two", "--done and --undone exclude each other")
	}
	if done {
		o.request.Done = &o.done
	} else if undone {
		value := !o.undone
		o.request.Done = &value
	}
	if (done || undone) && o.request.TaskText == nil {
		return usage("name the task with --task", "--done and --undone say nothing without --task")
	}
	return nil
}

func (o *updateOptions) run(ctx context.Context) error {
	if err := o.fromStdin(ctx, &o.request.Note); err != nil {
		return err
	}
	o.request.Target = o.target()
	ans, err := o.locks.Update(ctx, o.request)
	return answer(o.app, ans, err, printUpdated)
}

func printUpdated(w io.Writer, u store.Updated) {
	fmt.Fprintf(w, "updated %s", plain(u.ID))
	if u.TaskCount > 0 {
		fmt.Fprintf(w, ": %d%% done", u.PercentComplete)
	}
	fmt.Fprintln(w)
	printOverlaps(w, u.Overlaps)
	printWaiting(w, u.Waiting)
	if u.TaskCount > 0 && u.PercentComplete == 100 {
		fmt.Fprintf(w, "next: agent-locks finish %s --summary ...\n", plain(u.ID))
	}
}
