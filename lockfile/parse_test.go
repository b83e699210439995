package lockfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// minimal is a file with just what a lock needs; its frontmatter is changed
// by replacing lines.
const minimal = "---\nid: " + fuzzID + "\nstatus: active\ncreated: 2026-07-17T18-45-12\nscope:\n  - a/**\n---\n"

func TestParseNodeFiles(t *testing.T) {
	t.Parallel()
	created := stamp(t, "2026-07-17T18-45-12")
	for name, want := range map[string]Lock{
		"node-plain.md": {
			ID: "2026-07-17T18-45-12-oauth-cleanup", Title: "OAuth cleanup", Status: Active,
			Created: created, Updated: stamp(t, "2026-07-17T18-50-00"),
			Scope: []string{"src/auth/**", "src/*.ts"}, Head: "1e10000",
			Tasks: []Task{{"Remove the old flow", false}, {"Write it down", true}}, Notes: []string{},
		},
		"node-history.md": {
			ID: "2026-07-17T18-45-12-scope-history", Title: `Scope history: "quoted" & more`, Status: Done,
			AgentID: ptr("007"), ParentAgentID: ptr("123"),
			Created: created, Updated: stamp(t, "2026-07-17T19:00:00.000Z"),
			Scope:      []string{"src/a/**", "a very long path with spaces that js-yaml folds over several lines because it is over eighty columns wide/**"},
			Repository: "/home/somebody/a directory with a very long name/that is folded by the library/app",
			Finished:   stamp(t, "2026-07-17 19:05:00"), FinishedBy: "subagent-1",
			Tasks: []Task{{"One", true}, {"Nested", false}, {"Two", false}},
			Notes: []string{"First\ngoes on\n\nafter a blank line", "Second"},
		},
		"hand-written.md": {
			ID: "2026-07-17T18-45-12-by-hand", Title: "By hand", Status: Active, AgentID: ptr("no"),
			Created: stamp(t, "2026-07-17 18:45:12"), Updated: stamp(t, "2026-07-17 18:45:12"),
			Scope: []string{"src/[id]/page.tsx", "it's/**"}, Mode: Shared, LeaseMinutes: 90.5,
			Tasks: []Task{{"spaced", false}}, Notes: []string{},
		},
	} {
		f, err := Parse(want.ID, readTestdata(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, f.Lock); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	swap := func(old, now string) string {
		if !strings.Contains(minimal, old) {
			t.Fatalf("%q is not there to be replaced", old)
		}
		return strings.Replace(minimal, old, now, 1)
	}
	for _, tt := range []struct{ data, reason string }{
		{"", "empty"},
		{" \n\n", "empty"},
		{bom, "empty"},
		{"# T\n", "the first line is not ---"},
		{"\n" + minimal, "the first line is not ---"},
		{" " + minimal, "the first line is not ---"},
		{"---yaml" + minimal[3:], "the first line is not ---"},
		{minimal[:40], "truncated"},
		{"---", "truncated"},
		{"---\n---\n", "the frontmatter is empty"},
		{"---\n# only a comment\n---\n", "the frontmatter is empty"},
		{"---\njust text\n---\n", "not a mapping"},
		{"---\n- a\n---\n", "not a mapping"},
		{"\xff\xfe", "not valid UTF-8"},
		{minimal + "\xff", "not valid UTF-8"},
		{minimal + strings.Repeat("x", MaxFile), "at most 1048576"},
		{"---\nid: x\n\tscope: [\n---\n", "not valid YAML"},
		{swap("created:", "x: [\ncreated:"), "not valid YAML"},
		{swap("status: active", "status: waiting"), `status is "waiting"`},
		{swap("status: active", "status: Active"), `status is "Active"`},
		{swap("status: active", "status: [active]"), "status is a list"},
		{swap("status: active\n", ""), "no status"},
		{swap("status: active", "status:"), "no status"},
		{swap("created: 2026-07-17T18-45-12\n", ""), "no created"},
		{swap("created: 2026-07-17T18-45-12", "created: null"), "no created"},
		{swap("created: 2026-07-17T18-45-12", "created: 2026-07-17"), `created: "2026-07-17" is not a timestamp`},
		{swap("created: 2026-07-17T18-45-12", "created: [2026-07-17T18-45-12]"), "created is a list"},
		{swap("status:", "updated: 1789000000\nstatus:"), `updated: "1789000000" is not a timestamp`},
		{swap("status:", "finished: later\nstatus:"), `finished: "later" is not a timestamp`},
		{swap("scope:\n  - a/**\n", ""), "no scope"},
		{swap("scope:\n  - a/**\n", "scope:\n"), "no scope"},
		{swap("- a/**", "- [a]"), "scope is not a list of strings"},
		{swap("- a/**", "- a: b"), "scope is not a list of strings"},
		{swap("- a/**", "- null"), "scope is not a list of strings"},
		{swap("- a/**", "-"), "scope is not a list of strings"},
		{swap("- a/**", "a: b"), "scope is not a list of strings"},
		{swap("- a/**", "- *nowhere"), "unknown anchor"},
		{swap("- a/**", "- &a [*a]"), "scope is not a list of strings"},
		{swap("- a/**", "- !!binary YQ=="), "scope is not a list of strings"},
		{swap("status:", "status: active\nstatus:"), `the key "status" appears twice`},
		{swap("status:", "x: 1\n\"x\": 2\nstatus:"), `the key "x" appears twice`},
		{swap("status:", "<<: {status: done}\nstatus:"), "not plain text"},
		{swap("status:", "[a]: b\nstatus:"), "not plain text"},
		{swap("status:", "x: |\n  ---\nstatus:"), "ambiguous"},
		{swap("status:", "---\u00a0\nstatus:"), "ambiguous"},
		{swap("status:", "...\nstatus:"), "more than one YAML document"},
		{swap("status:", "--- # x\nstatus:"), "more than one YAML document"},
	} {
		f, err := Parse(fuzzID, []byte(tt.data))
		if err == nil {
			t.Errorf("%.200q is readable: %+v", tt.data, f.Lock)
			continue
		}
		if got := err.Error(); !strings.Contains(got, tt.reason) || strings.ContainsAny(got, "\n\r") || len(got) > 400 {
			t.Errorf("%.200q: %q, want %q", tt.data, got, tt.reason)
		}
	}
	if _, err := Parse("x 2", []byte(minimal)); err == nil || !strings.Contains(err.Error(), `"x 2"`) {
		t.Errorf("a name that is not an id: %v", err)
	}
}

// The lines that YAML's reader reports are the file's.
func TestYAMLErrorsCountTheFilesLines(t *testing.T) {
	t.Parallel()
	_, err := Parse(fuzzID, []byte("---\nid: x\nstatus: a: b\n---\n"))
	if err == nil || !strings.Contains(err.Error(), "line 3:") {
		t.Error(err)
	}
}

func TestOddButReadable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, warning string }{
		{"id: other", `says id "other"`},
		{"id: [a]", "says id a list"},
		{"", "no id"},
		{"id: " + fuzzID + "\nmode: exclusive", `mode "exclusive"`},
		{"id: " + fuzzID + "\nlease_minutes: soon", `lease_minutes "soon"`},
		{"id: " + fuzzID + "\nlease_minutes: .inf", `lease_minutes ".inf"`},
		{"id: " + fuzzID + "\nlease_minutes: Inf", `lease_minutes "Inf"`},
		{"id: " + fuzzID + "\nlease_minutes: 0", `lease_minutes "0"`},
		{"id: " + fuzzID + "\nlease_minutes: -1", `lease_minutes "-1"`},
		{"id: " + fuzzID + "\nlease_minutes: 1e300", `lease_minutes "1e300"`},
		{"id: " + fuzzID + "\nagent_id: {a: b}", "agent_id is"},
		{"id: " + fuzzID + "\nhead: [a, b]", "head is a list"},
	} {
		f, err := Parse(fuzzID, []byte(strings.Replace(minimal, "id: "+fuzzID, tt.line, 1)))
		if err != nil {
			t.Errorf("%q: %v", tt.line, err)
			continue
		}
		if len(f.Lock.Warnings) != 1 || !strings.Contains(f.Lock.Warnings[0], tt.warning) {
			t.Errorf("%q: warnings %q, want %q", tt.line, f.Lock.Warnings, tt.warning)
		}
		want := Lock{
			ID: fuzzID, Title: "hindsight-route-tests", Status: Active, Scope: []string{"a/**"}, Tasks: []Task{}, Notes: []string{},
			Created: stamp(t, "2026-07-17T18-45-12"), Updated: stamp(t, "2026-07-17T18-45-12"), Warnings: f.Lock.Warnings,
		}
		if diff := cmp.Diff(want, f.Lock); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tt.line, diff)
		}
	}
}

// Whatever YAML makes of it, an agent's id is the text that stands there.
// A file of the greatest size is read, and no greater one.
func TestSizeLimitIsExact(t *testing.T) {
	t.Parallel()
	full := minimal + strings.Repeat("x", MaxFile-len(minimal))
	if _, err := Parse(fuzzID, []byte(full)); err != nil {
		t.Error(err)
	}
	if _, err := Parse(fuzzID, []byte(full+"x")); err == nil || !strings.Contains(err.Error(), "1048577 bytes (at most 1048576)") {
		t.Errorf("one byte more: %v", err)
	}
}

// The first second of the year 1 is what time.Time means by none; in a file it
// is a moment like any other.
func TestTheYearOneIsNotAbsent(t *testing.T) {
	t.Parallel()
	const first, later = "0001-01-01T00-00-00", "2026-07-17T18-45-12"
	src := func(created, updated, finished string) string {
		return fmt.Sprintf("---\nid: %s-x\nstatus: done\ncreated: %s\nupdated: %s\nscope: a\nfinished: %s\n---\n\n# x\n", later, created, updated, finished)
	}
	for _, c := range [][3]string{{first, first, first}, {first, later, later}, {later, first, later}, {later, later, first}} {
		f, err := Parse(later+"-x", []byte(src(c[0], c[1], c[2])))
		if err != nil {
			t.Errorf("%q: %v", c, err)
			continue
		}
		if got := [3]string{f.Lock.Created.String(), f.Lock.Updated.String(), f.Lock.Finished.String()}; got != c || f.Lock.Finished.IsZero() {
			t.Errorf("created, updated, finished %q read as %q", c, got)
		}
	}
	f, err := Parse(later+"-x", []byte(src(later, "null", "null")))
	if err != nil || f.Lock.Updated.String() != later || !f.Lock.Finished.IsZero() {
		t.Errorf("nulls read as %v, %v, %v", f.Lock.Updated, f.Lock.Finished, err)
	}
}

func TestAgentIDsAreText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"123": "123", "007": "007", "1e3": "1e3", "0x1F": "0x1F", "2026-07-17": "2026-07-17", "no": "no", "true": "true",
		"12:30:45": "12:30:45", ".5": ".5", "1_000": "1_000", "21E08": "21E08", "'null'": "null", `"~"`: "~", "!!str null": "null",
		"'it''s'": "it's", `"a\u00e9\"b"`: `aé"b`, "a # comment": "a", "a#b": "a#b", "&x a": "a", "|\n  a": "a", ">-\n  a\n  b": "a b",
		"null": "", "~": "", "Null": "", "": "", `""`: "", "null # nobody": "",
	} {
		f, err := Parse(fuzzID, []byte(strings.Replace(minimal, "status:", "agent_id: "+in+"\nstatus:", 1)))
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if got := f.Lock.AgentID; (got == nil) != (want == "") || got != nil && strings.TrimSpace(*got) != want {
			t.Errorf("%q: got %v, want %q", in, got, want)
		}
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	const slug = "hindsight-route-tests"
	for _, tt := range []struct {
		name, body, title string
		tasks             []Task
		notes             []string
	}{
		{"empty", "", slug, nil, nil},
		{"title", "\n#  A  title # \n# Another\n", "A  title #", nil, nil},
		{"a title that looks like one", "# # x\n", "# x", nil, nil},
		{"no title", "## Notes\n- a", slug, nil, []string{"a"}},
		{"a title without text", "# \n#\n#x\n  # y\n", slug, nil, nil},
		{"a title in code", "```\n# x\n```\n# y\n", "y", nil, nil},
		{"tasks", "# T\n- [ ] a\n* [x] b\n- [X]  c \n  - [ ] d\n-\t[ ]\te\n", "T",
			[]Task{{"a", false}, {"b", true}, {"c", true}, {"d", false}, {"e", false}}, nil},
		{"no tasks", "# T\n- [] a\n- [y] b\n+ [ ] c\n-[ ] d\n- [ ]e\n1. [ ] f\n- a\n", "T", nil, nil},
		{"tasks without a text, as the original writes them", "# T\n- [ ] \n- [x] x\n- [X]\n* [ ]\t\n", "T",
			[]Task{{"", false}, {"x", true}, {"", true}, {"", false}}, nil},
		{"tasks only between", "- [ ] before\n# T\n- [ ] in\n### Sub\n- [ ] sub\n## Section\n- [ ] after\n", "T",
			[]Task{{"in", false}, {"sub", false}}, nil},
		{"tasks in code", "# T\n```md\n- [ ] a\n~~~\n```\n- [ ] b\n  ```\n  - [ ] c\n  ```\n- [ ] d\n~~~\n## Notes\n- no\n~~~\n", "T",
			[]Task{{"b", false}, {"d", false}}, nil},
		{"a fence nobody closes", "# T\n```\n- [ ] a\n## Notes\n- b\n  ```\n- c\n", "T",
			[]Task{{"a", false}}, []string{"b\n```", "c"}},
		{"code within a line is not a fence", "# T\n``` a ```\n- [ ] a\n```\n", "T", []Task{{"a", false}}, nil},
		{"notes", "# T\n##  Notes \nIntro\n- a\n\n* b\n- c\nlazy\n  orphan\n-\n- d\n", "T", nil, []string{"a", "b", "c", "", "d"}},
		{"notes of many lines", "# T\n## Notes\n- a\n  b\n\n\n   c\n\n- ---\n  ---\n  ## Notes\n  - [ ] x\n\td\n- e\n  \n", "T", nil,
			[]string{"a\nb\n\n\n c", "---\n---\n## Notes\n- [ ] x\nd", "e"}},
		{"notes end", "# T\n## Notes\n- a\n## Other\n- b\n## Notes\n- c\n", "T", nil, []string{"a"}},
		{"notes end at a title", "## Notes\n- a\n# T\n- [ ] b\n- c\n", "T", []Task{{"b", false}}, []string{"a"}},
		{"notes and code", "# T\n## Notes\n- ```\n  - no\n  ```\n- b\n```\n- no\n## no\n```\n- c\n", "T", nil, []string{"```\n- no\n```", "b", "c"}},
		{"no notes", "# T\n### Notes\n- a\n##Notes\n- b\n## notes\n- c\n", "T", nil, nil},
		{"other line ends", "# T\u2028x\n- [ ] a\rb\n## Notes\n- a\u0085b\n", "T\u2028x", []Task{{"a\rb", false}}, []string{"a\u0085b"}},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			f, err := Parse(fuzzID, []byte(strings.ReplaceAll(minimal+tt.body, "\n", eol)))
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			want := Lock{Title: tt.title, Tasks: append([]Task{}, tt.tasks...), Notes: append([]string{}, tt.notes...)}
			got := Lock{Title: f.Lock.Title, Tasks: f.Lock.Tasks, Notes: f.Lock.Notes}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %q (-want +got)\n%s", tt.name, eol, diff)
			}
		}
	}
}

type panicking struct{}

func (panicking) UnmarshalYAML(func(any) error) error { panic("out of cheese") }

// A fault of the YAML library costs the one file.
func TestAPanicOfTheLibraryIsAnError(t *testing.T) {
	t.Parallel()
	if err := decodeYAML([]byte("a: b\n"), &panicking{}); err == nil || !strings.Contains(err.Error(), "not valid YAML: out of cheese") {
		t.Error(err)
	}
}

// Texts that have made YAML and markdown readers hang, panic or eat memory.
// Whatever comes of them, it comes soon: the test binary's own time limit is
// the judge.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	const head = "---\nstatus: active\ncreated: 2026-07-17T18-45-12\nscope: x\n"
	for name, front := range gittest.SomeOf(5, map[string]string{
		"open flow":       "x: " + fill("["),
		"open maps":       "x: " + fill("{a: "),
		"deep flow":       "x: " + strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
		"deep sequence":   "x:\n " + fill("- "),
		"deep mapping":    staircase(120),
		"flow list":       "x: [" + fill("a,") + "]",
		"quotes in flow":  "x: [" + fill("'a' ,") + "]",
		"comments":        fill("# c\n\n"),
		"item comments":   "x:\n" + fill("- a # c\n"),
		"keys":            counted("k%d: 1\n"),
		"alias bomb":      bomb(),
		"self reference":  "x: &a [*a]",
		"anchors":         fill("&a "),
		"tags":            fill("!a "),
		"question marks":  fill("? "),
		"colons":          fill(":"),
		"bare returns":    fill("\r"),
		"block of blanks": "x: |\n" + fill(" \n"),
		"long quoted":     "x: \"" + fill("a\n") + "\"",
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFile(t, []byte(head+front+"\n---\n# T\n"), "a note")
		})
	}
	for name, body := range gittest.SomeOf(2, map[string]string{
		"open fences":          fill("```x\n"),
		"open fences, mixed":   fill("```x\n~~~x\n"),
		"open fences, nested":  fill("  ```x\n   ~~~~x\n"),
		"open fences, in turn": fill("  ```x\nx\n"),
		"shrinking fences":     shrinking(),
		"tasks":                fill("- [ ] x\n"),
		"notes":                "## Notes\n" + fill("- x\n\n\n  x\n"),
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFile(t, []byte(head+"---\n# T\n"+body), "a note")
		})
	}
}

func fill(unit string) string { return strings.Repeat(unit, (8<<10)/len(unit)) }

func counted(format string) string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func staircase(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func bomb() string {
	b := "a0: &a0 [x]\n"
	for i := range 500 {
		b += fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i)
	}
	return b
}

func shrinking() string {
	var b strings.Builder
	for i := 500; i > 3; i-- {
		b.WriteString(strings.Repeat("`", i) + "x\n")
	}
	return b.String()
}
