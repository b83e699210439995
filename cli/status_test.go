package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/agent-locks/agent-locks/store"
)

func TestStatusRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, []store.Summary{}, []requestCase{
		{args: []string{"status"}, want: store.QueryRequest{Status: "active", ForPeople: true}},
		{args: []string{"status", "--stale-minutes", "1.5", "--base-dir", "/other"},
			want: store.QueryRequest{Target: store.Target{BaseDir: p("/other")}, Status: "active", StaleMinutes: p(1.5), ForPeople: true}},
		{args: []string{"status", "--base-dir", ""}, want: store.QueryRequest{Target: store.Target{BaseDir: p("")}, Status: "active", ForPeople: true}},
		{args: []string{"--base-dir", "a", "status", "--base-dir=b"}, want: store.QueryRequest{Target: store.Target{BaseDir: p("b")}, Status: "active", ForPeople: true}},
		{args: []string{"status", "--forecast"}, want: store.QueryRequest{Status: "active", ForPeople: true, Conflicts: true}},
		{args: []string{"status", "--forecast", "--watch"}, err: "--watch and --forecast do not go together"},
		{args: []string{"status", "src"}, err: `status takes no arguments, got "src"`},
		{args: []string{"status", "--all"}, err: `unknown flag "--all" for agent-locks status`},
	})
}

func TestStatusOutput(t *testing.T) {
	t.Parallel()
	conflicting := someSummary()
	conflicting.Conflicts = p(3)
	done := someSummary()
	done.Status = "done"
	testOutputs(t, []outputCase{
		{name: "none", args: []string{"status"}, store: fake{result: []store.Summary{}},
			want: "locks in /repo/.git/agents-locks\n\nno active locks\n"},
		{name: "with conflicts", args: []string{"status", "--forecast"}, store: fake{result: []store.Summary{conflicting}},
			want: `locks in /repo/.git/agents-locks

SEEN  WHO      WHERE  SCOPE                TITLE      DONE  CONFLICTS  ID
now   agent-1  login  src/auth/**, go.mod  Fix login  50%   3          2026-07-17T18-45-12-fix-login
`},
		{name: "two", args: []string{"status"}, store: fake{result: []store.Summary{someSummary(), staleSummary()}},
			want: `locks in /repo/.git/agents-locks

SEEN            WHO      WHERE        SCOPE                TITLE      DONE  ID
now             agent-1  login        src/auth/**, go.mod  Fix login  50%   2026-07-17T18-45-12-fix-login
2h ago (stale)  -        gone (gone)  docs                 Old        -     2026-07-17T18-45-13-old
`},
		{name: "a done lock cannot be stale", args: []string{"status"}, store: fake{result: []store.Summary{done}},
			want: `locks in /repo/.git/agents-locks

SEEN        WHO      WHERE  SCOPE                TITLE      DONE  ID
now (done)  agent-1  login  src/auth/**, go.mod  Fix login  50%   2026-07-17T18-45-12-fix-login
`},
		{name: "who waits", args: []string{"status"}, store: fake{result: []store.Summary{}, waiting: []store.Waiter{{AgentID: p("agent-2"), Scope: []string{"src"}, Since: "2026-07-17T18-45-12"}}},
			want: "locks in /repo/.git/agents-locks\n\nno active locks\n\nwaiting agent-2, for src, since 2026-07-17T18-45-12\n"},
		{name: "JSON has an array where there is nothing", args: []string{"status", "--json"},
			store: fake{result: []store.Summary{}}, want: "[]\n"},
		{name: "warnings go to stderr under --json as well", args: []string{"status", "--json"},
			store:  fake{result: []store.Summary{}, warnings: []string{`cannot read "x.md": empty`}},
			want:   "[]\n",
			stderr: "agent-locks: warning: cannot read \"x.md\": empty\n"},
	})
}

// Whatever the width, lines fit, and the id stays long enough to be used.
func TestStatusFitsTheTerminal(t *testing.T) {
	t.Parallel()
	wide := someSummary()
	wide.Title = "物語 " + strings.Repeat("🚀", 40)
	wide.Scope = []string{strings.Repeat("long/", 40)}
	other := someSummary()
	other.ID = someID + "-again"
	for width := 50; width < 240; width += 7 {
		got := try(t, &fake{result: []store.Summary{wide, other}}, []string{"status"}, func(w *World) {
			w.Columns = func() int { return width }
			w.Environ = func() []string { return []string{"NO_COLOR=1"} }
		})
		for _, line := range strings.Split(got.stdout, "\n")[1:] {
			if n := (&runewidth.Condition{}).StringWidth(line); n > width {
				t.Errorf("%d columns: a line takes %d: %s", width, n, line)
			}
		}
		if !strings.Contains(got.stdout, other.ID[:len(someID)+1]) {
			t.Errorf("%d columns: the ids cannot be distinguished:\n%s", width, got.stdout)
		}
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		columns int
		environ []string
		want    bool
	}{
		{"a terminal", 200, []string{"TERM=xterm"}, true},
		{"no terminal", 0, []string{"TERM=xterm"}, false},
		{"NO_COLOR", 200, []string{"NO_COLOR=1"}, false},
		{"an empty NO_COLOR says nothing", 200, []string{"NO_COLOR="}, true},
		{"a dumb terminal", 200, []string{"TERM=dumb"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := try(t, &fake{result: []store.Summary{staleSummary()}}, []string{"status"}, func(w *World) {
				w.Columns = func() int { return c.columns }
				w.Environ = func() []string { return c.environ }
			})
			if coloured := strings.Contains(got.stdout, "\x1b["); coloured != c.want {
				t.Errorf("coloured: %v, want %v", coloured, c.want)
			}
			if !strings.Contains(got.stdout, "2h ago (stale)") {
				t.Errorf("the stale lock is not shown:\n%s", got.stdout)
			}
		})
	}
}

// A turning store gives its answers one after the other, interrupts, and stays
// with the last, which may be asked for once more.
type turning struct {
	*fake
	answers [][]store.Summary
	stop    context.CancelFunc
}

func (s *turning) Query(context.Context, store.QueryRequest) (store.Answer[[]store.Summary], error) {
	now := s.answers[0]
	if len(s.answers) == 1 {
		s.stop()
	} else {
		s.answers = s.answers[1:]
	}
	return store.Answer[[]store.Summary]{Result: now, Dir: "/d"}, nil
}

// Where there is no screen to keep, the board is printed once: nobody could end it.
func TestBoardWithoutATerminalEnds(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{"board": "no active locks", "board --json": "[]\n"} {
		got := try(t, &fake{result: []store.Summary{}}, strings.Fields(args))
		if got.code != 0 || strings.Count(got.stdout, want) != 1 || strings.Contains(got.stdout, "\x1b") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

func TestStatusWatchShowsChangesOnly(t *testing.T) {
	t.Parallel()
	later := someSummary()
	later.StaleForSeconds++
	later.Ago++
	changed := someSummary()
	changed.PercentComplete = 100
	for _, c := range []struct {
		json bool
		want []string // how often what is printed
	}{
		{json: true, want: []string{"[]", `"percentComplete":50`, `"percentComplete":100`}},
		{want: []string{"no active locks", "50%", "100%"}},
	} {
		ctx, stop := context.WithCancel(t.Context())
		s := &turning{answers: [][]store.Summary{{}, {}, {someSummary()}, {later}, {changed}}, stop: stop}
		var out bytes.Buffer
		a := &app{World: World{Stderr: io.Discard, Environ: func() []string { return nil }}, locks: s, out: bufio.NewWriter(&out), json: c.json}
		if err := a.printChanges(ctx, store.QueryRequest{}, time.Millisecond); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", c, err)
		}
		for _, part := range c.want {
			if n := strings.Count(out.String(), part); n != 1 {
				t.Errorf("%+v: %q stands %d times in:\n%s", c, part, n, out.String())
			}
		}
	}
}
