package overlap

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// foldLetters are letters of which up to three are the same without regard to case,
// among them the Kelvin sign, the long s and both sharp s.
const foldLetters = "aAbBkK\u212asSſßẞ0"

// casePatterns generates patterns of up to three pieces, for names of foldLetters.
func casePatterns() *rapid.Generator[string] {
	letter := rapid.SampledFrom(strings.Split(foldLetters, ""))
	class := rapid.Custom(func(t *rapid.T) string {
		item := rapid.OneOf(letter, letter,
			rapid.SampledFrom([]string{"a-b", "A-B", "a-z", "A-Z", "Z-c", "J-L", "r-t", "ſ-ſ", "À-ÿ", "\u2120-\u2130"}),
			rapid.SampledFrom([]string{`\!`, `\a`}))
		return "[" + rapid.SampledFrom([]string{"", "!", "!", "^"}).Draw(t, "sign") +
			strings.Join(rapid.SliceOfN(item, 1, 4).Draw(t, "items"), "") + "]"
	})
	one := rapid.OneOf(class, class, letter)
	group := rapid.Custom(func(t *rapid.T) string {
		a, b := one.Draw(t, "a"), one.Draw(t, "b")
		switch kind := rapid.SampledFrom([]string{"{", "@", "?", "+", "*", "!"}).Draw(t, "kind"); kind {
		case "{":
			return "{" + a + "," + b + "}"
		default:
			return kind + "(" + a + "|" + b + ")"
		}
	})
	piece := rapid.OneOf(one, one, one, group, rapid.SampledFrom([]string{"?", "*"}))
	return rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "./"}).Draw(t, "here") +
			strings.Join(rapid.SliceOfN(piece, 1, 3).Draw(t, "pieces"), "")
	})
}

// foldNames are all names of up to two foldLetters, with the name that they are
// compared as without regard to case.
func foldNames() map[string]string {
	names := map[string]string{}
	for _, a := range strings.Split(foldLetters, "") {
		names[a] = comparable(a, true)
		for _, b := range strings.Split(foldLetters, "") {
			names[a+b] = comparable(a+b, true)
		}
	}
	return names
}

// TestFoldIsTheUnionOfCaseVariants: without regard to case a pattern covers a name
// wherever it covers one that differs from it only in case, and no other.
func TestFoldIsTheUnionOfCaseVariants(t *testing.T) {
	names := foldNames()
	rapid.Check(t, func(t *rapid.T) {
		read := func(name string) (*Entry, map[string]bool) {
			text := casePatterns().Draw(t, name)
			exact, err := Parse(text, Context{})
			folded, err2 := Parse(text, Context{FoldCase: true})
			if err != nil || err2 != nil {
				t.Skip(err, err2) // read as something other than a pattern
			}
			union := map[string]bool{}
			for name, same := range names {
				union[same] = union[same] || exact.Matches(name)
			}
			for name, same := range names {
				if got := folded.Matches(name); got != union[same] {
					t.Fatalf("%q covers %q: %v, some variant of it: %v", text, name, got, union[same])
				}
			}
			return folded, union
		}
		a, coversA := read("a")
		b, coversB := read("b")
		r := a.Compare(b)
		if back := b.Compare(a); r != back {
			t.Fatalf("%+v, but the other way round %+v", r, back)
		}
		if r.Overlap && !(a.Matches(r.Example) && b.Matches(r.Example)) {
			t.Fatalf("%q x %q: not both cover the example %q", a, b, r.Example)
		}
		for name := range coversA {
			if coversA[name] && coversB[name] && !r.Overlap {
				t.Fatalf("missed: %q and %q both cover %q", a, b, name)
			}
		}
	})
}

// TestClassesFoldByLetter: a class, negated or not, contains a letter if it contains
// any that differs from it only in case.
func TestClassesFoldByLetter(t *testing.T) {
	fold := Context{FoldCase: true}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"src/[!a].ts", "src/A.ts", true},
		{"src/[!a].ts", "src/a.ts", true},
		{"src/[^a].ts", "src/A.ts", true},
		{"src/[!A].ts", "src/a.ts", true},
		{"src/[!aA].ts", "src/a.ts", false},
		{"src/[!a-zA-Z].ts", "src/Q.ts", false},
		{"src/[!a-z]*", "src/README", true},
		{"src/[!A-Z]*", "src/readme", true},
		{"src/[!k].ts", "src/\u212a.ts", true},
		{"src/[!kK].ts", "src/\u212a.ts", false}, // names are in NFC, where it is a K
		{"src/[!sS].ts", "src/s.ts", true},       // for ſ
		{"src/[!sSſ].ts", "src/s.ts", false},
		{"src/[!ß].ts", "src/ß.ts", true},
		{"src/[!ẞ].ts", "src/ẞ.ts", true},
		{"src/[!ßẞ].ts", "src/ß.ts", false},
		{"src/{[!a],b}.ts", "src/@([!A]|b).ts", true},
		{"src/[!b-zA-Z]", "src/[aA]", true},
		{"src/[!0-9]", "src/[0-9]", false},
		{"src/[ab]", "src/[!aAbB]", false},
		{"custom://a", "[!b]*", false},
	} {
		if r := checkOverlap(t, tt.a, tt.b, fold, tt.want); !r.Exact {
			t.Errorf("%q x %q: %+v is not exact", tt.a, tt.b, r)
		}
	}
}

// TestCasedRunes: foldClass looks at every letter that has others, and each name is
// compared as a rune that a class may contain.
func TestCasedRunes(t *testing.T) {
	known := map[rune]bool{}
	for _, c := range cased {
		for r := c.Lo; r <= c.Hi; r++ {
			known[rune(r)] = true
		}
	}
	for r := range rune(unicode.MaxRune) {
		if unicode.SimpleFold(r) != r && !known[r] {
			t.Errorf("%q has other cases", r)
		}
		if composed(r) && !composed(foldRune(r)) {
			t.Errorf("%q is compared as %q", r, foldRune(r))
		}
	}
}
