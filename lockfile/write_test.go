package lockfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func stamp(t *testing.T, s string) Stamp {
	t.Helper()
	st, err := ParseStamp(s)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func example(t *testing.T) Lock {
	return Lock{
		ID:            "2026-07-17T18-45-12-hindsight-route-tests",
		Title:         "Add hindsight route tests",
		AgentID:       ptr("subagent-4f2a"),
		ParentAgentID: ptr("session-abc123"),
		Status:        Active,
		Created:       stamp(t, "2026-07-17T18-45-12"),
		Updated:       stamp(t, "2026-07-17T18-45-12"),
		Scope:         []string{"backend/src/hindsight/**"},
		Repository:    "/home/me/src/app",
		Tasks:         []Task{{"Write route unit tests", true}, {"Write integration test", false}},
		Notes:         []string{"Started after checking for conflicts with the oauth-cleanup lock"},
	}
}

func TestNewWritesTheExample(t *testing.T) {
	t.Parallel()
	f, err := New(example(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(readTestdata(t, "example.md")), string(f.Bytes())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(example(t), f.Lock); diff != "" {
		t.Errorf("reads back (-want +got)\n%s", diff)
	}
}

func TestNewWritesEveryKeyThatSaysSomething(t *testing.T) {
	t.Parallel()
	l := example(t)
	l.AgentID, l.ParentAgentID = ptr("1e3"), nil
	l.Status, l.Title, l.Notes = Done, "null", nil
	l.Scope = []string{"*.ts", "app/[id]/page.tsx", "src/{a,b}/**", "no", "a # b", "Müller/**"}
	l.WorktreeName = "w t"
	l.Worktree, l.Branch, l.Head, l.Mode, l.LeaseMinutes = "/w t/x", "feature/#1", "0123456", Shared, 0.5
	l.Finished, l.FinishedBy, l.Outcome, l.MovedTo = stamp(t, "2026-07-17T19-00-00"), "reap", "moved", "src/b: c.ts"
	f, err := New(l)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(readTestdata(t, "every-key.md")), string(f.Bytes())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	l.Notes = []string{}
	if diff := cmp.Diff(l, f.Lock); diff != "" {
		t.Errorf("reads back (-want +got)\n%s", diff)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for reason, change := range map[string]func(*Lock){
		"the title is empty":           func(l *Lock) { l.Title = "" },
		"the title":                    func(l *Lock) { l.Title = "a\nb" },
		"the lock id":                  func(l *Lock) { l.ID = "../x" },
		"status is":                    func(l *Lock) { l.Status = "" },
		"created":                      func(l *Lock) { l.Created = Stamp{} },
		"not valid UTF-8":              func(l *Lock) { l.Repository = "/a\xff" },
		"mode":                         func(l *Lock) { l.Mode = "exclusive" },
		"lease_minutes":                func(l *Lock) { l.LeaseMinutes = -1 },
		"the note":                     func(l *Lock) { l.Notes = []string{"a\n"} },
		"at most 720896":               func(l *Lock) { l.Scope = []string{strings.Repeat("x", MaxFile-Reserve)} },
		"2 tasks would read back as 3": func(l *Lock) { l.Tasks = []Task{{"a\n- [ ] b", false}, {"c", false}} },
	} {
		l := example(t)
		change(&l)
		if f, err := New(l); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("want %q: %v, %v", reason, f, err)
		}
	}
}

// What js-yaml, read by its own programs, was seen to take for no text; and
// what is text to every reader and stays as it is.
func TestTyped(t *testing.T) {
	t.Parallel()
	for _, s := range typedTexts {
		if !isTyped(s) {
			t.Errorf("%q would be written without quotes", s)
		}
		out, err := quoteYAML(s)
		if err != nil || out[0] != '"' && out[0] != '\'' {
			t.Errorf("%q is written as %s, %v", s, out, err)
		}
	}
	for _, s := range []string{
		"2026-07-17T18-45-12", "2026-07-17T18-45-12-hindsight-route-tests", "subagent-4f2a", "claude-3818e424", "a1b2c3d4",
		"3818e424f", "7e53x1", "0xg1", "1.2.3", "v1.2", "2026-07-17-x", "12:34:56:x", "src/**", "main", "nobody", "no.go", "_1", "e", "E",
		"+x", ".github/**", ".infx", "~/x", "<<<", "true/false", "feature/1e3", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
	} {
		if isTyped(s) {
			t.Errorf("%q need not be quoted", s)
		}
	}
}

var typedTexts = []string{
	"", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE",
	"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N",
	"0", "-0", "+1", "12", "1_000", "0b101", "0b1_0", "-0b1", "0o17", "017", "0_7", "09", "0x1f", "0xFF_FF", "-0x1", "20:30", "1:2:3", "-190:20:30", "1_0:30",
	"3818e424", "7e5301", "1e3", "1E3", "1e+3", "1.5", "1.", "1_000.5", ".5", "-.5", "._7245", "._1", ".5e3", "1.e4", "20:30.5", "1:59.", "00e1", "-1e5",
	".inf", ".Inf", ".INF", "-.inf", "+.inf", ".nan", ".NaN", ".NAN",
	"2026-11-30", "2024-99-99", "2026-11-30 21:05:00Z", "2026-11-30 21:05:00", "2026-11-30T21:05:00Z", "2026-1-3t1:05:00.123 +1:30",
	"2026-11-30 \t21:05:00.", "2001-12-14t21:59:43.10-05:00", "2026-11-30T21:05:00+0100",
	"<<", "=",
}
