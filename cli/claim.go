package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type claimOptions struct {
	*app
	request store.CreateRequest
	title   *string
}

func newClaim(a *app) *cobra.Command {
	o := &claimOptions{app: a}
	cmd := &cobra.Command{
		Use:   "claim",
		Short: "say which files you are going to work on",
		Long: "Claim files: make a lock with a title, a scope and a list of tasks. Overlaps\n" +
			"with other locks are told; only --if-free and --wait make them a refusal.",
		Example: "  agent-locks claim --title \"Fix login\" --scope 'src/auth/**' --scope go.mod --task \"Write test\"",
		Args:    noArgs("name files with --scope, as in agent-locks claim --title \"Fix login\" --scope 'src/**'"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	textFlag(f, &o.title, "title", "what the work is, one line of `text` (required)")
	f.StringArrayVar(&o.request.Scope, "scope", nil, "a path or `glob` from the repository's root (required, repeatable)")
	f.StringArrayVar(&o.request.Tasks, "task", nil, "a step of the work, one line of `text` (repeatable)")
	agentFlag(f, &o.request.AgentID)
	parentFlag(f, &o.request.ParentAgentID)
	f.BoolVar(&o.request.Shared, "shared", false, "you only read or review: shared claims do not overlap each other")
	leaseFlag(f, &o.request.LeaseMinutes)
	numberFlag(f, &o.request.WaitSeconds, "wait", "wait up to `n` seconds for your turn, first come first served, then claim; exit with 2 if it did not come")
	f.BoolVar(&o.request.IfFree, "if-free", false, "claim only if no live lock blocks it; else exit with 2 and say who holds what")
	return cmd
}

func (o *claimOptions) run(ctx context.Context) error {
	const example = `as in agent-locks claim --title "Fix login" --scope 'src/auth/**'`
	switch {
	case o.title == nil:
		return usage(example, "claim needs --title")
	case len(o.request.Scope) == 0:
		return usage(example, "claim needs --scope")
	}
	o.request.Target, o.request.Title = o.target(), *o.title
	ans, err := o.locks.Create(o.telling(ctx), o.request)
	return answer(o.app, ans, err, o.print)
}

func (o *claimOptions) print(w io.Writer, c store.Created) {
	fmt.Fprintf(w, "claimed %s\n", plain(c.ID))
	printOverlaps(w, c.Overlaps)
	printRecent(w, c.Recent)
	flag := "--task"
	if len(o.request.Tasks) == 0 {
		flag = "--note"
	}
	fmt.Fprintf(w, "next: agent-locks update %s %s ... as you go, finish at the end\n", plain(c.ID), flag)
}
