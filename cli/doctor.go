package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/guard"
	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

func newDoctor(a *app) *cobra.Command {
	var request store.DoctorRequest
	var url, tokenEnv string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "check git, the store and its files",
		Long: "Check git, the store, its files and the locks in it and, where locks are shared,\n" +
			"the remote, and say what is wrong and what to do about it. Without --fix nothing\n" +
			"is changed. The exit code is 1 if a problem is left.\n\n" +
			"With --url it checks a listener (serve --listen) instead: whether it answers,\n" +
			"accepts the token, and has the same version.",
		Example: "  agent-locks doctor\n  agent-locks doctor --fix",
		Args:    noArgs("name another repository with --base-dir"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("url") {
				if a.baseDir != nil || request.Fix {
					return usage("omit them", "--url is about a listener, and --fix and --base-dir about a repository here")
				}
				return a.examineListener(cmd.Context(), url, tokenEnv)
			}
			if tokenEnv != "" {
				return usage("name the listener with --url", "--token-env %q has no effect without --url", tokenEnv)
			}
			request.Target = a.target()
			ans, err := a.locks.Doctor(cmd.Context(), request)
			if err == nil && ans.Result.Found(store.CheckRepository, store.SeverityOK) &&
				ans.Result.Found(store.CheckGit, store.SeverityOK) {
				ans.Result.Findings = append(ans.Result.Findings, a.examineGuard(cmd.Context())...)
			}
			ans.Result.Findings = inOurWords(ans.Result.Findings)
			if err := answer(a, ans, err, render.Diagnosis); err != nil {
				return err
			}
			if ans.Result.Problems() > 0 {
				return answered(exitError)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&request.Fix, "fix", false, "complete interrupted finishes, and remove leftovers")
	cmd.Flags().StringVar(&url, "url", "", "check the listener at this `URL` (or unix:PATH) instead")
	cmd.Flags().StringVar(&tokenEnv, "token-env", "", "the `variable` that has the token to send")
	return cmd
}

// inOurWords returns the findings with flags and commands in place of arguments
// and tools.
func inOurWords(findings []store.Finding) []store.Finding {
	said := slices.Clone(findings)
	for i, f := range said {
		said[i].Message, said[i].Fix = asTyped(f.Message), asTyped(f.Fix)
	}
	return said
}

// examineGuard checks whether the commit guard runs, if it was ever installed.
func (a *app) examineGuard(ctx context.Context) []store.Finding {
	s, installed, err := a.readGuard(ctx)
	if err == nil {
		return guardFindings(s, installed)
	}
	f := store.Finding{
		Severity: store.SeverityProblem, Check: store.CheckGuard,
		Message: fmt.Sprintf("cannot determine whether the commit guard runs: %v", err),
		Fix:     "see agent-locks guard status",
	}
	if e, ok := errors.AsType[*store.Error](err); ok && e.Hint != "" {
		f.Fix = e.Hint
	}
	return []store.Finding{f}
}

// guardFindings assesses the guard's state. A hook that is installed but does
// not run is a problem, since people rely on it; one that was switched off or
// never installed is not.
func guardFindings(s guardState, installed bool) []store.Finding {
	var left []store.Finding
	for _, path := range s.Left {
		left = append(left, store.Finding{
			Severity: store.SeverityNote, Check: store.CheckGuard, Path: path,
			Message: fmt.Sprintf("%q %s", path, guard.LeftIs), Fix: guard.LeftFix,
		})
	}
	f := store.Finding{Severity: store.SeverityOK, Check: store.CheckGuard, Path: s.Hook}
	switch {
	case !installed:
		f.Message = "the commit guard is not installed (" + guardInstall + ")"
		return append([]store.Finding{f}, left...)
	case s.Runs:
		f.Message = fmt.Sprintf("the commit guard runs, mode %s", s.Mode)
	case !s.Edited && (s.Bypass || s.Mode == store.ModeOff):
		f.Severity, f.Fix = store.SeverityNote, "to switch it on again, undo that"
		f.Message = "the commit guard is switched off: " + s.Why
	case s.Unknown && !s.Edited:
		f.Severity, f.Fix = store.SeverityNote, "see what that hook does, or "+s.Fix
		f.Message = "the commit guard was installed and may not run: " + s.Why
	default:
		f.Severity, f.Fix = store.SeverityProblem, s.Fix
		f.Message = fmt.Sprintf("the commit guard was installed and %s: %s", runsNot(s.Unknown), s.Why)
		if !s.Edited {
			f.Fix += "   (or, if you no longer want it: agent-locks guard uninstall)"
		}
	}
	findings := append([]store.Finding{f}, left...)
	for _, g := range s.Elsewhere {
		findings = append(findings, store.Finding{
			Severity: store.SeverityNote, Check: store.CheckGuard, Path: g.Worktree,
			Message: fmt.Sprintf("the commit guard %s in the worktree %q: %s", runsNot(g.Unknown), g.Worktree, g.Why),
			Fix:     guardFix(g.Edited, guardInstall+" --base-dir "+shell.Word(g.Worktree)),
		})
	}
	return findings
}
