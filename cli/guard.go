package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newGuard(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "guard",
		Short: "refuse commits of files that somebody else holds",
		Long: "The commit guard: a pre-commit hook that refuses to commit files covered by\n" +
			"somebody else's active lock. It is off until it is installed.\n\n" +
			"git runs no pre-commit hook for rebase and am, for a cherry-pick, revert or\n" +
			"merge without conflicts, or for commit --no-verify: the guard does not see\n" +
			"those.\n\n" +
			"AGENT_LOCKS_GUARD, or else git config agentlocks.guard, sets its mode: block\n" +
			"(the default), warn or off. With git config agentlocks.requireClaim true, it\n" +
			"also refuses files that no lock of yours covers.",
		Example: "  agent-locks guard install\n  agent-locks guard status",
		Args:    onlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGuardCheck(a), newGuardInstall(a), newGuardUninstall(a), newGuardStatus(a))
	return cmd
}

func newGuardCheck(a *app) *cobra.Command {
	var (
		request      store.GuardRequest
		stdin, quiet bool
	)
	cmd := &cobra.Command{
		Use:   "check",
		Short: "ask whether what is staged may be committed",
		Long: "Check whether somebody else's active lock covers a staged file (or a name on\n" +
			"stdin, with --stdin). The exit code is 1 if one does.",
		Example: "  agent-locks guard check\n  git diff --name-only -z | agent-locks guard check --stdin",
		Args:    noArgs("names come from stdin, with --stdin, each ended by a NUL"),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			request.Target, request.Staged = a.target(), !stdin
			if stdin {
				if request.Files, err = a.readNames(cmd.Context()); err != nil {
					return err
				}
			}
			ans, err := a.locks.Guard(cmd.Context(), request)
			err = answer(a, ans, a.orBypass(err), func(w io.Writer, g store.Guarded) {
				render.Guarded(w, a.Stderr, g, quiet, a.person())
			})
			if err == nil && ans.Result.Verdict == store.GuardBlocked {
				return answered(exitError)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&stdin, "stdin", false, "check the NUL-separated names on stdin instead of what is staged")
	f.BoolVar(&quiet, "quiet", false, "print nothing when the commit may go through")
	textFlag(f, &request.AgentID, "agent", "who commits: your own `id` (default: AGENT_LOCKS_AGENT_ID)")
	textFlag(f, &request.ParentAgentID, "parent",
		"the `id` of the agent that started you (default: AGENT_LOCKS_PARENT_ID)")
	return cmd
}

// orBypass adds to an error of the guard, if a person reads it, how to commit
// without the guard.
func (a *app) orBypass(err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok || !a.person() {
		return err
	}
	said := *e
	said.Hint += "; or commit unchecked with " + render.Bypass
	return &said
}
