package overlap

import (
	"errors"
	"strings"
	"testing"
)

// What is not a file is named by text that meets itself alone, whatever the
// letter case of the repository's files counts.
func TestNamesMeetOnlyThemselves(t *testing.T) {
	t.Parallel()
	names := []string{"custom://port-3000", "custom://port-300", "custom://Port-3000", "custom://port-3000/a", "custom://a", "custom://db:users@host#1+2=3~_."}
	paths := []string{"**", "*", ".", "*custom*", "custom", "./custom:/port-3000", "./custom:/*", "./custom://port-3000", "**/port-3000", "!(x)", "{a,custom:}/**"}
	for _, c := range []Context{{}, {FoldCase: true}, {Inexact: true, FoldCase: true}, {Windows: true}} {
		for _, a := range names {
			e, s := mustParse(t, " "+a+" ", c), Stored(a, c)
			if e.String() != a || s.String() != a || !e.Custom() || !s.Custom() || e.Everything() || e.Directory() != "" {
				t.Errorf("%q is read as %q, and stored as %q", a, e, s)
			}
			for _, b := range names {
				want := Result{Exact: true}
				if a == b {
					want = Result{Overlap: true, Example: a, Exact: true}
				}
				if r := e.Compare(Stored(b, c)); r != want {
					t.Errorf("%q and %q: %+v", a, b, r)
				}
			}
			for _, b := range paths {
				if p, f := parse(b, c); f != nil || p.Custom() || e.Compare(p).Overlap || p.Compare(s).Overlap {
					t.Errorf("%q meets %q (%v)", a, b, f)
				}
			}
			for _, path := range []string{a, strings.Replace(a, "//", "/", 1), "custom:", "custom:/port-3000", "port-3000", "a"} {
				if covers, _ := (Scope{e, s}).Covering(path); covers {
					t.Errorf("%q covers %q", a, path)
				}
			}
		}
	}
	if files := (Scope{mustParse(t, names[0], Context{})}); files.NamesFiles() {
		t.Error("a port is a file")
	}
	if both := (Scope{mustParse(t, names[0], Context{}), mustParse(t, "src", Context{})}); !both.NamesFiles() {
		t.Error("src is not a file")
	}
}

func TestNamesAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		entry, reason, hint string
		offset              int
	}{
		{"custom://", "names nothing", "custom://port-3000", 9},
		{"custom://port-*", "has a pattern", "a separate entry", 14},
		{"custom://{a,b}", "has a pattern", "a separate entry", 9},
		{"custom://a,b", "character", "letters from a to z", 10},
		{"custom://a b", "character", "letters from a to z", 10},
		{"custom://a\u200bb", "character", "letters from a to z", 10},
		{"custom://\u00e9", "character", "letters from a to z", 9},
		{"custom://a\x00", "character", "letters from a to z", 10},
		{"custom://a\xff", "character", "letters from a to z", 10},
		{`custom://a\b`, "character", "letters from a to z", 10},
		{"custom://" + strings.Repeat("a", MaxName+1), "more than 128 bytes", "shorter", 9 + MaxName},
		{"custom:///a", "empty part", "custom://name", 9},
		{"custom://a/", "empty part", "custom://name", 9},
		{"custom://a//b", "empty part", "custom://name", 9},
		{"Custom://a", "not spelled", `written "./Custom://a"`, 0},
		{"custom:/a", "not spelled", "custom://name", 0},
		{" custom:a", "not spelled", "custom://name", 1},
		{"custom:", "not spelled", "custom://name", 0},
		{"@custom://a", "not spelled", "custom://name", 0},
	} {
		_, err := Parse(tt.entry, Context{})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason, tt.reason) || !strings.Contains(e.Hint, tt.hint) || e.Entry != tt.entry || e.Offset != tt.offset {
			t.Errorf("Parse(%q): %+v", tt.entry, err)
		}
	}
	mustParse(t, "custom://"+strings.Repeat("a", MaxName), Context{})
	if e := mustParse(t, "custom:42", Context{}); e.Custom() {
		t.Error("line 42 of a file is a name")
	}
}

// A name that no claim of ours could have, met in a lock file, may have been meant
// to say any that begins like it; it says nothing of files.
func TestRefusedNamesStored(t *testing.T) {
	t.Parallel()
	for _, c := range []Context{{}, {Budget: &Budget{}}} { // the latter is spent
		name := mustParse(t, "custom://port-3000", Context{})
		for text, want := range map[string]bool{
			"custom://port-*": true, "Custom://port-3000": true, "custom:port-3000": true, "custom://": true, "custom://port-3000 ": true,
			"`custom://port-3000`": true, `["custom://a"]`: true, `{"scope": ["CUSTOM://x"]}`: true, "custom:///port-3000": true,
			"custom://db-*": false, "custom://Port-*": false, "https://port-3000": false, `["src/a.go"]`: false, "**": false, "{a": false, "": false,
		} {
			e := Stored(text, c)
			r := e.Compare(name)
			exact := e.refused == false
			if r.Overlap != want || r.Exact != exact || r != name.Compare(e) {
				t.Errorf("%q: %+v, want %v", text, r, want)
			}
			file := mustParse(t, "**", Context{})
			if e.Custom() && (e.Matches("a") || e.Compare(file).Overlap || file.Compare(e).Overlap) {
				t.Errorf("%q meets files", text)
			}
		}
	}
}

// A stored URI names nothing in the repository, though a claim is on all of it.
func TestStoredURIsMeetNoFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"https://example.org/src", "'https://example.org'", "/elsewhere/x", "../x"} {
		e := Stored(text, Context{Roots: []string{"/repo"}})
		for _, entry := range []string{"**", "*.go", "src"} {
			if r := e.Compare(mustParse(t, entry, Context{})); r.Overlap || r.Exact {
				t.Errorf("%q and %q: %+v", text, entry, r)
			}
		}
	}
}
