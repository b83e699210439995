package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

type doctorOptions struct {
	*app
	request store.DoctorRequest
}

func newDoctor(a *app) *cobra.Command {
	o := &doctorOptions{app: a}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "look for what is wrong with git, the store or its files",
		Long: "Check git, the store, its files and the locks in it, and say what to do about\n" +
			"whatever is wrong. Without --fix nothing is changed. The exit code is 1 where a\n" +
			"problem is left.",
		Example: "  agent-locks doctor\n  agent-locks doctor --fix",
		Args:    noArgs("name another repository with --base-dir"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&o.request.Fix, "fix", false, "complete finishes that were cut short, and remove leftovers")
	return cmd
}

func (o *doctorOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	ans, err := o.locks.Doctor(ctx, o.request)
	if err == nil && ans.Result.Found(store.CheckRepository, store.SeverityOK) && ans.Result.Found(store.CheckGit, store.SeverityOK) {
		ans.Result.Findings = append(ans.Result.Findings, o.examineGuard(ctx)...)
	}
	findings := slices.Clone(ans.Result.Findings)
	for i, f := range findings {
		findings[i].Message, findings[i].Fix = asTyped(f.Message), asTyped(f.Fix)
	}
	ans.Result.Findings = findings
	if err := answer(o.app, ans, err, printDiagnosis); err != nil {
		return err
	}
	if ans.Result.Problems() > 0 {
		return answered(exitError)
	}
	return nil
}

// printDiagnosis writes what matters most first.
func printDiagnosis(w io.Writer, d store.Diagnosis) {
	for _, group := range []string{store.SeverityProblem, store.SeverityNote, fixed, store.SeverityOK} {
		for _, f := range d.Findings {
			if label(f) == group {
				printFinding(w, f)
			}
		}
	}
	notes := 0
	for _, f := range d.Findings {
		if label(f) == store.SeverityNote {
			notes++
		}
	}
	fmt.Fprintf(w, "\n%s, %s\n", count(d.Problems(), "problem"), count(notes, "note"))
}

const fixed = "fixed"

// label is the first column: how much a finding matters still.
func label(f store.Finding) string {
	if f.Fixed != "" {
		return fixed
	}
	return f.Severity
}

func printFinding(w io.Writer, f store.Finding) {
	const columns = "%-7s  %-11s  %s\n"
	fmt.Fprintf(w, columns, label(f), f.Check, plain(f.Message))
	further := f.Fix
	if f.Fixed != "" {
		further = f.Fixed
	}
	for line := range strings.Lines(further) {
		fmt.Fprintf(w, columns, "", "", plain(strings.TrimSuffix(line, "\n")))
	}
}
