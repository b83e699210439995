package cli

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store"
)

// On the usual terminal other columns are cut, or left out, before an id is.
func TestIDsStayWhole(t *testing.T) {
	t.Parallel()
	long := someSummary()
	long.ID, long.Title = "2026-07-17T18-45-12-make-the-login-form-fit", "Make the login form fit"
	long.Scope = []string{"src/auth/login/form.ts", "src/auth/login/form.css", "go.mod"}
	long.Overlaps = []overlap.Pair{{Yours: "src/**", Theirs: "src/auth/login/form.ts", Example: "src/auth/login/form.ts", Exact: true}}
	wide := &runewidth.Condition{StrictEmojiNeutral: true}
	for _, args := range [][]string{{"status"}, {"list"}, {"check", "src"}} {
		got := try(t, &fake{result: []store.Summary{long}}, args, func(w *World) { w.Columns = func() int { return 80 } })
		if !strings.Contains(got.stdout, long.ID) {
			t.Errorf("%q: the id is cut:\n%s", args, got.stdout)
		}
		for line := range strings.Lines(got.stdout) {
			if n := wide.StringWidth(strings.TrimSuffix(line, "\n")); n > 80 && !strings.Contains(line, "\x1b") {
				t.Errorf("%q: a line takes %d columns: %s", args, n, line)
			}
		}
	}
}

// One lock's long scope does not widen everybody's row.
func TestScopesOfManyEntriesAreCut(t *testing.T) {
	t.Parallel()
	many := someSummary()
	many.Scope = []string{strings.Repeat("x", 4000), "b", "c", "d", "e", "f"}
	got := try(t, &fake{result: []store.Summary{many}}, []string{"status"}, func(*World) {})
	if !strings.Contains(got.stdout, "…, b, c, d, (+2)") || len(got.stdout) > 1000 {
		t.Errorf("%d bytes: %.300s", len(got.stdout), got.stdout)
	}
	if whole := try(t, &fake{result: store.Whole{Summary: many}}, []string{"show", "x"}, func(*World) {}); !strings.Contains(whole.stdout, ", e, f\n") {
		t.Error("show does not show the whole scope")
	}
}
