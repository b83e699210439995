package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newCheck(a *app) *cobra.Command {
	var (
		request  store.CheckRequest
		exitCode bool
		scope    []string
	)
	cmd := &cobra.Command{
		Use:   "check <glob>...",
		Short: "ask who else is working on these files",
		Long: "List the active locks whose scope overlaps one of the globs.\n" +
			"This blocks nobody and writes nothing.",
		Example: "  agent-locks check src/auth/login.ts 'docs/**'\n" +
			"  git diff --name-only -z | xargs -0 -r agent-locks check --exit-code --",
		Args: needGlobs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.refuseIdleWords(cmd.Context(), args, laterPath); err != nil {
				return err
			}
			request.Target, request.Scope, request.ForPeople = a.target(), append(scope, args...), !a.json
			ans, err := a.locks.Check(cmd.Context(), request)
			err = answer(a, ans, err, func(w io.Writer, _ []store.Summary) {
				render.Check(w, ans, a.screen())
			})
			if err != nil || !exitCode {
				return err
			}
			return checkOutcome(ans)
		},
	}
	f := cmd.Flags()
	scopeFlag(f, &scope, "a path or `glob`, as the arguments are (repeatable)")
	staleFlag(f, &request.StaleMinutes)
	textFlag(f, &request.AgentID, "agent", "omit the locks of this `id`: your own (default: AGENT_LOCKS_AGENT_ID)")
	f.BoolVar(&exitCode, "exit-code", false,
		"exit with 2 if locks overlap, 1 if none does but not all could be read")
	return cmd
}

// checkOutcome returns the exit code: "no conflict" must be known, not assumed.
func checkOutcome(ans store.Answer[[]store.Summary]) error {
	switch {
	case len(ans.Result) > 0:
		return answered(exitAnswer)
	case ans.Missing() != "":
		return answered(exitError)
	default:
		return nil
	}
}
