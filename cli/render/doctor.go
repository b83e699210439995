package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// Diagnosis writes the findings, the most important first.
func Diagnosis(w io.Writer, d store.Diagnosis) {
	for _, group := range []string{store.SeverityProblem, store.SeverityNote, fixed, store.SeverityOK} {
		for _, f := range d.Findings {
			if label(f) == group {
				writeFinding(w, f)
			}
		}
	}
	notes := 0
	for _, f := range d.Findings {
		if label(f) == store.SeverityNote {
			notes++
		}
	}
	fmt.Fprintf(w, "\n%s, %s\n", Count(d.Problems(), "problem"), Count(notes, "note"))
}

const fixed = "fixed"

// label is the first column: how much a finding still matters.
func label(f store.Finding) string {
	if f.Fixed != "" {
		return fixed
	}
	return f.Severity
}

func writeFinding(w io.Writer, f store.Finding) {
	const columns = "%-7s  %-11s  %s\n"
	fmt.Fprintf(w, columns, label(f), f.Check, Plain(f.Message))
	further := f.Fix
	if f.Fixed != "" {
		further = f.Fixed
	}
	for line := range strings.Lines(further) {
		fmt.Fprintf(w, columns, "", "", Plain(strings.TrimSuffix(line, "\n")))
	}
}
