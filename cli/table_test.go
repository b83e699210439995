package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store"
)

// On the usual terminal other columns are cut, or omitted, before an id is.
func TestIDsStayWhole(t *testing.T) {
	t.Parallel()
	long := someSummary()
	long.ID, long.Title = "2026-07-17T18-45-12-make-the-login-form-fit", "Make the login form fit"
	long.Scope = []string{"src/auth/login/form.ts", "src/auth/login/form.css", "go.mod"}
	long.Overlaps = []overlap.Pair{{Yours: "src/**", Theirs: "src/auth/login/form.ts", Example: "src/auth/login/form.ts", Exact: true}}
	wide := &runewidth.Condition{StrictEmojiNeutral: true}
	for _, args := range [][]string{{"status"}, {"list"}, {"check", "src/"}} {
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

// What people see at the widths of terminals, with text that is two columns wide
// a character.
func TestTablesAtUsualWidths(t *testing.T) {
	t.Parallel()
	one, two, three := someSummary(), staleSummary(), someSummary()
	one.ShortID, two.ShortID = "fix-login", "old"
	one.StaleForSeconds, one.Branch, one.NextTask, one.Latest = 240, "fix-login", "ログインを直す", "429 answers carry Retry-After"
	one.Waiting = []store.Waiter{{AgentID: p("agent-7"), Scope: []string{"src"}, Since: "2026-07-17T18-45-12"}}
	two.Title, two.Scope = "物語を書く 🚀", []string{"文書/**", "docs/**/*.md", "site"}
	three.ID, three.Title = someID+"-with-a-name-of-some-length", strings.Repeat("long title ", 9)
	three.Scope = []string{"services/payments/internal/settlement/**", "services/payments/api/*.proto"}
	rows := []store.Summary{one, two, three}
	checked := []store.Summary{one, two}
	for i := range checked {
		checked[i].Overlaps = []overlap.Pair{{Yours: "src/**", Theirs: "src/物語/form.ts", Example: "src/物語/form.ts", Exact: true}}
	}
	var got strings.Builder
	for _, width := range []int{50, 80, 120} {
		world := func(w *World) {
			w.Columns = func() int { return width }
			w.Environ = func() []string { return []string{"NO_COLOR=1"} }
		}
		fmt.Fprintf(&got, "--- %d columns: status\n%s", width, try(t, &fake{result: rows}, []string{"status"}, world).stdout)
		fmt.Fprintf(&got, "--- %d columns: check src\n%s", width, try(t, &fake{result: checked}, []string{"check", "src/"}, world).stdout)
		for _, height := range []int{30, 12} {
			fmt.Fprintf(&got, "--- %d columns, %d lines: board\n", width, height)
			render.Board(&got, store.Answer[[]store.Summary]{Result: rows, Dir: "/repo/.git/agents-locks", Waiting: one.Waiting}, render.Screen{Width: width, Height: height})
		}
	}
	golden(t, "tables.txt", got.String())
}

// A lock whose agent waits for a person comes first, and its worktree does.
func TestBoardShowsFirstWhoWaitsForAPerson(t *testing.T) {
	t.Parallel()
	var rows []store.Summary
	for i, where := range []string{"/w/a", "/w/b", "/w/b"} {
		s := someSummary()
		s.ShortID, s.Worktree, s.Branch = fmt.Sprintf("lock-%d", i), where, ""
		rows = append(rows, s)
	}
	rows[2].WaitingForPerson = "2026-07-17T18-45-12"
	var got strings.Builder
	render.Board(&got, store.Answer[[]store.Summary]{Result: rows, Dir: "/d"}, render.Screen{})
	var order []string
	for word := range strings.FieldsSeq(got.String()) {
		if strings.HasPrefix(word, "lock-") {
			order = append(order, word)
		}
	}
	if want := []string{"lock-2", "lock-1", "lock-0"}; !slices.Equal(order, want) || !strings.Contains(got.String(), "(asks)") {
		t.Errorf("the order is %q, want %q:\n%s", order, want, got.String())
	}
}
