package overlap

import (
	"errors"
	"sync"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A claim is one scope against entries that meet it or do not.
type claim struct {
	name   string
	scope  []string
	c      Context
	meets  []string
	misses []string
}

func (c claim) check(t *testing.T) {
	var scope Scope
	for _, text := range c.scope {
		scope = append(scope, mustParse(t, text, c.c))
	}
	for _, want := range []bool{true, false} {
		list := c.misses
		if want {
			list = c.meets
		}
		for _, text := range list {
			e := mustParse(t, text, c.c)
			pairs := scope.Overlaps(Scope{e})
			if (len(pairs) > 0) != want {
				t.Errorf("%q x %q: %+v, want overlap %v", c.scope, text, pairs, want)
			}
			for _, p := range pairs {
				if p.Exact && (!scope.Covers(p.Example) || !e.Matches(p.Example)) {
					t.Errorf("%q x %q: not both cover the example %q", c.scope, text, p.Example)
				}
			}
		}
	}
}

// TestFieldCases holds situations that broke neighbouring tools in real use.
func TestFieldCases(t *testing.T) {
	fold := Context{FoldCase: true}
	for _, c := range []claim{
		{name: "a route matches itself",
			scope: []string{"app/users/[id]/page.tsx"},
			meets: []string{"app/users/[id]/page.tsx", "app/users/*/page.tsx", "app/**", "app/users/i/page.tsx"}, misses: []string{"app/users/[id]/layout.tsx", "app/users/x/page.tsx"}},
		{name: "a bracket is its own text within a glob",
			scope: []string{"app/**/[slug]/page.tsx"},
			meets: []string{"app/a/b/[slug]/page.tsx", "app/[slug]/page.tsx", "app/s/page.tsx"}, misses: []string{"app/[id]/page.tsx", "app/slug/page.tsx"}},
		{name: "catch-all routes",
			scope: []string{"app/[...slug]/page.tsx", "app/[[...all]]/x.ts"},
			meets: []string{"app/[...slug]/page.tsx", "app/[[...all]]/*"}, misses: []string{"app/[...other]/page.tsx"}},
		{name: "route groups, plus signs, dollar parameters",
			scope: []string{"src/routes/(app)/**", "app/routes/users.$id.tsx", "src/lib/+server.ts"},
			meets: []string{"src/routes/(app)/+page.svelte", "app/routes/users.$id.tsx", "src/lib/+server.ts", `src/routes/\(app\)/x`}, misses: []string{"src/routes/(marketing)/+page.svelte", "app/routes/users.$name.tsx"}},
		{name: "the text of a group is a path",
			scope: []string{"src/@(modal)/page.tsx", "docs/{a,b}.md"},
			meets: []string{`src/\@(modal)/page.tsx`, "src/modal/page.tsx", `docs/\{a,b\}.md`, "docs/b.md"}, misses: []string{"src/other/page.tsx", "docs/a,b.md", "docs/c.md"}},
		{name: "directory, trailing slash, sibling with the same prefix",
			scope: []string{"src/auth"},
			meets: []string{"src/auth", "src/auth/", "src/auth/login.ts", "src/auth/**", "src/*", "src"}, misses: []string{"src/authz/x.ts", "src/auth-utils.ts"}},
		{name: "accents",
			scope: []string{"docs/M\u00fcller.md"},
			meets: []string{"docs/Mu\u0308ller.md", "docs/M?ller.md", "docs/M[\u00fc]ller.md"}, misses: []string{"docs/Muller.md", "docs/M??ller.md"}},
		{name: "letter case matters", scope: []string{"src/API/x.ts"}, misses: []string{"src/api/x.ts"}},
		{name: "letter case folded", c: fold,
			scope: []string{"src/API/x.ts", "docs/[\u00e0-\u00e4]*", "k/[a-c]?"},
			meets: []string{"src/api/x.ts", "SRC/**", "docs/\u00c0", "docs/\u00c4x", "K/Bz", "\u212a/a1"}, misses: []string{"docs/\u00c5", "src/apj/x.ts"}},
		{name: "a name that is passed through is a directory",
			scope: []string{"packages/socket.io"},
			meets: []string{"packages/socket.io/lib/x.ts", "packages/socket.io/**", "packages/socket.io/"}, misses: []string{"packages/*/lib/x.ts", "packages/socket.io.md"}},
		{name: "a glob over names that are passed through",
			scope: []string{"packages/*.io"},
			meets: []string{"packages/socket.io/lib/*.ts", "packages/socket.io/"}, misses: []string{"packages/*/lib/x.ts"}},
		{name: "brace lists of extensions are files",
			scope: []string{"src/*.{ts,tsx}"},
			meets: []string{"src/a.tsx", "src/a.ts/x.go", "*.ts"}, misses: []string{"src/a.js", "src/*/README", "src/a/b.ts"}},
		{name: "dot files and versions may be directories",
			scope: []string{".github", "v1.2", "etc/*.d"},
			meets: []string{".github/workflows/x.yml", "v1.2/x", ".github/**/*.md", "etc/x.d"}, misses: []string{".gitlab/x", "v1.3/x"}},
		{name: "floating", scope: []string{"*.ts"},
			meets: []string{"a.ts", "src/foo/a.ts", "src", "src/**", "*"}, misses: []string{"*.tsx", "src/a.js"}},
		{name: "anchored at the root", scope: []string{"./*.ts"}, meets: []string{"a.ts", "*.ts", "**"}, misses: []string{"src/a.ts", "src/*.ts"}},
		{name: "stars in the middle of a segment", scope: []string{"src/a**b/x.go"},
			meets: []string{"src/ab/x.go", "src/axxb/x.go"}, misses: []string{"src/a/b/x.go", "src/a/x/b/x.go"}},
		{name: "no segment is empty or dots", scope: []string{"a/?", "a/[.]"},
			meets: []string{"a/b"}, misses: []string{"x", "b"}},
		{name: "alternatives that leave no name", scope: []string{"s/{.,}/x", "p{/,}q", "a/{./b,c}/d.go", "{b/,c}/d", "e/{,f}/g.go", "{,h}/i", "j/.{/k,l}", "m/{.,n}"},
			meets:  []string{"s/x", "p/q", "pq", "a/b/d.go", "a/c/d.go", "b/d", "c/d", "e/g.go", "e/f/g.go", "h/i", "i", "j/k", "j/.l", "m/o", "**/d.go"},
			misses: []string{"s/a/x", "a/d.go", "d", "e/x/g.go", "g.go", "h.go", "j/l", "x"}},
		{name: "groups that look odd and are not", scope: []string{"x{./a,b}", "{.,}env", "a{,/b}", "{c,d/}", "e{./,..}f.go"},
			meets: []string{"x./a", "xb", ".env", "env", "a/b", "a", "c", "d/x", "e./f.go", "e..f.go"}, misses: []string{"x/a", "a.env", "b", "e/f.go"}},
		{name: "only braces leave a segment out at the end", scope: []string{"a/?(b)", "c/*(d|e)", "f/?(g)/h.go"},
			meets: []string{"a/b", "c/de", "f/h.go", "f/g/h.go"}, misses: []string{"a/c", "c/x", "f/x/h.go"}},
		{name: "alternatives of which one is a directory", scope: []string{"src/{lib,*.ts}", "doc/{a.md,b.md}"},
			meets: []string{"src/lib/x.go", "src/a.ts", "doc/a.md"}, misses: []string{"src/a.go", "doc/**/c.md", "doc/a.md.bak"}},
		{name: "a class after an escaped bracket", scope: []string{`./\[a[ab]/`},
			meets: []string{`\[aa/x`, `\[ab`, `\[a\[ab\]/x`}, misses: []string{"./a/", "a/x", "[ab]/x"}},
		{name: "a star is a name", scope: []string{"*/q.go", "{*,x}/r.go", "a/*./s.go", "{,x.go}"},
			meets: []string{"a/q.go", "b/r.go", "a/b./s.go", "x.go"}, misses: []string{"q.go", "r.go", "a/s.go", "y.go"}},
		{name: "deep with an alternative of nothing", scope: []string{"a/**/{,b}/c.go", "d/**/{./e.go,f.go}"},
			meets: []string{"a/c.go", "a/x/c.go", "a/x/b/c.go", "d/e.go", "d/x/e.go", "d/f.go"}, misses: []string{"c.go", "d/x.go"}},
		{name: "nothing again and again", scope: []string{"a/*(./|b)/c.go", "d/+(/)e.go"},
			meets: []string{"a/c.go", "a/b/c.go", "a/bb/c.go", "d/e.go"}, misses: []string{"a/x/c.go"}},
		{name: "negated classes never name a separator", scope: []string{"x/a[!b]c.go"},
			meets: []string{"x/axc.go", "x/a.c.go"}, misses: []string{"x/a/c.go", "x/abc.go"}},
		{name: "groups in groups", scope: []string{"src/{a,@(b|{c,d/e}),}x/+(f|{g,h})", "t/?({p,q})r"},
			meets: []string{"src/ax/f", "src/bx/gh", "src/cx/h", "src/d/ex/ff", "src/x/g", "t/r", "t/pr"}, misses: []string{"src/dx/f", "src/ax/k", "t/sr"}},
		{name: "escapes", scope: []string{`src/\*\[a\]\{b\}.md`},
			meets: []string{`src/\*\[a\]\{b\}.md`, "src/?[[]a]?b}.md"}, misses: []string{"src/xa.md"}},
		{name: "runes of many bytes", scope: []string{"\u6587\u66f8/?.md", "\U0001f680/[\u3042-\u3093]*"},
			meets: []string{"\u6587\u66f8/\u7269.md", "\U0001f680/\u304d\u304f"}, misses: []string{"\u6587\u66f8/ab.md", "\U0001f680/\u30a2"}},
		{name: "three dots are all that is under a directory, as in Go", scope: []string{"src/...", "lib/.../x.go"},
			meets: []string{"src/a/b.go", "src", "src/.../x", "lib/x.go", "lib/a/b/x.go"}, misses: []string{"srcs/a", "lib/a/y.go", "doc/.../a"}},
		{name: "deep stars stand for nothing, too", scope: []string{"a/{**,b}/c"},
			meets: []string{"a/c", "a/x/y/c", "a/b/c"}, misses: []string{"b/c", "a/x/d.md"}},
	} {
		t.Run(c.name, c.check)
	}
}

// TestKind: what a plain entry is decides, not what it looks like.
func TestKind(t *testing.T) {
	asked := map[string]int{}
	var mu sync.Mutex
	c := Context{Kind: func(path string) Kind {
		mu.Lock()
		defer mu.Unlock()
		asked[path]++
		return map[string]Kind{"Makefile": File, "packages/socket.io": Dir, "a*b": Dir}[path]
	}}
	all := mustParse(t, "**/*.test.ts", c)
	for text, want := range map[string]struct {
		stored string
		meets  bool
	}{
		"Makefile":           {"Makefile", false},
		"packages/socket.io": {"packages/socket.io/", true},
		"absent":             {"absent", true},
		"absent.ts":          {"absent.ts", false},
		`a\*b`:               {`a\*b/`, true},
	} {
		e := mustParse(t, text, c)
		if e.String() != want.stored || e.Compare(all).Overlap != want.meets {
			t.Errorf("Parse(%q) = %q, meets %v; want %q, %v", text, e, e.Compare(all).Overlap, want.stored, want.meets)
		}
		s := Stored(text, c)
		if s.String() != text || s.Compare(all).Overlap != want.meets {
			t.Errorf("Stored(%q) = %q, meets %v; want %v", text, s, s.Compare(all).Overlap, want.meets)
		}
	}
	asked = map[string]int{}
	s := Stored("Makefile", c)
	s.Compare(mustParse(t, "src/**", c))
	if len(asked) > 0 {
		t.Errorf("asked about %v, though other names decide", asked)
	}
	for range 3 {
		s.Compare(all)
	}
	if asked["Makefile"] != 1 {
		t.Errorf("asked %d times", asked["Makefile"])
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	a, b := Stored("src/**/*.ts", Context{}), Stored("src/{a,b}/[id]/*", Context{})
	want := Stored("src/**/*.ts", Context{}).Compare(Stored("src/{a,b}/[id]/*", Context{}))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if r := a.Compare(b); r != want || !b.Compare(b).Overlap || !a.Matches("src/x.ts") {
				t.Errorf("%+v, want %+v", r, want)
			}
		})
	}
	wg.Wait()
}

// TestExamples: the path shown is one that people would write.
func TestExamples(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"src/a*", "src/*b", "src/ab"},
		{"src/foo/**", "*.ts", "src/foo/a.ts"},
		{"src/**", "src/**/*.ts", "src/a.ts"},
		{"app/[id]/page.tsx", "app/**", "app/[id]/page.tsx"},
		{"app/[id]/page.tsx", "app/[id]/page.tsx", "app/[id]/page.tsx"},
		{"src/{foo,bar}/*.ts", "src/{baz,bar}/**", "src/bar/a.ts"},
		{"src/*.[jt]s", "*.*s", "src/a.js"},
		{".github/*", "**/*.yml", ".github/a.yml"},
		{"docs/[!a-z]x", "docs/**", "docs/0x"},
		{"src", "src/auth", "src/auth"},
		{"**", "**", "a"},
		{"[.]", "[.]", "[.]"},
	} {
		r := checkOverlap(t, tt.a, tt.b, Context{}, true)
		if r.Example != tt.want || !r.Exact {
			t.Errorf("%q x %q: %+v, want %q", tt.a, tt.b, r, tt.want)
		}
	}
	fold := Context{FoldCase: true}
	if r := checkOverlap(t, "Src/**", "src/Foo.ts", fold, true); r.Example != "src/Foo.ts" {
		t.Errorf("folded: %q", r.Example)
	}
}

// TestInexact: what is decided otherwise than exactly says so.
func TestInexact(t *testing.T) {
	plain := mustParse(t, "src/foo/a.ts", Context{})
	for _, tt := range []struct {
		e    *Entry
		want Result
	}{
		{mustParse(t, "src/!(foo)/a.ts", Context{}), Result{true, "src/foo/a.ts", false}},
		{mustParse(t, "src/**", Context{Inexact: true}), Result{true, "src/foo/a.ts", false}},
		{Stored("src/{a,b", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("!src/foo/**", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("src/*/../foo/a.ts", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("src/foo/[a", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("./src/./x/../foo//{a", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored(`src\foo/{a`, Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("/repo/src/foo/{a", Context{Roots: []string{"/repo"}}), Result{true, "src/foo/a.ts", false}},
		{Stored("/other/src/foo/{a", Context{Roots: []string{"/repo"}}), Result{false, "", false}},
		{Stored("docs/{a,../src}/**", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("docs/{a/../../src,b}/**", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored(".{/src,b}/**", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("{./src,b}/**", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("docs/{a,b", Context{}), Result{false, "", false}},
		{Stored("/etc/passwd", Context{}), Result{false, "", false}},
		{Stored("../x", Context{}), Result{false, "", false}},
		{Stored("~/x", Context{}), Result{true, "src/foo/a.ts", false}},
		{Stored("/", Context{Afar: true}), Result{true, "src/foo/a.ts", false}},
		{Stored("/etc/passwd", Context{Afar: true}), Result{true, "src/foo/a.ts", false}},
		{Stored("/other/src/foo/{a", Context{Afar: true, Roots: []string{"/repo"}}), Result{true, "src/foo/a.ts", false}},
		{Stored("/repo/docs", Context{Afar: true, Roots: []string{"/repo"}}), Result{false, "", true}},
		{Stored("../../x", Context{Afar: true}), Result{true, "src/foo/a.ts", false}},
		{Stored("!../x", Context{Afar: true}), Result{true, "src/foo/a.ts", false}},
		{Stored("file:///x", Context{Afar: true}), Result{true, "src/foo/a.ts", false}},
		{Stored("http://x/y", Context{Afar: true}), Result{true, "src/foo/a.ts", false}},
		{Stored("docs/{a,b", Context{Afar: true}), Result{false, "", false}},
		{Stored("custom://x", Context{Afar: true}), Result{false, "", true}},
	} {
		if r := tt.e.Compare(plain); r != tt.want {
			t.Errorf("%q: %+v, want %+v", tt.e, r, tt.want)
		}
		if r := plain.Compare(tt.e); r != tt.want {
			t.Errorf("%q, the other way round: %+v, want %+v", tt.e, r, tt.want)
		}
		scope := Scope{tt.e}
		if scope.Covers("src/foo/a.ts") != tt.want.Overlap || scope.CoversExactly("src/foo/a.ts") != (tt.want.Overlap && tt.want.Exact) {
			t.Errorf("%q covers: %v, exactly: %v; want %+v", tt.e, scope.Covers("src/foo/a.ts"), scope.CoversExactly("src/foo/a.ts"), tt.want)
		}
	}
}

// TestHostile: what would take too long is decided by literal prefixes. That
// the cost is bounded shows in the nodes that the search made.
func TestHostile(t *testing.T) {
	for name, pair := range gittest.SomeOf(8, hostile()) {
		t.Run(name, func(t *testing.T) {
			a, b := mustParse(t, pair[0], Context{}), mustParse(t, pair[1], Context{})
			var p product
			r := a.overlaps(b, &p)
			if !r.Overlap && !r.Exact {
				t.Errorf("%+v: undecided must not read as apart", r)
			}
			if r.Overlap && r.Exact && !(a.Matches(r.Example) && b.Matches(r.Example)) {
				t.Errorf("exact, but not both cover the example of %d bytes", len(r.Example))
			}
			if most := 2 * searchBudget / nodeSteps; len(p.nodes) > most {
				t.Errorf("%d nodes, at most %d", len(p.nodes), most)
			}
			if most := 8 * MaxBytes; len(a.prog.states) > most || len(b.prog.states) > most {
				t.Errorf("%d and %d states, at most %d", len(a.prog.states), len(b.prog.states), most)
			}
			if back := b.Compare(a); back != r {
				t.Error("not symmetric")
			}
		})
	}
}

// Letters fold one by one: file systems differ in whether one may stand for two.
func TestLettersFoldOneByOne(t *testing.T) {
	t.Parallel()
	for other, want := range map[string]bool{"STRAẞE.md": true, "Straße.MD": true, "strasse.md": false, "STRASSE.md": false} {
		c := Context{FoldCase: true}
		a, err := Parse("straße.md", c)
		b, err2 := Parse(other, c)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if got := a.Compare(b); got.Overlap != want {
			t.Errorf("%q: %+v", other, got)
		}
	}
}
