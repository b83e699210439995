package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newDoctor(a *app) *cobra.Command {
	var request store.DoctorRequest
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "check git, the store and its files",
		Long: "Check git, the store, its files and the locks in it, and say what to do about\n" +
			"whatever is wrong. Without --fix nothing is changed. The exit code is 1 where a\n" +
			"problem is left.",
		Example: "  agent-locks doctor\n  agent-locks doctor --fix",
		Args:    noArgs("name another repository with --base-dir"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			request.Target = a.target()
			ans, err := a.locks.Doctor(cmd.Context(), request)
			if err == nil && ans.Result.Found(store.CheckRepository, store.SeverityOK) && ans.Result.Found(store.CheckGit, store.SeverityOK) {
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
	cmd.Flags().BoolVar(&request.Fix, "fix", false, "complete finishes that were cut short, and remove leftovers")
	return cmd
}

// inOurWords are findings that name flags and commands instead of arguments and
// tools.
func inOurWords(findings []store.Finding) []store.Finding {
	said := slices.Clone(findings)
	for i, f := range said {
		said[i].Message, said[i].Fix = asTyped(f.Message), asTyped(f.Fix)
	}
	return said
}
