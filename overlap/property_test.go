package overlap

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

// entries generates entries that the oracle understands.
func entries() *rapid.Generator[string] {
	text := rapid.SampledFrom([]string{"a", "b", ".a", "a.b", "ab"})
	wild := rapid.SampledFrom([]string{"*", "?", "[ab]", "[!a]", "[a-b]", `\[a`, "*", "**", "!(a)",
		"[[:alpha:]]", "[![:punct:]]", "[[:punct:]]", "[[:lower:]_-]", "{a..b}", "{b..a}"})
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
			if !oa.covers(r.Example, ob.lead) || !ob.covers(r.Example, oa.lead) {
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
		b.text += "/." // another spelling, so that equal texts are no shortcut
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

var long = regexp.MustCompile(`\{-?[0-9]*\.\.-?[0-9]{4,}|\{-?[0-9]{4,}\.\.`)

var ranges = regexp.MustCompile(`\{[a-z0-9-]+\.\.[a-z0-9.-]+\}`)

// reads is doublestar's reading of an entry, where it is ours: there a negated
// class or a wide range matches a separator, extglobs are text, and stars that
// braces bring together may be a **.
func reads(entry, path string) bool {
	for _, class := range []string{"[:alpha:]", "[:lower:]", "[:punct:]"} { // over the universe
		entry = strings.ReplaceAll(entry, class, map[string]string{"[:alpha:]": "ab", "[:lower:]": "ab", "[:punct:]": "."}[class])
	}
	if long.MatchString(entry) {
		return false // too many names to list
	}
	entry = ranges.ReplaceAllStringFunc(entry, func(text string) string {
		names, _ := counted(text)
		return "{" + strings.Join(names, ",") + "}"
	})
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
