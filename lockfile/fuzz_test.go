package lockfile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

const fuzzID = "2026-07-17T18-45-12-hindsight-route-tests"

// FuzzParse holds three promises for any bytes: no panic; where the fast
// reader reads, the full reader reads the same; and an edit that succeeds has
// kept every line that it is not about.
func FuzzParse(f *testing.F) {
	names, err := filepath.Glob("testdata/*.md")
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "a note\nof two lines")
		f.Add(bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), "---\n```\n\n# x")
		f.Add(append([]byte(bom), bytes.TrimSuffix(data, []byte("\n"))...), "- [ ] x")
	}
	f.Fuzz(func(t *testing.T, data []byte, note string) {
		if len(data)+len(note) > 8<<10 {
			return // go fuzzing gives an input 10 s, and these may take one
		}
		checkFile(t, data, note)
	})
}

func checkFile(t fataler, data []byte, note string) {
	t.Helper()
	checkReaders(t, data)
	file, err := Parse(fuzzID, data)
	if err != nil {
		return
	}
	checkEdit(t, file, Edit{Set: []KeyValue{{"updated", "2026-07-18T00-00-00"}}})
	checkEdit(t, file, Edit{Set: []KeyValue{{"status", Done}, {"outcome", "modified"}, {"agent_id", nil}}, Remove: []string{"finished_by"}})
	checkEdit(t, file, Edit{Set: []KeyValue{{"scope", append(slices.Clone(file.Lock.Scope[min(1, len(file.Lock.Scope)):]), "added/**", note)}}})
	checkEdit(t, file, Edit{AddNotes: []string{note}, AddTasks: []string{note}})
	if len(file.Lock.Tasks) > 0 {
		last := len(file.Lock.Tasks) - 1
		checkTick(t, file, Tick{last, !file.Lock.Tasks[last].Done})
	}
	// A lock that can be read can be finished with a summary.
	if clean, err := CleanNote(note); err == nil && len(data)+len(note) < MaxFile/2 {
		if _, err := file.With(Edit{AddNotes: []string{clean}}); err != nil {
			t.Fatalf("a clean note is refused: %v\n%s", err, data)
		}
	}
}

// A fataler is what testing's and rapid's T have in common.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func checkReaders(t fataler, data []byte) {
	t.Helper()
	src := string(data)
	lay, err := split(src)
	if err != nil || !utf8.ValidString(src) { // which Parse refuses before
		return
	}
	fast, ok := lockWords.readFast(lay.frontText(src))
	if !ok {
		return
	}
	full, more, err := lockWords.readFull(src, lay)
	if err != nil || len(more) > 0 {
		t.Fatalf("the fast reader reads what the full one does not: %v, %v\n%s", err, more, src)
	}
	if diff := cmp.Diff(full, fast, cmp.AllowUnexported(value{})); diff != "" {
		t.Fatalf("the readers differ (-full +fast)\n%s", diff)
	}
}

// checkEdit checks that the lines of a file that an edit is not about are in
// the result, in their order, down to the last byte.
func checkEdit(t fataler, f *File, e Edit) {
	t.Helper()
	before := string(f.Bytes())
	got, err := f.With(e)
	if string(f.Bytes()) != before {
		t.Fatal("the edit changed the file that it came from")
	}
	if err != nil {
		return
	}
	about := map[string]bool{}
	for _, kv := range e.Set {
		about[kv.Key] = true
	}
	for _, k := range e.Remove {
		about[k] = true
	}
	lay, err := split(before)
	if err != nil {
		t.Fatal(err)
	}
	changed := make([]bool, len(before))
	for _, en := range scanEntries(before, lay.start, lay.end) {
		if about[en.name] {
			for i := en.start; i < en.end; i++ {
				changed[i] = true
			}
		}
	}
	after := string(got.Bytes())
	for at := 0; at < len(before); {
		end := lineEnd(before, at)
		if line := before[at:end]; !changed[at] {
			i := strings.Index(after, line)
			if i < 0 {
				t.Fatalf("the line %q is gone\nbefore:\n%s\nafter:\n%s", line, before, after)
			}
			after = after[i+len(line):]
		}
		at = end
	}
}

func checkTick(t fataler, f *File, tick Tick) {
	t.Helper()
	got, err := f.With(Edit{Tick: []Tick{tick}})
	if err != nil {
		t.Fatalf("a tick is refused: %v", err)
	}
	a, b := f.Bytes(), got.Bytes()
	differ := 0
	for i := range a {
		if len(a) != len(b) {
			t.Fatal("a tick changed the length")
		}
		if a[i] != b[i] {
			differ++
		}
	}
	if differ != 1 {
		t.Fatalf("a tick changed %d characters", differ)
	}
}

// FuzzScalar: what is written as a value reads back as the same text, for us
// and for yaml.v3 alike.
func FuzzScalar(f *testing.F) {
	for _, s := range []string{"", "007", "1e3", "null", "~", "no", "2026-07-17", "a: b", "# x", "'", `"`, "\\", "*x", "a\nb", "\u2028", "é", "-", "---", "x #y", "<<", "=", "!x", "%x", "@", "`", "[", "{a: b}", "1_000", "0x1F", "12:30:45", ".5", "\t", " x ", "\ufeff", "\r"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l := Lock{ID: fuzzID, Title: "t", Status: Active, Scope: []string{s, "b/" + s}, Repository: s, Branch: s}
		l.Created, _ = ParseStamp("2026-07-17T18-45-12")
		if s != "" {
			l.AgentID = &s
		}
		got, err := New(l)
		if err != nil {
			if strings.ToValidUTF8(s, "") == s && !strings.ContainsAny(s, "\ufffe\uffff\ufeff") && printable(s) {
				t.Fatalf("%q is refused: %v", s, err)
			}
			return
		}
		if !slices.Equal(got.Lock.Scope, l.Scope) || got.Lock.Repository != s || got.Lock.Branch != s || s != "" && *got.Lock.AgentID != s {
			t.Fatalf("%q reads back as %q", s, got.Lock.Scope)
		}
		checkReaders(t, got.Bytes())
		var m map[string]any
		lay, err := split(string(got.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal([]byte(lay.frontText(string(got.Bytes()))), &m); err != nil {
			t.Fatal(err)
		}
		if repository, _ := m["repository"].(string); repository != s || m["scope"].([]any)[0] != s {
			t.Fatalf("%q is %#v to yaml.v3", s, m["repository"])
		}
	})
}

// What we write takes the fast path; else listings would be slow and no test
// would say so.
func TestOwnFilesTakeTheFastPath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"example.md", "every-key.md"} {
		src := string(readTestdata(t, name))
		lay, err := split(src)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := lockWords.readFast(lay.frontText(src)); !ok {
			t.Errorf("%s: the fast reader does not read it", name)
		}
	}
}
