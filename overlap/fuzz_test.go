package overlap

import (
	"strings"
	"testing"
)

// FuzzOverlap holds what is promised of any two entries against each other and
// against doublestar.
func FuzzOverlap(f *testing.F) {
	for _, seed := range [][2]string{
		{"src/**/*.ts", "src/{a,b}/x.ts"}, {"a/b", "a/{c,d}"}, {"app/[id]/page.tsx", `app/\[id\]/*`}, {"*{**/a}", "a"}, {"a/***(a|bb)", "a"},
		{"{,a.a}{}", "**/a"}, {"?(a){.a}", "**/a"}, {"{b/{,a}}.a", "b/*/a"}, {"a.b+(a|b)", "**/a"}, {"!(a)/b", "./*b/"},
		{"u\u0308*", "\u00fc?"}, {"[^a-c]*", "[\u00e0-\u00ff]"}, {"+(+(a)|*(b))", "@(a|{b,/c})"}, {".", "a/.."},
		{"a/{,./b}/c", "a/{b/,}{/c,.}"}, {"a/+(./|b)", "a/.{/b,}"}, {"*{./,a}", "{,a}/b"}, {"a/*(/)?(b)", "**/{,b}"}, {"{*,a}*/b", "b"},
		{"[[:alpha:]_-]*", "[![:punct:]a]"}, {"{a..b}/{1..3}", "a/{01..12..5}"}, {`a\b\**`, "a/b"}, {"file:///a", "@b"}, {"[[.a.]]", "{a..1}"},
		{"custom://a", "**"}, {"custom://a/b", "custom:a"}, {"@custom://a", "*a"}, {`["custom://a"]`, "custom://a"}, {"./custom://a", "custom:/*"},
	} {
		f.Add(seed[0], seed[1], false)
		f.Add(seed[0], seed[1], true)
	}
	paths := universe(3)
	f.Fuzz(func(t *testing.T, ta, tb string, fold bool) {
		if len(ta)+len(tb) > 1<<10 {
			return // go fuzzing gives an input 10 s, and these may take one
		}
		c := Context{FoldCase: fold}
		a, errA := Parse(ta, c)
		b, errB := Parse(tb, c)
		if errA != nil || errB != nil {
			x, y := Stored(ta, c), Stored(tb, c)
			if r := x.Compare(y); r.Exact || r != y.Compare(x) {
				t.Fatalf("a refused entry: %+v, and %+v", r, y.Compare(x))
			}
			return
		}
		r := a.Compare(b)
		if (a.Custom() || b.Custom()) && (r.Overlap != (a.String() == b.String()) || !r.Exact) {
			t.Fatalf("a name meets more, or less, than itself: %+v", r)
		}
		if back := b.Compare(a); r != back {
			t.Fatalf("%+v, but the other way round %+v", r, back)
		}
		if r.Overlap && r.Exact && !a.Custom() && !(a.Matches(r.Example) && b.Matches(r.Example)) {
			t.Fatalf("example %q is covered: %v, %v", r.Example, a.Matches(r.Example), b.Matches(r.Example))
		}
		if r := a.Compare(a); !r.Overlap {
			t.Fatalf("%q does not meet itself", a)
		}
		again, err := Parse(a.String(), c)
		if err != nil || again.String() != a.String() {
			t.Fatalf("%q is stored as %q, which reads as %v, %v", ta, a, again, err)
		}
		isFile := Context{FoldCase: fold, Kind: func(string) Kind { return File }}
		for _, p := range paths {
			if a.Matches(p) && b.Matches(p) && !r.Overlap && !(leads(p, a) && leads(p, b)) {
				t.Fatalf("missed: both cover %q", p)
			}
			if a.Matches(p) != again.Matches(p) {
				t.Fatalf("%q is stored as %q, which differs on %q", ta, a, p)
			}
			if literal := mustParse(t, escape(p), isFile); r.Exact && a.Matches(p) != a.Compare(literal).Overlap {
				t.Fatalf("covers %q: %v, overlaps %v", p, a.Matches(p), !a.Matches(p))
			}
			if reads(ta, p) && !a.Matches(p) {
				t.Fatalf("doublestar matches %q, %q does not", p, ta)
			}
		}
		if p, both := matchesBoth(ta, tb, paths); both && !r.Overlap {
			t.Fatalf("missed: doublestar matches %q with both", p)
		}
	})
}

// leads reports whether a path is a leading directory of an entry: a file of
// that name blocks it, though the entry stands for what is under it.
func leads(path string, e *Entry) bool {
	path = comparable(path, e.fold) + "/"
	return strings.HasPrefix(e.head, path) && (!e.plain || path != e.head)
}
