package render

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store"
)

// everyReport are the reports about this lock.
func everyReport(s store.Summary) map[string]func(io.Writer) {
	rows := []store.Summary{s, s}
	recent := []store.Recent{{ID: s.ID, Title: s.Title, AgentID: s.AgentID, LastNote: s.LastNote}}
	return map[string]func(io.Writer){
		"status": func(w io.Writer) { Status(w, store.Answer[[]store.Summary]{Dir: "/store", Result: rows}, Screen{}) },
		"list":   func(w io.Writer) { List(w, store.Answer[[]store.Summary]{Dir: "/store", Result: rows}, Screen{}) },
		"check":  func(w io.Writer) { Check(w, store.Answer[[]store.Summary]{Result: rows}, Screen{}) },
		"claim": func(w io.Writer) {
			Claimed(w, store.Created{ID: "new", Overlaps: rows, Recent: recent}, store.CreateRequest{}, Caller{})
		},
		"update": func(w io.Writer) {
			Updated(w, store.Updated{ID: "mine", PercentComplete: 100, Overlaps: rows}, nil, Caller{})
		},
		"reopen":   func(w io.Writer) { Reopened(w, store.Reopened{ID: "mine", Overlaps: rows}) },
		"wait":     func(w io.Writer) { Waited(w, store.Waited{Status: "timeout", Overlaps: rows, Recent: recent}) },
		"reap":     func(w io.Writer) { Reaped(w, []store.Reaped{{ID: s.ID, Title: s.Title}}, true) },
		"a holder": func(w io.Writer) { io.WriteString(w, HoldText("is ", store.Hold{Summary: s})) },
		"drift": func(w io.Writer) {
			Drift(w, []store.LockDrift{{LockID: "mine", Outcome: store.Drifted, Outside: []string{"gen/ (300 files)"},
				HeldByOthers: []store.Held{{Path: "gen/a", LockID: s.ID, Title: s.Title, AgentID: s.AgentID}}}}, false, Caller{})
		},
	}
}

// A lock file that was written by hand fills nobody's screen, and is named.
func TestHostileTextsAreCutWhereManyAreListed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 900_000)
	s := store.Summary{ID: "the-lock", Title: long, Status: "active", AgentID: &long, Branch: long, Worktree: "/" + long, Scope: []string{long}, LastNote: "note",
		Overlaps: []overlap.Pair{{Yours: "a", Theirs: long, Example: long}}}
	for name, write := range everyReport(s) {
		var b bytes.Buffer
		write(&b)
		named := strings.Contains(b.String(), s.ID) || name == "a holder"
		if b.Len() > 64<<10 || !named || !strings.Contains(b.String(), Ellipsis) {
			t.Errorf("%s: %d bytes, the lock is named: %v", name, b.Len(), named)
		}
	}
}

// Without tasks a lock is 100 % complete in JSON, as in the original; to people
// that would say that it is done.
func TestNoPercentageWithoutTasks(t *testing.T) {
	t.Parallel()
	s := store.Summary{ID: "the-lock", Title: "t", Status: "done", PercentComplete: 100, Scope: []string{"src"}}
	reports := everyReport(s)
	reports["show"] = func(w io.Writer) { Show(w, store.Whole{Summary: s, Notes: []string{"n"}}) }
	reports["log"] = func(w io.Writer) { Log(w, []store.Whole{{Summary: s, Notes: []string{"n"}}}, "") }
	for name, write := range reports {
		var b bytes.Buffer
		if write(&b); strings.Contains(b.String(), "%") {
			t.Errorf("%s:\n%s", name, b.String())
		}
	}
}

// What changed in a directory is listed as one line, and who holds something in
// it stays named, whichever list is the coarser one.
func TestDriftTextOfDirectories(t *testing.T) {
	t.Parallel()
	held := func(path, id string) store.Held { return store.Held{Path: path, LockID: id, Title: "t", Exact: true} }
	d := store.LockDrift{
		LockID: "mine", Outcome: store.Drifted, Outside: []string{"docs/a b.md", "free/ (9 files)", "gen/ (3000 files)", "lib/x.go"}, OutsideFiles: 3011,
		HeldByOthers: []store.Held{held("gen/a.js", "one"), held("gen/sub/ (20 files)", "two"), held("lib/ (40 files)", "three")},
	}
	var b bytes.Buffer
	Drift(&b, []store.LockDrift{d}, false, Caller{})
	const want = `mine: 3011 files changed outside its scope
  docs/a b.md
  free/ (9 files)
  gen/ (3000 files)
    gen/a.js held by an agent without an id (t): one
    gen/sub/ (20 files) held by an agent without an id (t): two
  lib/x.go
    lib/ (40 files) held by an agent without an id (t): three
next: agent-locks update mine --add-scope 'docs/a b.md' --add-scope free/
`
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
}
