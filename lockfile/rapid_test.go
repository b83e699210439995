package lockfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Lines that files are made of, good and bad. A random text hardly ever is a
// lock file; a random choice of these often is.
var (
	frontLines = []string{
		"id: " + fuzzID, "id: other", "status: active", "status: done # x", "status: 'active'", `"status": active`,
		"created: 2026-07-17T18-45-12", "created: 2026-07-17 18:45:12", "updated: 2026-07-17T18:45:12Z", "updated: ~",
		"agent_id: null", "agent_id: 007", "agent_id:", "agent_id: # nobody", "agent_id: &a x", "parent_agent_id: *a", "agent_id: \"a\\\"b\"",
		"scope:", "  - src/**", "  - 'it''s'", "- zero", "  - \"q\"", "  # among", "    - deep", "scope: src", "scope: [a, 'b]']", "scope: [", "a,", "]", "  b, ']' ]",
		"scope: |", "  text", "scope: >-", "branch: a", "  b", "branch: a # c", "branch: \"a", "  b\"", "b\"", "head: 1e3", "head: é", "head: a\u2028b", "head: a\rb",
		"x-foreign: 1", "x-foreign: {a: b}", "x-map:", "  status: done", "  k: |", "      # text", "x-block: |", "  id: x", "# comment", "", "  ", "\t", "lease_minutes: 90", "lease_minutes: 1e999", "mode: shared", "mode: odd",
		"finished_by: holder", "finished: 2026-07-17T18-45-12", "<<: *a", "? a", ": b", "...", "--- x", " ---", "%YAML 1.2", "outcome: !!str moved", "outcome: !x y", "moved_to: a:b", "moved_to: a: b", "repository: /x y", "worktree: 'a'  ", "id: \ufeff",
	}
	bodyLines = []string{
		"# Title", "# ", "#", "  # no", "- [ ] one", "- [x] two", "* [X] three", "  - [ ] nested", "\t- [ ] tab", "- [ ]", "- [y] no", "-  [ ]  wide ", "+ [ ] no",
		"```", "```go", "~~~", "````", "  ```", "   ~~~", "## Notes", "## Notes ", "## Other", "##Notes", "- note", "* note", "-", "  more", "\tmore", "   ", "", "", "text", "lazy", "---", "<!-- x -->", "- [ ] one\r", "a\rb", "\u2028- x",
	}
)

// soup draws a file of such lines.
func soup(t *rapid.T) []byte {
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"", "", "", bom, "\n"}).Draw(t, "before"))
	eol := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "eol")
	lines := []string{"---"}
	if rapid.Bool().Draw(t, "mostly right") {
		lines = append(lines, "id: "+fuzzID, "created: 2026-07-17T18-45-12", "status: active", "scope:", "  - a/**", "  - b")
	}
	lines = append(lines, rapid.SliceOfN(rapid.SampledFrom(frontLines), 0, 8).Draw(t, "front")...)
	lines = append(lines, rapid.SampledFrom([]string{"---", "---", "---", "--- ", "----"}).Draw(t, "close"))
	lines = append(lines, rapid.SliceOfN(rapid.SampledFrom(bodyLines), 0, 14).Draw(t, "body")...)
	b.WriteString(strings.Join(lines, eol))
	b.WriteString(rapid.SampledFrom([]string{eol, eol, ""}).Draw(t, "after"))
	return []byte(b.String())
}

func noteText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(bodyLines), 1, 6).Draw(t, "note"), "\n")
}

func TestAnyFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkFile(t, soup(t), noteText(t)) })
}

// cleaned draws a text that clean takes, as clean leaves it.
func cleaned(gen *rapid.Generator[string], clean func(string) (string, error)) *rapid.Generator[string] {
	ok := gen.Filter(func(s string) bool { _, err := clean(s); return err == nil })
	return rapid.Map(ok, func(s string) string { s, _ = clean(s); return s })
}

func TestNewReadsBack(t *testing.T) {
	t.Parallel()
	line := rapid.OneOf(rapid.SampledFrom([]string{"# x", "null", "~", "- [ ] x", "{a: b}", "ADR-0001: Files (split: core)", "it's 100% \\ done", "| pipe", "> fold", "🚀", "`z`"}), rapid.String())
	title, task, agent := cleaned(line, CleanTitle), cleaned(line, CleanTask), cleaned(line, CleanAgent)
	note := cleaned(rapid.OneOf(rapid.Custom(noteText), rapid.String()), CleanNote)
	rapid.Check(t, func(t *rapid.T) {
		created, err := ParseStamp("2026-07-17T18-45-12")
		if err != nil {
			t.Fatal(err)
		}
		l := Lock{
			ID: fuzzID, Title: title.Draw(t, "title"), Status: Active, Created: created, Updated: created,
			Scope:  rapid.SliceOfN(line.Filter(printable), 1, 4).Draw(t, "scope"),
			Branch: agent.Draw(t, "branch"), LeaseMinutes: rapid.Float64Range(0, maxLease).Draw(t, "lease"),
			Tasks: []Task{}, Notes: rapid.SliceOfN(note, 0, 4).Draw(t, "notes"),
		}
		if rapid.Bool().Draw(t, "known") {
			l.AgentID = ptr(agent.Draw(t, "agent"))
		}
		for _, s := range rapid.SliceOfN(task, 0, 4).Draw(t, "tasks") {
			l.Tasks = append(l.Tasks, Task{s, rapid.Bool().Draw(t, "done")})
		}
		f, err := New(l)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(l, f.Lock); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		// And so it does after edits that bring the text in later.
		first := l
		first.Tasks, first.Notes, first.AgentID = []Task{}, []string{}, nil
		g, err := New(first)
		if err != nil {
			t.Fatal(err)
		}
		e := Edit{AddNotes: l.Notes, Set: []KeyValue{{"agent_id", orNull(l.AgentID)}}}
		for _, task := range l.Tasks {
			e.AddTasks = append(e.AddTasks, task.Text)
		}
		if g, err = g.With(e); err != nil {
			t.Fatal(err)
		}
		var ticks []Tick
		for i, task := range l.Tasks {
			ticks = append(ticks, Tick{i, task.Done})
		}
		if g, err = g.With(Edit{Tick: ticks}); err != nil {
			t.Fatal(err)
		}
		if string(g.Bytes()) != string(f.Bytes()) {
			t.Fatalf("edits write another file than New\n%s", cmp.Diff(string(f.Bytes()), string(g.Bytes())))
		}
	})
}
