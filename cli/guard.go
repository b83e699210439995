package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

func newGuard(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "guard",
		Short: "keep commits off files that somebody else holds",
		Long: "The commit guard: a pre-commit hook that refuses to commit files which somebody\n" +
			"else's active lock covers. It is off until it is installed.\n\n" +
			"git runs no pre-commit hook for rebase and am, for a cherry-pick, revert or\n" +
			"merge without conflicts, nor for commit --no-verify: the guard does not see\n" +
			"those.\n\n" +
			"How strict it is: AGENT_LOCKS_GUARD, else git config agentlocks.guard; block\n" +
			"(the default), warn or off. Under git config agentlocks.requireClaim true, files\n" +
			"that no lock of your own covers are refused as well. AGENT_LOCKS_BYPASS=1 lets a\n" +
			"commit through.",
		Example: "  agent-locks guard install\n  agent-locks guard status",
		Args:    onlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGuardCheck(a), newGuardInstall(a), newGuardUninstall(a), newGuardStatus(a))
	return cmd
}

type guardCheckOptions struct {
	*app
	request store.GuardRequest
	stdin   bool
	quiet   bool
}

func newGuardCheck(a *app) *cobra.Command {
	o := &guardCheckOptions{app: a}
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "ask whether what is staged may be committed",
		Long:    "Look at what is staged (or at --stdin names) and ask of each file whether an\nactive lock of somebody else covers it. Exit code 1 where one does.",
		Example: "  agent-locks guard check\n  git diff --name-only -z | agent-locks guard check --stdin",
		Args:    noArgs("names come from stdin, with --stdin, each ended by a NUL"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.stdin, "stdin", false, "check the NUL-separated names on stdin instead of what is staged")
	f.BoolVar(&o.quiet, "quiet", false, "say nothing where nothing stands against the commit")
	textFlag(f, &o.request.AgentID, "agent", "who commits: your own `id` (default: AGENT_LOCKS_AGENT_ID)")
	textFlag(f, &o.request.ParentAgentID, "parent", "the `id` of whoever started you (default: AGENT_LOCKS_PARENT_ID)")
	return cmd
}

func (o *guardCheckOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	o.request.Staged = !o.stdin
	if o.stdin {
		names, err := o.readNames(ctx)
		if err != nil {
			return err
		}
		o.request.Files = names
	}
	ans, err := o.locks.Guard(ctx, o.request)
	if err := answer(o.app, ans, o.passBy(err), o.printGuarded); err != nil {
		return err
	}
	if ans.Result.Verdict == store.GuardBlocked {
		return answered(exitError)
	}
	return nil
}

// passBy tells a person, of what kept the guard from looking, how to commit all
// the same.
func (o *guardCheckOptions) passBy(err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok || !o.person() {
		return err
	}
	said := *e
	said.Hint += "; or commit unchecked with " + bypass
	return &said
}
