package lockfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func stateStamp(t fataler, s string) Stamp {
	t.Helper()
	at, err := ParseStamp(s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func exampleState(t fataler) State {
	agent := "agent-2"
	return State{
		Name: "api/limits", Version: 3, Created: stateStamp(t, "2026-07-17T18-45-12"), Updated: stateStamp(t, "2026-07-17T19-02-40"),
		AgentID: &agent, Scope: []string{"src/api/**"},
		Value: "At most 100 requests a minute for each key; 429 carries Retry-After.",
	}
}

const exampleStateFile = `---
name: api/limits
version: 3
created: 2026-07-17T18-45-12
updated: 2026-07-17T19-02-40
agent_id: agent-2
scope:
  - src/api/**
---

At most 100 requests a minute for each key; 429 carries Retry-After.
`

func TestStateIsWrittenAsTheDesignShowsIt(t *testing.T) {
	t.Parallel()
	f, err := NewState(exampleState(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(exampleStateFile, string(f.Raw())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	lay, err := split(exampleStateFile)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := stateWords.readFast(lay.frontText(exampleStateFile)); !ok {
		t.Error("the fast reader does not read it")
	}
}

// Whatever text is the value, it is the value byte for byte, in a file of either
// line end.
func TestValuesAreKeptByteForByte(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := exampleState(t)
		pieces := rapid.SampledFrom([]string{"", "a", "\n", "\r", "\r\n", "---", " ", "\t", "\u200b", "\ufeff", "é", `{"x":1}`, "## Notes\n"})
		value := func(label string) string { return strings.Join(rapid.SliceOf(pieces).Draw(t, label), "") }
		s.Value = value("first")
		f, err := NewState(s)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "crlf") {
			front, _, _ := strings.Cut(exampleStateFile, "\nAt most")
			f, err = ParseState(s.Name, []byte(strings.ReplaceAll(front, "\n", "\r\n")+"\r\n"+s.Value+"\r\n"))
			if err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			again, err := ParseState(s.Name, f.Raw())
			if err != nil || again.State.Value != s.Value {
				t.Fatalf("%q reads back as %q, %v", s.Value, again.State.Value, err)
			}
			s.Version, s.Value = s.Version+1, value("next")
			if f, err = again.Rewritten(s); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestWhatIsForeignInAnEntrySurvives(t *testing.T) {
	t.Parallel()
	const before = "\ufeff---\r\n# by hand\r\nversion: 3 # counts\r\nname: api/limits\r\nowner:\r\n  - {a: b} # who\r\n" +
		"created: 2026-07-17T18:45:12Z\r\nscope:\r\n  - src/api/** # the API\r\n  - docs/**\r\nagent_id: 007\r\nstatus: mine\r\n---\r\n\r\none\r\ntwo\r\n"
	f, err := ParseState("api/limits", []byte(before))
	if err != nil {
		t.Fatal(err)
	}
	s := f.State
	if s.Value != "one\r\ntwo" || *s.AgentID != "007" || s.Version != 3 || len(s.Warnings) > 0 || !s.Updated.Equal(s.Created.Time) {
		t.Errorf("read as %+v", s)
	}
	s.Version, s.Scope, s.Updated, s.Value = 4, []string{"src/api/**"}, stateStamp(t, "2026-07-18T00-00-00"), "three\r\n"
	if f, err = f.Rewritten(s); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("version: 3 #", "version: 4 #", "  - docs/**\r\n", "", "one\r\ntwo\r\n", "three\r\n\r\n",
		"12Z\r\n", "12Z\r\nupdated: 2026-07-18T00-00-00\r\n").Replace(before)
	if diff := cmp.Diff(want, string(f.Raw())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	s = f.State
	s.Version, s.Deleted, s.Scope, s.Value = 5, true, nil, ""
	if f, err = f.Rewritten(s); err != nil {
		t.Fatal(err)
	}
	if got := string(f.Raw()); !f.State.Deleted || strings.Contains(got, "src/api") || !strings.Contains(got, "owner:\r\n  - {a: b} # who\r\n") ||
		!strings.HasSuffix(got, "\r\n---\r\n\r\n\r\n") {
		t.Errorf("deleted, it is %q", got)
	}
	s = f.State
	s.Version, s.Deleted, s.Value = 6, false, "again"
	if f, err = f.Rewritten(s); err != nil || f.State.Deleted || strings.Contains(string(f.Raw()), "deleted") {
		t.Errorf("%v: %q", err, f.Raw())
	}
}

func TestHostileEntriesAreUnreadable(t *testing.T) {
	t.Parallel()
	with := func(old, new string) string { return strings.Replace(exampleStateFile, old, new, 1) }
	for what, c := range map[string]struct{ file, reason string }{
		"empty":              {"", "empty"},
		"no frontmatter":     {"text\n", "no frontmatter"},
		"truncated":          {exampleStateFile[:40], "not closed"},
		"no version":         {with("version: 3\n", ""), "version is missing"},
		"version 0":          {with("version: 3", "version: 0"), "version"},
		"negative":           {with("version: 3", "version: -3"), "version"},
		"a fraction":         {with("version: 3", "version: 3.0"), "version"},
		"octal":              {with("version: 3", "version: 03"), "version"},
		"beyond 2^53-1":      {with("version: 3", "version: 9007199254740992"), "version"},
		"beyond 64 bits":     {with("version: 3", "version: 99999999999999999999"), "version"},
		"a list of versions": {with("version: 3", "version: [3]"), "version"},
		"two versions":       {with("version: 3", "version: 3\nversion: 4"), "twice"},
		"no created":         {with("created: 2026-07-17T18-45-12\n", ""), "created"},
		"a bad stamp":        {with("2026-07-17T19-02-40", "yesterday"), "updated"},
		"a bad scope":        {with("  - src/api/**", "  - {a: b}"), "scope"},
		"maybe deleted":      {with("version: 3", "version: 3\ndeleted: maybe"), "deleted"},
		"deleted by a list":  {with("version: 3", "version: 3\ndeleted: []"), "deleted"},
		"not UTF-8":          {with("100", "\xff"), "UTF-8"},
		"a NUL":              {with("100", "\x00"), "NUL"},
		"a value too long":   {with("100", strings.Repeat("x", MaxValue)), "bytes long"},
		"a file too long":    {with("name:", "x: "+strings.Repeat("x", MaxFile)+"\nname:"), "bytes"},
	} {
		if f, err := ParseState("api/limits", []byte(c.file)); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, %v; want %q", what, f, err, c.reason)
		}
	}
	for what, c := range map[string]struct{ file, warning string }{
		"another name": {with("name: api/limits", "name: ../x"), `says name "../x"`},
		"no name":      {with("name: api/limits\n", ""), "no name"},
		"a list":       {with("agent_id: agent-2", "agent_id: [agent-2]"), "ignored"},
	} {
		f, err := ParseState("api/limits", []byte(c.file))
		if err != nil || f.State.Name != "api/limits" || !strings.Contains(strings.Join(f.State.Warnings, "\n"), c.warning) {
			t.Errorf("%s: %+v, %v; want %q", what, f, err, c.warning)
		}
	}
	full := with("At most 100 requests a minute for each key; 429 carries Retry-After.", strings.Repeat("x", MaxValue))
	if f, err := ParseState("api/limits", []byte(full)); err != nil || len(f.State.Value) != MaxValue {
		t.Errorf("a value of the greatest length: %v", err)
	}
}

func TestStateNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "0", "api/limits", "a/b/c", "a.b_c-d", "migrations/next", "con1", "nulls", "com",
		strings.Repeat("a", MaxStateName)} {
		if err := ValidStateName(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "/", "a/", "/a", "a//b", "a/b/c/d", ".", "..", "../a", "a/../b", ".past", ".past/a", "a/.b", "-a", "_a", "A",
		"é", "a b", "a\\b", "a\nb", "a\x00", "a:b", "a.md", "a.md/b", "a.", "a./b", "con", "nul", "aux", "prn", "com1", "lpt9", "a/con", "con.txt",
		"con/a", "a\u200b", strings.Repeat("a", MaxStateName+1), "a%2fb", "~", "$x", "*"} {
		if err := ValidStateName(name); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestStateRefusesWhatWouldNotReadBack(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*State){
		"NUL":       func(s *State) { s.Value = "a\x00" },
		"not UTF-8": func(s *State) { s.Value = "\xff" },
		"too long":  func(s *State) { s.Value = strings.Repeat("x", MaxValue+1) },
		"name":      func(s *State) { s.Name = "../x" },
		"version":   func(s *State) { s.Version = MaxVersion + 1 },
	} {
		s := exampleState(t)
		change(&s)
		if f, err := NewState(s); err == nil {
			t.Errorf("%s: written as %q", what, f.Raw())
		}
	}
	s := exampleState(t)
	s.Version = MaxVersion
	if f, err := NewState(s); err != nil || !strings.Contains(string(f.Raw()), fmt.Sprint("version: ", int64(MaxVersion), "\n")) {
		t.Errorf("%v", err)
	}
}

func FuzzState(f *testing.F) {
	f.Add([]byte(exampleStateFile), "x\r")
	f.Add([]byte("---\r\nversion: 1\r\ncreated: 2026-07-17T18-45-12\r\n---"), "")
	f.Fuzz(func(t *testing.T, data []byte, value string) {
		file, err := ParseState("a", data)
		if err != nil || CheckValue(value) != nil || file.State.Version == MaxVersion {
			return
		}
		s := file.State
		s.Version++
		s.Value = value
		next, err := file.Rewritten(s)
		if err != nil {
			return // it would not have read back
		}
		if again, err := ParseState("a", next.Raw()); err != nil || again.State.Value != value || again.State.Version != s.Version {
			t.Errorf("%q became %q, %v", data, next.Raw(), err)
		}
	})
}

func TestABriefEntryHasTheBeginningOfItsValue(t *testing.T) {
	t.Parallel()
	s := exampleState(t)
	s.Value = "aé漢"
	for bytes, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "aé", 5: "aé", 6: "aé漢", 99: "aé漢"} {
		if got := s.Brief(bytes); got.Value != want || got.Name != s.Name || *got.AgentID != *s.AgentID || got.Scope[0] != s.Scope[0] || got.Updated != s.Updated {
			t.Errorf("%d bytes: %+v", bytes, got)
		}
	}
}
