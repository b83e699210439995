package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newClaim(a *app) *cobra.Command {
	var (
		request store.CreateRequest
		title   *string
	)
	cmd := &cobra.Command{
		Use:   "claim",
		Short: "say which files you are going to work on",
		Long: "Claim files: make a lock with a title, a scope and a list of tasks. Overlaps\n" +
			"with other locks are reported; only --if-free and --wait make them a refusal.",
		Example: "  agent-locks claim --title \"Fix login\" --scope 'src/auth/**' --scope go.mod --task \"Write test\"",
		Args:    noArgs("name files with --scope, as in agent-locks claim --title \"Fix login\" --scope 'src/**'"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			const example = `as in agent-locks claim --title "Fix login" --scope 'src/auth/**'`
			switch {
			case title == nil:
				return usage(example, "claim needs --title")
			case len(request.Scope) == 0:
				return usage(example, "claim needs --scope")
			}
			request.Target, request.Title = a.target(), *title
			ans, err := a.locks.Create(a.withProgress(cmd.Context()), request)
			return answer(a, ans, err, func(w io.Writer, c store.Created) { render.Claimed(w, c, request.Tasks, a.caller(request.AgentID)) })
		},
	}
	f := cmd.Flags()
	textFlag(f, &title, "title", "what the work is, one line of `text` (required)")
	f.StringArrayVar(&request.Scope, "scope", nil, "a path or `glob` from the repository's root (required, repeatable)")
	f.StringArrayVar(&request.Tasks, "task", nil, "a step of the work, one line of `text` (repeatable)")
	agentFlag(f, &request.AgentID)
	parentFlag(f, &request.ParentAgentID)
	f.BoolVar(&request.Shared, "shared", false, "you only read or review: shared claims do not overlap each other")
	leaseFlag(f, &request.LeaseMinutes)
	numberFlag(f, &request.WaitSeconds, "wait", "wait up to `n` seconds for your turn, first come first served, then claim; exit with 2 if it did not come")
	f.BoolVar(&request.IfFree, "if-free", false, "claim only if no live lock blocks it; else exit with 2 and say who holds what")
	return cmd
}
