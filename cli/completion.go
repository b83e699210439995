package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

func newCompletion(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion <shell>",
		Short: "print a shell's completion script",
		Long: "Print the script that completes commands, flags and lock ids in bash, zsh, fish\n" +
			"or powershell. bash also needs the package bash-completion. --json changes\n" +
			"nothing.",
		Example:   "  source <(agent-locks completion bash)",
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("one of "+strings.Join(shells, ", "), "completion needs the name of a shell")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			default:
				return usage("one of "+strings.Join(shells, ", "), "unknown shell %q", args[0])
			}
		},
	}
}

// completeIDs completes lock ids, described by their titles. Errors are not
// shown: during completion they are of no use, so there is just nothing to
// offer.
func completeIDs(a *app, status string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ans, err := a.locks.Query(cmd.Context(), store.QueryRequest{Target: a.target(), Status: status})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError | cobra.ShellCompDirectiveNoFileComp
		}
		return idsLike(typed, ans.Result), cobra.ShellCompDirectiveNoFileComp
	}
}

// idsLike returns the ids with the prefix typed and, once something is typed,
// the slugs with that prefix that name only one lock.
func idsLike(typed string, locks []store.Summary) []cobra.Completion {
	so := map[string]int{} // slug: number of locks
	for _, s := range locks {
		so[lockfile.SlugOf(s.ID)]++
	}
	var ids []cobra.Completion
	for _, s := range locks {
		slug := lockfile.SlugOf(s.ID)
		switch {
		case strings.HasPrefix(s.ID, typed):
			ids = append(ids, cobra.CompletionWithDesc(s.ID, render.Plain(s.Title)))
		case strings.HasPrefix(slug, typed) && so[slug] == 1:
			ids = append(ids, cobra.CompletionWithDesc(slug, render.Plain(s.Title)))
		}
	}
	return ids
}

// describePlainly removes the backquotes that mark the name of a value in flag
// descriptions: help needs them, but completion would show them.
func describePlainly(cmd *cobra.Command) {
	plain := func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }
	cmd.PersistentFlags().VisitAll(plain)
	cmd.Flags().VisitAll(plain)
	for _, c := range cmd.Commands() {
		describePlainly(c)
	}
}

// completeValues completes a flag's fixed set of values. It fails only for a
// flag that does not exist, which any test of the command would reveal.
func completeValues(cmd *cobra.Command, flag string, values ...cobra.Completion) {
	offer := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic(err)
	}
}
