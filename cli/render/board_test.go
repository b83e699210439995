package render

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

// Two worktrees whose directories have one name stay apart.
func TestBoardOfWorktreesOfOneName(t *testing.T) {
	t.Parallel()
	var rows []store.Summary
	for _, c := range []struct{ id, worktree string }{{"a", "/x/login"}, {"b", "/y/login"}, {"c", "/x/login"}, {"d", "/y/login"}} {
		rows = append(rows, store.Summary{ID: c.id, Worktree: c.worktree, Status: lockfile.Active})
	}
	var out strings.Builder
	Board(&out, store.Answer[[]store.Summary]{Result: rows}, Screen{})
	var order []string
	for line := range strings.Lines(out.String()) {
		if words := strings.Fields(line); len(words) > 0 && (words[0] == "login" || words[0] == "now") {
			order = append(order, words[len(words)-1])
		}
	}
	if got := strings.Join(order, " "); got != "login a c login b d" {
		t.Errorf("%s:\n%s", got, out.String())
	}
}

// Of a lock that is done its end counts, not how long its holder was silent.
func TestSeenCell(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]store.Summary{
		"now":            {Status: lockfile.Active},
		"4m ago":         {Status: lockfile.Active, StaleForSeconds: 240, Ago: 240},
		"5m ago":         {Status: lockfile.Active, StaleForSeconds: 300},
		"2h ago (done)":  {Status: lockfile.Done, Ago: 7200},
		"3h ago (stale)": {Status: lockfile.Active, StaleForSeconds: 10800, Stale: true},
		"1m ago (asks)":  {Status: lockfile.Active, StaleForSeconds: 60, WaitingForPerson: "2026-07-17T18-45-12"},
	} {
		if got := seenCell(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
