package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newClaim(a *app) *cobra.Command {
	var (
		request store.CreateRequest
		title   *string
		quiet   bool
	)
	cmd := &cobra.Command{
		Use:   "claim [glob]...",
		Short: "say which files you are going to work on",
		Long: "Claim files: make a lock with a title, a scope and a list of tasks. Overlaps\n" +
			"with other locks are reported; only --if-free and --wait refuse because of them.",
		Example: "  agent-locks claim -t \"Fix login\" 'src/auth/**' go.mod --task \"Write test\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			if quiet && a.json {
				return usage("give one of the two", "--quiet and --json exclude each other")
			}
			if err := a.checkClaim(cmd, title, &request, args); err != nil {
				return err
			}
			ans, err := a.locks.Create(a.withProgress(cmd.Context()), request)
			if quiet {
				ans.Warnings = append(ans.Warnings, render.StateNames(ans.Result.State, ans.Result.StateLeftOut)...)
				ans.Warnings = append(ans.Warnings, overlapsInShort(ans.Result.Overlaps)...)
				ans.Warnings = append(ans.Warnings,
					render.Elsewhere(ans.Result.ChangedElsewhere, ans.Result.ChangedElsewhereLeftOut)...)
			}
			return answer(a, ans, err, func(w io.Writer, c store.Created) {
				if quiet {
					fmt.Fprintln(w, render.Plain(c.ID))
					return
				}
				render.Claimed(w, c, request, a.caller(request.AgentID))
			})
		},
	}
	f := cmd.Flags()
	shortTextFlag(f, &title, "title", "t", "what the work is, one line of `text` (required)")
	scopeFlag(f, &request.Scope, "a path or `glob` from the repository's root, as the arguments are (repeatable)")
	f.StringArrayVar(&request.Tasks, "task", nil, "a step of the work, one line of `text` (repeatable)")
	agentFlag(f, &request.AgentID)
	parentFlag(f, &request.ParentAgentID)
	f.BoolVar(&request.Shared, "shared", false, "you only read or review: shared claims do not overlap each other")
	leaseFlag(f, &request.LeaseMinutes)
	secondsFlag(f, &request.WaitSeconds, "wait",
		"wait up to `n` seconds, or 5m, 1h, for your turn, first come first served, then claim; "+
			"exit with 2 if it does not come")
	f.BoolVar(&request.Local, "local", false, "do not ask or tell other clones (see agent-locks fleet)")
	f.BoolVar(&request.IfFree, "if-free", false,
		"claim only if no live lock blocks it; else exit with 2 and say who holds what")
	f.BoolVarP(&quiet, "quiet", "q", false, "print the new lock's id and nothing else; overlaps are a warning")
	return cmd
}

// checkClaim completes a claim request from its flags and arguments, or refuses
// it.
func (a *app) checkClaim(cmd *cobra.Command, title *string, request *store.CreateRequest, scope []string) error {
	example := fmt.Sprintf(`as in agent-locks %s -t "Fix login" 'src/auth/**'`, cmd.Name())
	if cmd.Name() == "run" {
		example += " -- make"
	}
	if err := a.refuseWords(cmd.Context(), scope, nil, quoteTitle(title)); err != nil {
		return err
	}
	request.Scope = append(request.Scope, scope...)
	switch {
	case title == nil:
		return usage(example, "%s needs --title", cmd.Name())
	case isFlagOf(cmd, *title): // for example -t --agent me
		return usage(example, "the title %q is a flag of %s", *title, cmd.Name())
	case len(request.Scope) == 0:
		return usage(example, "%s needs a scope", cmd.Name())
	}
	a.warnExpanded(request.Scope)
	request.Target, request.Title = a.target(), *title
	return nil
}

// isFlagOf reports whether text is one of the command's long flags, as typed.
func isFlagOf(cmd *cobra.Command, text string) bool {
	name, long := strings.CutPrefix(text, "--")
	return long && name != "" && cmd.Flags().Lookup(name) != nil
}

// overlapsInShort returns the warning that --quiet prints instead of a list of
// overlaps: quiet or not, nobody may miss them.
func overlapsInShort(overlaps []store.Summary) []string {
	if len(overlaps) == 0 {
		return nil
	}
	ids := make([]string, len(overlaps))
	for i, s := range overlaps {
		ids[i] = s.ID
	}
	return []string{fmt.Sprintf("the claim overlaps %s: %s", render.Count(len(ids), "lock"), strings.Join(ids, ", "))}
}
