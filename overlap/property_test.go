package overlap

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

// entries generates entries that the oracle understands.
func entries() *rapid.Generator[string] {
	text := rapid.SampledFrom([]string{"a", "b", ".a", "a.b", "ab"})
	wild := rapid.SampledFrom([]string{"*", "?", "[ab]", "[!a]", "[a-b]", `\[a`, "*", "**", "!(a)"})
	repeated := rapid.SampledFrom([]string{"+(a|b)", "*(a|bb)", "+(ab)"})
	var piece func(depth int) *rapid.Generator[string]
	pieces := func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(1, 2).Draw(t, "n")
			var b strings.Builder
			for range n {
				b.WriteString(piece(depth).Draw(t, "piece"))
			}
			return b.String()
		})
	}
	piece = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return rapid.OneOf(text, wild)
		}
		group := rapid.Custom(func(t *rapid.T) string {
			alts := rapid.SliceOfN(rapid.OneOf(
				rapid.Just(""), pieces(depth-1),
				rapid.Custom(func(t *rapid.T) string {
					return pieces(depth-1).Draw(t, "left") + "/" + pieces(depth-1).Draw(t, "right")
				}),
				rapid.SampledFrom([]string{"/a", "a/", "**", "/**"}),
			), 1, 3).Draw(t, "alts")
			switch rapid.SampledFrom([]string{"{", "{", "@", "?"}).Draw(t, "kind") {
			case "@":
				return "@(" + strings.Join(alts, "|") + ")"
			case "?":
				return "?(" + strings.Join(alts, "|") + ")"
			default:
				return "{" + strings.Join(alts, ",") + "}"
			}
		})
		return rapid.OneOf(text, text, wild, repeated, group)
	}
	all := rapid.Custom(func(t *rapid.T) string {
		segment := rapid.OneOf(pieces(2), text, rapid.Just("**"))
		entry := strings.Join(rapid.SliceOfN(segment, 1, 3).Draw(t, "segments"), "/")
		if rapid.IntRange(0, 5).Draw(t, "dir") == 0 {
			entry += "/"
		}
		if rapid.IntRange(0, 5).Draw(t, "here") == 0 {
			entry = "./" + entry
		}
		return entry
	})
	return all.Filter(func(entry string) bool { return !refusedAtStart(entry) })
}

// refusedAtStart reports whether an entry is refused since an alternative at its
// start begins with a slash.
func refusedAtStart(entry string) bool {
	var e *Error
	_, err := Parse(entry, Context{})
	return errors.As(err, &e) && strings.Contains(e.Reason, "inside a group") &&
		regexp.MustCompile(`[@?{(,|]/`).MatchString(entry)
}

// TestAgainstOracle: whatever both entries cover is reported, and whatever is
// reported has an example that both cover.
func TestAgainstOracle(t *testing.T) {
	paths := universe(5)
	rapid.Check(t, func(t *rapid.T) {
		ta, tb := entries().Draw(t, "a"), entries().Draw(t, "b")
		a, b := mustParse(t, ta, Context{}), mustParse(t, tb, Context{})
		oa, ob := newOracle(ta), newOracle(tb)
		r := a.Compare(b)
		if back := b.Compare(a); back != r {
			t.Fatalf("%+v, but the other way round %+v", r, back)
		}
		if r.Overlap {
			// The oracle does not know that a backslash may be a separator, too.
			doubtful := !r.Exact && strings.Contains(ta+tb, `\`)
			if !doubtful && !(oa.covers(r.Example, ob.lead) && ob.covers(r.Example, oa.lead)) {
				t.Fatalf("reported with example %q, covered by a %v, by b %v", r.Example, oa.covers(r.Example, ob.lead), ob.covers(r.Example, oa.lead))
			}
			return
		}
		for _, p := range paths {
			if oa.covers(p, ob.lead) && ob.covers(p, oa.lead) {
				t.Fatalf("missed: both cover %q", p)
			}
		}
	})
}

// TestCoversIsOverlap: covering a path is overlapping with its literal, and as
// surely.
func TestCoversIsOverlap(t *testing.T) {
	paths := universe(5)
	isFile := Context{Kind: func(string) Kind { return File }}
	rapid.Check(t, func(t *rapid.T) {
		e := mustParse(t, entries().Draw(t, "entry"), Context{})
		p := rapid.SampledFrom(paths).Draw(t, "path")
		r := e.Compare(mustParse(t, escape(p), isFile))
		if s := (Scope{e}); s.Covers(p) != r.Overlap || s.CoversExactly(p) != (r.Overlap && r.Exact) {
			t.Fatalf("%q covers %q: %v, exactly %v; overlaps: %+v", e, p, s.Covers(p), s.CoversExactly(p), r)
		}
	})
}

// TestReflexive: every entry meets itself, however its text is spelled.
func TestReflexive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := entries().Draw(t, "entry")
		a, b := mustParse(t, text, Context{}), mustParse(t, text, Context{})
		b.text += "/." // another spelling, so that equal texts give no shortcut
		for _, r := range []Result{a.Compare(a), a.Compare(b)} {
			if !r.Overlap || !a.Matches(r.Example) {
				t.Fatalf("%q with itself: %+v", text, r)
			}
		}
	})
}

// matchesBoth returns a path that doublestar says both patterns match.
func matchesBoth(a, b string, paths []string) (string, bool) {
	for _, p := range paths {
		if reads(a, p) && reads(b, p) {
			return p, true
		}
	}
	return "", false
}

// metStars are stars that braces bring together.
var metStars = regexp.MustCompile(`\*[,}].*\*|\*[^/]*\{[^/]*\*`)

// reads is doublestar's reading of an entry, where it is ours: there a negated
// class or a range matches a separator, extglobs are text, and stars that
// braces bring together may be a **.
func reads(entry, path string) bool {
	if strings.ContainsAny(entry, `(-`) || strings.Contains(entry, "[!") || strings.Contains(entry, "[^") || metStars.MatchString(entry) {
		return false
	}
	pattern := separate(strings.TrimSpace(entry), false)
	if !strings.Contains(strings.TrimRight(pattern, "/"), "/") && strings.ContainsAny(unescapedOnly(pattern), "*?[") {
		pattern = "**/" + pattern
	}
	ok, err := doublestar.Match(strings.TrimSuffix(pattern, "/"), path)
	return err == nil && ok
}

// unescapedOnly drops the escaped characters of a pattern.
func unescapedOnly(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' {
			i++
			continue
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// TestAgainstDoublestar: what doublestar says two globs both match is reported.
func TestAgainstDoublestar(t *testing.T) {
	paths := universe(5)
	rapid.Check(t, func(t *rapid.T) {
		ta, tb := entries().Draw(t, "a"), entries().Draw(t, "b")
		p, both := matchesBoth(ta, tb, paths)
		if both && !mustParse(t, ta, Context{}).Compare(mustParse(t, tb, Context{})).Overlap {
			t.Fatalf("missed: both match %q", p)
		}
	})
}

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
	paths := append(pathsOver("ab1./", 3),
		"a/b/a.b", "a/b/1.b", ".a/b.b", "b/a/b/a", "a/.b/.a", "[a]", "a*b", `a\b`, "a/*", "@a/b", "a,b", "{a,b}", "a/(b)", "!a/b", "~", "\"a\"")
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
