package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type logOptions struct {
	*app
	request            store.HistoryRequest
	agent, text, since *string
}

func newLog(a *app) *cobra.Command {
	o := &logOptions{app: a}
	cmd := &cobra.Command{
		Use:     "log",
		Short:   "read what was done, latest claim first",
		Long:    "Show finished locks like a journal, latest claim first: who worked on what, what\nbecame of it, and the notes.",
		Example: "  agent-locks log --scope 'src/auth/**' --since 7d",
		Args:    noArgs("name files with --scope, as in agent-locks log --scope 'src/**'"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.request.Scope, "scope", nil, "only locks whose scope overlaps this `glob` (repeatable)")
	textFlag(f, &o.agent, "agent", "only locks of this agent `id`")
	textFlag(f, &o.text, "text", "only locks with this `text` in title or notes, in any case")
	textFlag(f, &o.since, "since", "only what ended since this `time`: 24h, 7d, a stamp or RFC 3339")
	countFlag(f, &o.request.Limit, "limit", "only the `n` claimed last (default 20)")
	return cmd
}

func (o *logOptions) run(ctx context.Context) error {
	for _, f := range []filter{{"agent", o.agent, &o.request.AgentID}, {"text", o.text, &o.request.Text}, {"since", o.since, &o.request.Since}} {
		if err := f.apply(); err != nil {
			return err
		}
	}
	o.request.Target = o.target()
	ans, err := o.locks.History(ctx, o.request)
	return answer(o.app, ans, err, printLog)
}

func printLog(w io.Writer, locks []store.Whole) {
	if len(locks) == 0 {
		fmt.Fprintln(w, "nothing was finished")
	}
	for i, l := range locks {
		if i > 0 {
			fmt.Fprintln(w)
		}
		printJournal(w, l)
	}
}

// printJournal writes one lock as an entry of the journal: when, who and what
// on the first line, then the rest indented.
func printJournal(w io.Writer, l store.Whole) {
	who := ""
	if l.AgentID != nil {
		who = *l.AgentID + ": "
	}
	fmt.Fprintf(w, "%s  %s%s\n", plain(endedAt(l.Summary)), plain(who), plain(l.Title))
	fmt.Fprintf(w, "  %s\n", plain(journalLine(l.Summary)))
	for _, t := range l.Tasks {
		fmt.Fprintf(w, "  %s %s\n", box(t.Done), plain(t.Text))
	}
	for _, n := range l.Notes {
		fmt.Fprintf(w, "  - %s\n", strings.ReplaceAll(plainLines(n), "\n", "\n    "))
	}
}

// endedAt is when a lock ended; older files say only when they were last
// updated.
func endedAt(s store.Summary) string {
	if s.Finished != "" {
		return s.Finished
	}
	return s.Updated
}

// journalLine is where it was done and how it ended.
func journalLine(s store.Summary) string {
	parts := []string{scopeCell(s)}
	if s.Branch != "" {
		parts = append(parts, "on "+s.Branch)
	}
	switch {
	case s.MovedTo != "":
		parts = append(parts, "moved to "+s.MovedTo)
	case s.Outcome != "":
		parts = append(parts, s.Outcome)
	}
	switch s.FinishedBy {
	case "reap":
		parts = append(parts, "reaped for inactivity")
	case "force":
		parts = append(parts, "finished by force")
	}
	return strings.Join(parts, "; ")
}
