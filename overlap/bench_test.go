package overlap

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkPair compares two entries that are compiled already.
func BenchmarkPair(b *testing.B) {
	for _, bb := range []struct{ name, a, b string }{
		{"typical", "src/components/**/*.ts", "src/components/auth/login.ts"},
		{"globs", "packages/*/src/**", "packages/core/**/*.test.ts"},
		{"floating", "*.ts", "src/server/routes/index.ts"},
		{"braces", "src/{foo,bar}/**/*.{ts,tsx}", "src/bar/util.ts"},
		{"apart", "src/**/*.rs", "src/foo/bar.ts"},
		{"bothDeep", "**/*.test.ts", "src/**/fixtures/*"},
		{"differentFirst", "frontend/src/**", "backend/src/**"},
		{"literals", "src/foo", "src/foo/bar.ts"},
		{"equal", "src/components/**", "src/components/**"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			x, y := mustParse(b, bb.a, Context{}), mustParse(b, bb.b, Context{})
			b.ReportAllocs()
			for b.Loop() {
				x.Compare(y)
			}
		})
	}
}

// BenchmarkFresh reads two entries, compiles and compares them.
func BenchmarkFresh(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		x, y := Stored("src/components/**/*.ts", Context{}), Stored("src/components/auth/login.ts", Context{})
		x.Compare(y)
	}
}

// storedScopes are the scopes of many locks, as agents write them.
func storedScopes(n int) [][]string {
	scopes := make([][]string, n)
	for i := range scopes {
		scopes[i] = []string{
			fmt.Sprintf("packages/pkg%d/src/**", i),
			fmt.Sprintf("packages/pkg%d/test/**/*.test.ts", i),
			fmt.Sprintf("docs/pkg%d.md", i),
			fmt.Sprintf("src/module%d/{index,types}.ts", i),
			fmt.Sprintf("src/routes/area%d/*.tsx", i),
		}
	}
	return scopes
}

// floatingScopes are scopes of globs that match at many depths, no two alike.
func floatingScopes(n int) [][]string {
	scopes := make([][]string, n)
	for i := range scopes {
		scopes[i] = []string{
			fmt.Sprintf("*_mod%d_test.go", i),
			fmt.Sprintf("*area%d*", i),
			fmt.Sprintf("**/pkg%d/**", i),
			fmt.Sprintf("*.m%d.ts", i),
			fmt.Sprintf("lib%d/**/*.ts", i),
		}
	}
	return scopes
}

// BenchmarkThousandLocks compares 1000 stored scopes of 5 entries with one of
// 5, of which some meet a tenth of them.
func BenchmarkThousandLocks(b *testing.B) {
	anchored := storedScopes(1000)
	for _, bb := range []struct {
		name   string
		mine   []string
		scopes [][]string
	}{
		{"anchored", []string{"packages/pkg7/**", "docs/*.md", "src/routes/area1*/a.tsx", "tools/build.go", "src/module9/index.ts"}, anchored},
		{"floating", []string{"**/*.test.ts", "*.go", "packages/pkg7/**", "src/module9/index.ts", "src/**/*.css"}, anchored},
		{"bothFloating", []string{"*.ts", "*_test.go", "*.md", "**/*.test.ts", "src/**"}, floatingScopes(1000)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var mine Scope
				for _, text := range bb.mine {
					mine = append(mine, mustParse(b, text, Context{}))
				}
				for _, texts := range bb.scopes {
					theirs := make(Scope, len(texts))
					for i, text := range texts {
						theirs[i] = Stored(text, Context{})
					}
					mine.Overlaps(theirs)
				}
			}
		})
	}
}

// BenchmarkStored reads the 5000 entries alone.
func BenchmarkStored(b *testing.B) {
	scopes := storedScopes(1000)
	b.ReportAllocs()
	for b.Loop() {
		for _, texts := range scopes {
			for _, text := range texts {
				Stored(text, Context{})
			}
		}
	}
}

// hostile are pairs of 4 KiB made to be slow.
func hostile() map[string][2]string {
	fill := func(piece string) string { return strings.Repeat(piece, MaxBytes/len(piece)) }
	nested := strings.Repeat("{a*,", 800) + "b" + strings.Repeat("}", 800)
	return map[string][2]string{
		"stars":     {fill("*a"), fill("*b")},
		"sameStars": {fill("*a"), fill("*a")[2:] + "*c"},
		"braces":    {fill("{a,b}"), fill("{b,c}")},
		"nested":    {nested, strings.ReplaceAll(nested, "a", "c")},
		"literal":   {fill("*a") + "", strings.Repeat("a", MaxBytes-1) + "c"},
		"deep":      {fill("**/a/"), fill("a/**/")},
		"optional":  {fill("*(a)"), fill("?(a)") + ""},
		"plus":      {strings.Repeat("+(", 1300) + "a" + strings.Repeat(")", 1300), fill("+(a|b)")},
		"classes":   {fill("[!a-c]"), fill("[À-ÿ]")},
		"dots":      {fill("a/+(./|a)"), fill("a/{.,}/a")},
		"backslash": {fill(`*a\\b`), fill(`*b\\*`)},
		"starPlus":  {fill("*"), strings.Repeat("*?", 2000) + "[a-z][0-9]"},
	}
}

// BenchmarkHostile reads, compiles and compares.
func BenchmarkHostile(b *testing.B) {
	for name, pair := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			c := Context{FoldCase: true}
			for b.Loop() {
				Stored(pair[0], c).Compare(Stored(pair[1], c))
			}
		})
	}
}

// BenchmarkHostileCall is a whole call: 64 entries against 20 locks of 180,
// all of them made to be slow.
func BenchmarkHostileCall(b *testing.B) {
	mine, theirs := hostileScope(64, "p"), hostileScope(180, "q")
	b.ReportAllocs()
	for b.Loop() {
		c := hostileContext()
		scope := storedScope(mine, c)
		for range 20 {
			scope.Overlaps(storedScope(theirs, c))
		}
	}
}
