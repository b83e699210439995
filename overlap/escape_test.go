package overlap

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLiteral(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"src/a.go":          "src/a.go",
		"src/a b, c.go":     "src/a b, c.go",
		"app/[id]/page.tsx": "app/[id]/page.tsx", // read as itself, too
		"[id].ts":           `\[id\].ts`,         // but this at any depth
		"a/[b":              `a/\[b`,
		"a/b*":              `a/b\*`,
		`a\b`:               `a\\b`,
		"{a,b}":             `\{a,b\}`,
		"a/!(b)":            `a/\!(b)`,
		"a/(b)/+c.ts":       "a/(b)/+c.ts",
		"!a":                "@(!)a",
		"~/a":               "@(~)/a",
		" a ":               "@( )a@( )",
		" ":                 "@( )",
		"a/...":             "a/...",
		"a...b":             "a...b",
		`.\a`:               `@(.)\\a`,
		`"a"`:               `@(")a"`,
		"C:/a":              "@(C):/a",
		"file:/a":           "@(f)ile:/a",
		":(a)":              "@(:)(a)",
	} {
		if got := Literal(path, false); got != want {
			t.Errorf("Literal(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestLiteralCovers: whatever a path is called, its entry covers it, from
// wherever it is read, and does not float.
func TestLiteralCovers(t *testing.T) {
	name := rapid.StringMatching("[a!~ *?{}()|,+@.:#\"'-]{1,4}|\\[[a!^]?\\]?|[\u00a0\u00e9]a")
	rapid.Check(t, func(t *rapid.T) {
		windows := rapid.Bool().Draw(t, "windows")
		path := strings.Join(rapid.SliceOfN(name, 1, 3).Draw(t, "names"), "/")
		if !windows && rapid.Bool().Draw(t, "backslash") {
			path += `\`
		}
		if !valid(path) || windows && strings.Contains(path, ":") { // no name there has one
			t.Skip()
		}
		text := Literal(path, windows)
		e, err := Parse(text, Context{Windows: windows, Prefix: "sub"})
		if err != nil || !e.Matches(path) {
			t.Fatalf("%q for %q: %v", text, path, err)
		}
		if (Scope{e}).CoversExactly("sub/"+path) && !windows && !strings.HasPrefix(path, "sub") {
			t.Fatalf("%q for %q floats", text, path)
		}
	})
}
