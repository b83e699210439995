package lockfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, data string) *File {
	t.Helper()
	f, err := Parse(fuzzID, []byte(data))
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return f
}

// Each case changes a front of a few lines; all else stays byte for byte, in
// files of either line end, with a byte order mark and without a last newline.
func TestEditFrontmatter(t *testing.T) {
	t.Parallel()
	const rest = "id: " + fuzzID + "\nstatus: active\ncreated: 2026-07-17T18-45-12\n"
	const scope = "scope:\n  - a/**\n"
	set := func(k string, v any) Edit { return Edit{Set: []KeyValue{{k, v}}} }
	for _, tt := range []struct {
		name, before string
		edit         Edit
		after        string
	}{
		{"in place", rest + scope, set("status", Done),
			strings.Replace(rest, "active", "done", 1) + scope},
		{"a comment stays", rest + scope + "branch:   a   # mine\n", set("branch", "b"), rest + scope + "branch:   b   # mine\n"},
		{"a comment behind quotes", rest + scope + "branch: 'a # b' # mine\n", set("branch", "c"), rest + scope + "branch: c # mine\n"},
		{"a comment alone", rest + scope + "agent_id: # nobody\n", set("agent_id", "x"), rest + scope + "agent_id: x # nobody\n"},
		{"nothing there", rest + scope + "agent_id:\n", set("agent_id", "x"), rest + scope + "agent_id: x\n"},
		{"to null", rest + "agent_id: '007'\n" + scope, set("agent_id", nil), rest + "agent_id: null\n" + scope},
		{"quotes where needed", rest + "agent_id: x\n" + scope, set("agent_id", "007"), rest + "agent_id: \"007\"\n" + scope},
		{"a quoted key", rest + "\"agent_id\" : x\n" + scope, set("agent_id", "z"), rest + "\"agent_id\" : z\n" + scope},
		{"a key's own order", scope + rest, set("updated", "2026-07-18T00-00-00"), scope + rest + "updated: 2026-07-18T00-00-00\n"},
		{"added in order", rest + scope + "outcome: moved\nmoved_to: b\n", Edit{Set: []KeyValue{{"finished", "2026-07-18T00-00-00"}, {"lease_minutes", 90.0}, {"worktree", "/w"}}},
			rest + scope + "worktree: /w\nlease_minutes: 90\nfinished: 2026-07-18T00-00-00\noutcome: moved\nmoved_to: b\n"},
		{"added first", "status: active\ncreated: 2026-07-17T18-45-12\n" + scope, set("id", fuzzID), "id: " + fuzzID + "\nstatus: active\ncreated: 2026-07-17T18-45-12\n" + scope},
		{"added behind a comment of the list", rest + scope + "  # more to come\n\n# the place\nx: y\n", set("repository", "/r"),
			rest + scope + "repository: /r\n  # more to come\n\n# the place\nx: y\n"},
		{"a text of several lines takes one", rest + scope + "branch: a\n", set("branch", "a\n\nb"), rest + scope + "branch: \"a\\n\\nb\"\n"},
		{"a foreign key", rest + scope + "x: [1, 2]\n", Edit{Set: []KeyValue{{"x", "w"}, {"z", "new"}}}, rest + scope + "x: w\nz: new\n"},
		{"removed", rest + "finished_by: reap # why\n" + scope, Edit{Remove: []string{"finished_by", "finished", "absent"}}, rest + scope},
		{"removed, many lines", rest + scope + "x: {a: [\nb,\nc ] }\ny:\n- a\n\n# in\n- b\n# out\nz: 1\n", Edit{Remove: []string{"x", "y"}}, rest + scope + "# out\nz: 1\n"},
		{"a block scalar", rest + "branch: | # odd\n  a\n\n  # text\n\n# comment\n" + scope, set("branch", "b"), rest + "branch: b # odd\n\n# comment\n" + scope},
		{"a folded value", rest + "branch: a\n  b\n  # comment\n" + scope, set("branch", "b"), rest + "branch: b\n  # comment\n" + scope},
		{"quotes over lines", rest + "branch: \"a\n\n  status: done\" # odd\n" + scope, set("branch", "b"), rest + "branch: b\n" + scope},
		{"false keys", rest + "x: |\n  status: done\ny: \"\nstatus: done\n\"\n" + scope, set("status", Done), strings.Replace(rest, "active", "done", 1) + "x: |\n  status: done\ny: \"\nstatus: done\n\"\n" + scope},
		{"items", rest + "scope: # mine\n- a # first\n# then\n-   'b'\n\n- c\n# end\n", set("scope", []string{"a", "c", "d: e"}), rest + "scope: # mine\n- a # first\n# then\n\n- c\n- 'd: e'\n# end\n"},
		{"the last item goes", rest + "scope:\n    - a\n    - b\nx: y\n", set("scope", []string{"a", "c"}), rest + "scope:\n    - a\n    - c\nx: y\n"},
		{"no item stays", rest + "scope: # mine\n- a # first\n- b\n# end\n", set("scope", []string{"c"}), rest + "scope: # mine\n  - c\n# end\n"},
		{"another order", rest + "scope:\n- a\n- b\n", set("scope", []string{"b", "a"}), rest + "scope:\n- b\n- a\n"},
		{"an item of two lines", rest + "scope:\n- a\n- b\n  c\n", set("scope", []string{"a"}), rest + "scope:\n  - a\n"},
		{"a flow list", rest + "scope: [a, 'b#', \"]\" ] # mine\n", set("scope", []string{"a", "c"}), rest + "scope: # mine\n  - a\n  - c\n"},
		{"a flow list over lines", rest + "scope: [\na, # ]\n  it's, 'b'\n]\nx: y\n", set("scope", []string{"a"}), rest + "scope:\n  - a\nx: y\n"},
		{"a scalar scope", rest + "scope: a # mine\n", set("scope", []string{"a", "*.ts"}), rest + "scope: # mine\n  - a\n  - '*.ts'\n"},
		{"no scope", rest + scope, set("scope", []string{}), rest + "scope: []\n"},
	} {
		for _, form := range forms {
			f := mustParse(t, form("---\n"+tt.before+"---\n\n# T\n"))
			got, err := f.With(tt.edit)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				break
			}
			if diff := cmp.Diff(form("---\n"+tt.after+"---\n\n# T\n"), string(got.Bytes())); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.name, diff)
				break
			}
		}
	}
}

// forms are the ways in which one text lies in a file.
var forms = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	func(s string) string { return bom + strings.TrimSuffix(s, "\n") },
}

func TestEditBody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before string
		edit         Edit
		after        string
	}{
		{"ticks", "# T\n- [ ] a\n- [X] b\n* [x]  c\n", Edit{Tick: []Tick{{0, true}, {1, true}, {2, false}}}, "# T\n- [x] a\n- [X] b\n* [ ]  c\n"},
		{"tasks behind the last", "# T\n\n* [ ] a\n  more of a\n  ```\n\n  ```\n\ntext\n## Notes\n", Edit{AddTasks: []string{"b", "c"}},
			"# T\n\n* [ ] a\n  more of a\n  ```\n\n  ```\n* [ ] b\n* [ ] c\n\ntext\n## Notes\n"},
		{"the first task", "\n# T\n\n## Notes\n", Edit{AddTasks: []string{"a"}}, "\n# T\n\n- [ ] a\n\n## Notes\n"},
		{"the first task before text", "# T\ntext\n", Edit{AddTasks: []string{"a"}}, "# T\n\n- [ ] a\n\ntext\n"},
		{"a task without a title", "\n## Notes\n", Edit{AddTasks: []string{"a"}}, "\n- [ ] a\n\n## Notes\n"},
		{"a task in an empty body", "", Edit{AddTasks: []string{"a"}}, "\n- [ ] a\n"},
		{"a note", "# T\n\n## Notes\n- a\n\n## Other\ntext\n", Edit{AddNotes: []string{"b", "c\n\n  d"}}, "# T\n\n## Notes\n- a\n- b\n- c\n\n    d\n\n## Other\ntext\n"},
		{"the first note", "# T\n", Edit{AddNotes: []string{"a"}}, "# T\n\n## Notes\n- a\n"},
		{"the first note behind a blank line", "# T\n \n", Edit{AddNotes: []string{"a"}}, "# T\n \n## Notes\n- a\n"},
		{"the first note in an empty body", "", Edit{AddNotes: []string{"a"}}, "\n## Notes\n- a\n"},
		{"an empty section", "# T\n## Notes\n\n# U\n", Edit{AddNotes: []string{"a"}}, "# T\n## Notes\n- a\n\n# U\n"},
		{"a note behind others' text", "## Notes\n- a\nlazy\n\n  orphan\n<!-- end -->\n\n", Edit{AddNotes: []string{"b"}}, "## Notes\n- a\nlazy\n\n  orphan\n<!-- end -->\n- b\n\n"},
		{"all at once", "# T\n- [ ] a\n", Edit{Tick: []Tick{{0, true}}, AddTasks: []string{"b"}, AddNotes: []string{"n"}}, "# T\n- [x] a\n- [ ] b\n\n## Notes\n- n\n"},
		{"both firsts at the end", "# T\n", Edit{AddTasks: []string{"b"}, AddNotes: []string{"n"}}, "# T\n\n- [ ] b\n\n## Notes\n- n\n"},
		{"nothing", "# T  \n\ttext\n\n", Edit{}, "# T  \n\ttext\n\n"},
	} {
		for _, form := range forms {
			got, err := mustParse(t, form(minimal+tt.before)).With(tt.edit)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				break
			}
			if diff := cmp.Diff(form(minimal+tt.after), string(got.Bytes())); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.name, diff)
				break
			}
		}
	}
}

// A note reads back as it was written, whatever it looks like.
func TestNotesReadBack(t *testing.T) {
	t.Parallel()
	notes := []string{
		"before\n---\nid: fake\nstatus: done\n---\nafter", "---\nend", "# x", "## Notes", "- [ ] x", "- a\n- b", "a\n\n\n\nb", "a  \n \n  b\t\nc", "a\n\tb",
		"```\n- x\n## Notes\n```", "```", "~~~\n\nopen", "a\n# b\n## c", "*", "-", "- ", "é\u2028x\u0301", "a\n   ```\n", "[x] a", "> q\n\n    code",
	}
	for _, form := range forms {
		f := mustParse(t, form(string(readTestdata(t, "example.md"))))
		want := append([]string{}, f.Lock.Notes...)
		for _, n := range notes {
			clean, err := CleanNote(n)
			if err != nil {
				t.Fatal(err)
			}
			if f, err = f.With(Edit{AddNotes: []string{clean}, Set: []KeyValue{{"updated", "2026-07-18T00-00-00"}}}); err != nil {
				t.Fatalf("%q: %v", n, err)
			}
			want = append(want, clean)
		}
		if diff := cmp.Diff(want, f.Lock.Notes); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if f.Lock.Status != Active || len(f.Lock.Tasks) != 2 || len(f.Lock.Warnings) != 0 {
			t.Errorf("the notes changed something else: %+v", f.Lock)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	set := func(k string, v any) Edit { return Edit{Set: []KeyValue{{k, v}}} }
	for _, tt := range []struct {
		name, front, body string
		edit              Edit
		reason            string
	}{
		{"a bad status", "", "", set("status", "waiting"), `status is "waiting"`},
		{"a bad stamp", "", "", set("updated", "now"), `updated: "now"`},
		{"no stamp", "", "", Edit{Remove: []string{"created"}}, "no created"},
		{"another id", "", "", set("id", "other"), `says id "other"`},
		{"a mode that reads as none", "", "", set("mode", "exclusive"), `mode "exclusive"`},
		{"a lease for ever", "", "", set("lease_minutes", 1e300), "lease_minutes"},
		{"a type that YAML knows and we do not", "", "", set("lease_minutes", 5), "type int"},
		{"text outside UTF-8", "", "", set("branch", "a\xff"), "not valid UTF-8"},
		{"an item outside UTF-8", "", "", set("scope", []string{"a/**", "\xff"}), "not valid UTF-8"},
		{"a key twice", "", "", Edit{Set: []KeyValue{{"mode", Shared}, {"mode", nil}}}, `"mode" is set twice`},
		{"a key set and removed", "", "", Edit{Set: []KeyValue{{"mode", Shared}}, Remove: []string{"mode"}}, "both set and removed"},
		{"an anchor that others use", "branch: &a x\ny: *a\n", "", set("branch", "z"), "unknown anchor"},
		{"an anchor whose value others use", "branch: &a x\nhead: *a\n", "", Edit{Remove: []string{"branch"}}, "unknown anchor"},
		{"lines that only YAML sees", "branch: a\rhead: b\n", "", set("branch", "z"), "head would read back"},
		{"a foreign key that only YAML sees", "branch: a\rx: b\n", "", set("branch", "z"), "0 other keys instead of 1"},
		{"a key that only YAML sees", "? branch\n: a\n", "", set("branch", "z"), "appears twice"},
		{"a key that is not text", "", "", set("a: b", "z"), "not valid YAML"},
		{"no such task", "", "# T\n- [ ] a\n", Edit{Tick: []Tick{{1, true}}}, "no task 1 (the lock has 1)"},
		{"no such task either", "", "# T\n- [ ] a\n", Edit{Tick: []Tick{{-1, true}}}, "no task -1"},
		{"a task of two lines", "", "# T\n", Edit{AddTasks: []string{"a\nb"}}, "the task"},
		{"two tasks in one", "", "# T\n", Edit{AddTasks: []string{"a\n- [ ] b"}}, "1 tasks would read back as 2"},
		{"an untrimmed task", "", "# T\n", Edit{AddTasks: []string{" "}}, "the task"},
		{"an untrimmed note", "", "# T\n", Edit{AddNotes: []string{" a"}}, "the note"},
		{"a note with a carriage return", "", "# T\n", Edit{AddNotes: []string{"a\r\nb"}}, "the note"},
		{"a file that grows too big", "", "# T\n", Edit{AddNotes: []string{strings.Repeat("x", MaxFile)}}, "at most 1048576"},
	} {
		before := strings.Replace(minimal, "scope:", tt.front+"scope:", 1) + tt.body
		f := mustParse(t, before)
		got, err := f.With(tt.edit)
		if err == nil {
			t.Errorf("%s: done\n%s", tt.name, got.Bytes())
			continue
		}
		if !strings.Contains(err.Error(), tt.reason) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want %q", tt.name, err, tt.reason)
		}
		if string(f.Bytes()) != before {
			t.Errorf("%s: the file changed", tt.name)
		}
	}
}

// What an edit is not about must read back as it was, keys that we do not
// interpret included.
func TestForeignKeysMustReadBack(t *testing.T) {
	t.Parallel()
	const keys = "x: {a: [1, '2']}\ny: &b text\nz: *b\n"
	file := func(keys string) string { return strings.Replace(minimal, "scope:", keys+"scope:", 1) }
	p, err := parse(fuzzID, []byte(file(keys)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.intended().verify(fuzzID, []byte(file(keys))); err != nil {
		t.Errorf("nothing changed: %v", err)
	}
	for changed, reason := range map[string]string{
		strings.Replace(keys, "'2'", "2", 1):   `the key "x" would change`,
		strings.Replace(keys, "[1, ", "[", 1):  `the key "x" would change`,
		strings.Replace(keys, "text", "te", 1): `the key "y" would change`,
		strings.Replace(keys, "*b", "text", 1): `the key "z" would change`,
		strings.Replace(keys, "x:", "w:", 1):   `the key "x" would change`,
		keys + "w: 1\n":                        "4 other keys instead of 3",
		"":                                     "0 other keys instead of 3",
	} {
		if _, err := p.intended().verify(fuzzID, []byte(file(changed))); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, want %q", changed, err, reason)
		}
	}
}
