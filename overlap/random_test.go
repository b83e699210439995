package overlap

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scribbles generates texts that are dense with what entries give a meaning to.
func scribbles() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom(strings.Split("a b 1 . / * ? [ ] { } ( ) , | \\ ! @ + - : ^ ~ \" ..", " ")),
		rapid.SampledFrom([]string{"a", "b", "/", "**", "*", "{a,b}", "{1..3}", "{b..a}", "[ab]", "[!a]", "[[:alpha:]]", "@(a|b)", "?(a)", "*(b)", "!(a)", `\*`, `\\`, `\[a\]`, "./", "../", "{,a}", ".a"}),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 1, 7).Draw(t, "pieces"), "")
	})
}

// TestRandomEntries holds whatever may be typed against all short paths.
func TestRandomEntries(t *testing.T) {
	paths := pathsOver("ab1./", 3)
	for _, p := range []string{"a/b/a.b", "a/b/1.b", ".a/b.b", "b/a/b/a", "a/.b/.a", "[a]", "a*b", `a\b`, "a/*", "@a/b", "a,b", "{a,b}", "a/(b)", "!a/b", "~", "\"a\""} {
		paths = append(paths, p)
	}
	there := tree("a a/b .a b", "1")
	// A path through a file is covered by what names the file, whatever else does not.
	paths = slices.DeleteFunc(paths, func(p string) bool { return strings.HasPrefix(p, "1/") })
	rapid.Check(t, func(t *rapid.T) {
		c := Context{FoldCase: rapid.Bool().Draw(t, "fold"), Windows: rapid.IntRange(0, 5).Draw(t, "windows") == 0}
		if rapid.Bool().Draw(t, "there") {
			c.Kind = there
		}
		if rapid.Bool().Draw(t, "below") {
			c.Prefix = "a"
		}
		read := func(name string) *Entry {
			text := scribbles().Draw(t, name)
			e, err := Parse(text, c)
			stored := Stored(text, c)
			if err != nil || c.Windows && strings.Contains(text, ":") { // no name there has one
				return stored
			}
			root := c
			root.Prefix = "" // stored entries are read from the root
			again, err := Parse(e.String(), root)
			if err != nil || again.String() != e.String() {
				t.Fatalf("%q is stored as %q, which reads as %v, %v", text, e, again, err)
			}
			kept := Stored(e.String(), c)
			for _, p := range paths {
				if e.Matches(p) != kept.Matches(p) && !strings.HasPrefix(strings.TrimSpace(text), "@") {
					t.Fatalf("%q is stored as %q, which differs on %q: %v", text, e, p, kept.Matches(p))
				}
			}
			return e
		}
		a, b := read("a"), read("b")
		r := a.Compare(b)
		if back := b.Compare(a); r != back {
			t.Fatalf("%+v, but the other way round %+v", r, back)
		}
		if !a.Compare(a).Overlap {
			t.Fatalf("%q does not overlap itself", a)
		}
		for _, p := range paths {
			if a.Matches(p) && b.Matches(p) && !r.Overlap && !(leads(p, a) && leads(p, b)) {
				t.Fatalf("missed: both cover %q", p)
			}
		}
		if r.Overlap && r.Exact && !(a.Matches(r.Example) && b.Matches(r.Example)) {
			t.Fatalf("example %q is covered: %v, %v", r.Example, a.Matches(r.Example), b.Matches(r.Example))
		}
	})
}
