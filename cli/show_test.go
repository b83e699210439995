package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

func TestShowRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Whole{}, []requestCase{
		{args: []string{"show", "fix", "--stale-minutes", "3"}, want: store.ShowRequest{Ref: ref("fix"), StaleMinutes: p(3.0)}},
		{args: []string{"show"}, err: "show needs the id of a lock"},
	})
}

func TestShowOutput(t *testing.T) {
	t.Parallel()
	bare := store.Whole{Summary: staleSummary(), FilePath: "/f.md"}
	bare.Updated = "2026-07-17T18-45-13"
	reaped := store.Whole{Summary: staleSummary(), FilePath: "/f.md"}
	reaped.Status, reaped.Stale, reaped.Finished, reaped.FinishedBy = "done", false, "2026-07-17T20-45-13", "reap"
	leased := bare
	leased.LeaseMinutes = 1234567 // more than we grant: another tool's
	moved := reaped
	moved.FinishedBy, moved.Outcome, moved.MovedTo = "holder", "moved", "lib\x1b"
	testOutputs(t, []outputCase{
		{name: "whole", args: []string{"show", "fix"}, store: fake{result: someWhole()}, want: `Fix login

id        2026-07-17T18-45-12-fix-login
status    active, 50%
agent     agent-1
scope     src/auth/**, go.mod
worktree  /home/me/login
branch    login
created   2026-07-17T18-45-12
updated   2026-07-17T18-45-12
file      /repo/.git/agents-locks/2026-07-17T18-45-12-fix-login.md

tasks
  1 [x] Write test
  2 [ ] Mend \x1b[31mit

notes
  - two
    lines
  - one
`},
		{name: "bare", args: []string{"show", "old"}, store: fake{result: bare}, want: `Old

id        2026-07-17T18-45-13-old
status    active
scope     docs
worktree  /home/me/gone (gone)
updated   2026-07-17T18-45-13, stale: silent for 2h
file      /f.md
`},
		{name: "leased", args: []string{"show", "old"}, store: fake{result: leased}, want: `Old

id        2026-07-17T18-45-13-old
status    active
scope     docs
worktree  /home/me/gone (gone)
updated   2026-07-17T18-45-13, stale: silent for 2h
lease     1234567 minutes
file      /f.md
`},
		{name: "reaped", args: []string{"show", "old"}, store: fake{result: reaped}, want: `Old

id        2026-07-17T18-45-13-old
status    done
scope     docs
worktree  /home/me/gone (gone)
finished  2026-07-17T20-45-13 by reap
file      /f.md
`},
		{name: "moved", args: []string{"show", "old"}, store: fake{result: moved}, want: `Old

id        2026-07-17T18-45-13-old
status    done
scope     docs
worktree  /home/me/gone (gone)
finished  2026-07-17T20-45-13 by holder moved to lib\x1b
file      /f.md
`},
	})
}

func someWhole() store.Whole {
	return store.Whole{
		Summary:  someSummary(),
		Tasks:    []lockfile.Task{{Text: "Write test", Done: true}, {Text: "Mend \x1b[31mit"}},
		Notes:    []string{"two\nlines", "one"},
		FilePath: "/repo/.git/agents-locks/" + someID + ".md",
	}
}
