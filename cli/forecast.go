package cli

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

func newForecast(a *app) *cobra.Command {
	var (
		request  store.ForecastRequest
		scope    []string
		exitCode bool
	)
	cmd := &cobra.Command{
		Use:   "forecast [<glob>...]",
		Short: "see which worktrees will conflict, claimed or not",
		Long: "Merge this worktree as it is now, including uncommitted changes, with every\n" +
			"other one and with the upstream of the default branch as last fetched. This\n" +
			"happens in a temporary directory and changes nothing in the repository. With\n" +
			"globs, only conflicts in the files that they cover count. It finds textual\n" +
			"conflicts: a clean merge does not mean that the result works.",
		Example: "  agent-locks forecast\n  agent-locks forecast --against origin/main --exit-code",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Target, request.Scope = a.target(), append(scope, args...)
			ans, err := a.locks.Forecast(cmd.Context(), request)
			if err == nil && len(ans.Result.Pairs) == 0 {
				err = a.refuseNames(cmd.Context(), args)
			}
			err = answer(a, ans, err, func(w io.Writer, f store.Foreseen) {
				render.Forecast(w, f, request, a.screen())
			})
			if err != nil || !exitCode {
				return err
			}
			return forecastOutcome(ans.Result)
		},
	}
	f := cmd.Flags()
	scopeFlag(f, &scope, "a path or `glob`, as the arguments are (repeatable)")
	f.BoolVar(&request.All, "all", false, "every pair of worktrees, not only this one with the others")
	textFlag(f, &request.Against, "against", "a `commit` or branch, instead of other worktrees and the upstream")
	secondsFlag(f, &request.TimeoutSeconds, "timeout",
		"assess only what git answers within `n` seconds, or 5m (default: 60)")
	f.BoolVar(&exitCode, "exit-code", false,
		"exit with 2 on a conflict, 1 if none is found but not all could be assessed")
	return cmd
}

// refuseNames refuses arguments that name a branch, or nothing here, so that
// they are not answered with "all clean".
func (a *app) refuseNames(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return nil
	}
	repo, err := a.repository(ctx, a.baseDir)
	if err != nil {
		return err
	}
	for _, arg := range args {
		if repo.Worktree != "" && !namesSomething(repo, arg) && isCommit(ctx, repo, arg) {
			return usage("compare with it: --against "+shell.Word(arg), "%q is a branch or commit, and names no file here", arg)
		}
	}
	return a.refuseIdleWords(ctx, args, laterPath)
}

// forecastOutcome returns the exit code: "clean" must be known, not assumed.
func forecastOutcome(f store.Foreseen) error {
	is := func(state string) bool {
		return slices.ContainsFunc(f.Pairs, func(p store.ForecastPair) bool { return p.State == state })
	}
	switch {
	case is(store.WillConflict):
		return answered(exitAnswer)
	case is(store.NotAssessed):
		return answered(exitError)
	}
	return nil
}
