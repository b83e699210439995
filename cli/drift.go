package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type driftOptions struct {
	*app
	request store.DriftRequest
}

func newDrift(a *app) *cobra.Command {
	o := &driftOptions{app: a}
	cmd := &cobra.Command{
		Use:   "drift [id]",
		Short: "see what changed here outside a claim",
		Long: "Compare the files that changed in this worktree since a claim, committed or not,\n" +
			"with its scope; what that only may cover, with a !(...), counts as outside.\n" +
			"Without an id: your active locks of this worktree.",
		Example:           "  agent-locks drift",
		Args:              atMostOneID,
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.LockID, o.request.Short = optionalID(args)
			return o.run(cmd.Context())
		},
	}
	agentFlag(cmd.Flags(), &o.request.AgentID)
	return cmd
}

func (o *driftOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	ans, err := o.locks.Drift(ctx, o.request)
	return answer(o.app, ans, err, printDrifts)
}

func printDrifts(w io.Writer, drifts []store.Drift) {
	if len(drifts) == 0 {
		fmt.Fprintln(w, "no active lock of yours was made from this worktree")
	}
	for _, d := range drifts {
		printDrift(w, d)
	}
}

func printDrift(w io.Writer, d store.Drift) {
	switch d.Outcome {
	case store.NothingChanged:
		fmt.Fprintf(w, "%s: nothing changed\n", plain(d.LockID))
	case store.Covered:
		fmt.Fprintf(w, "%s: covers all that changed (%s)\n", plain(d.LockID), count(len(d.Changed), "file"))
	default:
		fmt.Fprintf(w, "%s: %s changed outside its scope\n", plain(d.LockID), count(len(d.Outside), "file"))
	}
	holds := map[string][]store.Held{}
	for _, h := range d.HeldByOthers {
		holds[h.Path] = append(holds[h.Path], h)
	}
	var free []string
	for _, path := range d.Outside {
		fmt.Fprintf(w, "  %s\n", plain(path))
		for _, h := range holds[path] {
			verb := ""
			if !h.Exact {
				verb = "may be "
			}
			fmt.Fprintf(w, "    %sheld by %s (%s): %s\n", verb, agentName(h.AgentID), plain(h.Title), plain(h.LockID))
		}
		if len(holds[path]) == 0 {
			free = append(free, path)
		}
	}
	if len(free) > 0 {
		fmt.Fprintf(w, "next: agent-locks update %s %s\n", plain(d.LockID), widening(free))
	}
}

// widening are the flags that add these files to a scope, spelt out where that
// is for the shell to read and not too long for people.
func widening(files []string) string {
	const most = 5
	if len(files) > most {
		return "--add-scope ..."
	}
	var flags []string
	for _, f := range files {
		flags = append(flags, "--add-scope "+entryWords([]string{f}))
	}
	return strings.Join(flags, " ")
}
