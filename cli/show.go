package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type showOptions struct {
	*app
	request store.ShowRequest
}

func newShow(a *app) *cobra.Command {
	o := &showOptions{app: a}
	cmd := &cobra.Command{
		Use:               "show <id>",
		Short:             "show one lock with its tasks and notes",
		Long:              "Show everything that a lock says, active or archived.",
		Example:           "  agent-locks show fix-login",
		Args:              oneID,
		ValidArgsFunction: completeIDs(a, "all"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.Ref = lockID(args[0])
			return o.run(cmd.Context())
		},
	}
	staleFlag(cmd.Flags(), &o.request.StaleMinutes)
	return cmd
}

func (o *showOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	ans, err := o.locks.Show(ctx, o.request)
	return answer(o.app, ans, err, printWhole)
}

func printWhole(w io.Writer, l store.Whole) {
	fmt.Fprintf(w, "%s\n\n", plain(l.Title))
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-9s %s\n", name, plain(value))
		}
	}
	field("id", l.ID)
	status := l.Status
	if len(l.Tasks) > 0 {
		status = fmt.Sprintf("%s, %d%%", l.Status, l.PercentComplete)
	}
	field("status", status)
	field("agent", deref(l.AgentID))
	field("parent", deref(l.ParentAgentID))
	field("scope", scopeCell(l.Summary))
	field("worktree", worktreeLine(l.Summary))
	field("branch", l.Branch)
	field("created", l.Created)
	field("updated", updatedLine(l.Summary))
	field("mode", l.Mode)
	if l.LeaseMinutes > 0 {
		field("lease", store.Minutes(l.LeaseMinutes))
	}
	field("finished", finishedLine(l.Summary))
	field("file", l.FilePath)
	printWaiting(w, l.Waiting)
	if len(l.Tasks) > 0 {
		fmt.Fprint(w, "\ntasks\n")
	}
	for _, t := range l.Tasks {
		fmt.Fprintf(w, "  %s %s\n", box(t.Done), plain(t.Text))
	}
	if len(l.Notes) > 0 {
		fmt.Fprint(w, "\nnotes\n")
	}
	for _, n := range l.Notes {
		fmt.Fprintf(w, "  - %s\n", strings.ReplaceAll(plainLines(n), "\n", "\n    "))
	}
}

func box(done bool) string {
	if done {
		return "[x]"
	}
	return "[ ]"
}

func worktreeLine(s store.Summary) string {
	if s.WorktreeGone {
		return s.Worktree + " (gone)"
	}
	return s.Worktree
}

// finishedLine is when and how a done lock ended.
func finishedLine(s store.Summary) string {
	parts := []string{s.Finished}
	if s.FinishedBy != "" {
		parts = append(parts, "by "+s.FinishedBy)
	}
	if s.Outcome != "" {
		parts = append(parts, s.Outcome)
	}
	if s.MovedTo != "" {
		parts = append(parts, "to "+s.MovedTo)
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

func updatedLine(s store.Summary) string {
	if s.Stale {
		return s.Updated + ", stale: silent for " + store.Age(s.StaleForSeconds)
	}
	return s.Updated
}
