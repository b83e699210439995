package overlap

import (
	"errors"
	"path"
	"strings"
	"testing"
)

func TestParseStores(t *testing.T) {
	links := func(abs string) string {
		if rest, ok := strings.CutPrefix(abs, "/link"); ok {
			return "/repo" + rest
		}
		return abs
	}
	root := Context{Roots: []string{"/repo", "/repo/trees/w", "/wt"}, Resolve: links}
	sub := Context{Prefix: "app/[id]"}
	windows := Context{Windows: true, FoldCase: true, Roots: []string{`C:\code\repo`}}
	for _, tt := range []struct {
		entry string
		c     Context
		want  string
		like  string // an entry that covers the same
	}{
		{"src/a.ts", Context{}, "src/a.ts", "src/a.ts"},
		{"  src/a.ts \t", Context{}, "src/a.ts", "src/a.ts"},
		{`src\main.py`, Context{}, `src\main.py`, "src/main.py"},
		{"src//./main.py", Context{}, "src//./main.py", "src/main.py"},
		{"a/../b.go", Context{}, "a/../b.go", "b.go"},
		{"a/../*.go", Context{}, "a/../*.go", "./*.go"},
		{"./src//main.py", Context{}, "src/main.py", "src/main.py"},
		{"./*.ts", Context{}, "./*.ts", "./*.ts"},
		{"./!odd.ts", Context{}, "./!odd.ts", "./!odd.ts"},
		{".", Context{}, "**", "**"},
		{"./", Context{}, "**", "**"},
		{"a/..", Context{}, "a/..", "**"},
		{".", sub, `app/\[id\]/`, `app/\[id\]/`},
		{"..", sub, "app/", "app/"},
		{"./x.ts", sub, `app/\[id\]/x.ts`, `app/\[id\]/x.ts`},
		{"../x/*.ts", sub, "app/x/*.ts", "app/x/*.ts"},
		{"x.ts", sub, "x.ts", "x.ts"},
		{"/repo/src/**", root, "src/**", "src/**"},
		{"/link/src/a.ts", root, "src/a.ts", "src/a.ts"},
		{"/repo/src/link/a.ts", root, "src/link/a.ts", "src/link/a.ts"},
		{"/repo/trees/w/src/a.ts", root, "src/a.ts", "src/a.ts"},
		{"/wt/*.ts", root, "./*.ts", "./*.ts"},
		{"/wt", root, "**", "**"},
		{"/wt/a/../[b]/", root, "./[b]/", "./[b]/"},
		{`C:\code\Repo\src\a.ts`, windows, "src/a.ts", "src/a.ts"},
		{"c:/code/repo/src/*.ts", windows, "src/*.ts", "src/*.ts"},
		{`src\[id]\page.tsx`, windows, "src/[id]/page.tsx", "src/[id]/page.tsx"},
		{"{a//b,c/./d}/e", Context{}, "{a//b,c/./d}/e", "{a/b,c/d}/e"},
	} {
		e := mustParse(t, tt.entry, tt.c)
		if e.String() != tt.want {
			t.Errorf("Parse(%q) = %q, want %q", tt.entry, e, tt.want)
		}
		again := Stored(e.String(), tt.c)
		like := Stored(tt.like, Context{FoldCase: tt.c.FoldCase})
		for _, p := range append(universe(4), "src/main.py", "src/a.ts", "b.go", "x/b.go", "x.ts", "a.ts", "src/b/a.ts", "app/[id]/x.ts", "app/i/x.ts", "app/x/a.ts", "app/y", "!odd.ts", "src/[id]/page.tsx", "c/d/e") {
			if e.Matches(p) != like.Matches(p) || again.Matches(p) != like.Matches(p) {
				t.Errorf("Parse(%q) covers %q: %v, stored and read again: %v, %q: %v", tt.entry, p, e.Matches(p), again.Matches(p), tt.like, like.Matches(p))
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		entry  string
		offset int
		reason string // a part of it
	}{
		{"", 0, "is empty"},
		{"  ", 2, "is empty"},
		{"src/[z-a]pi/login.ts", 4, `the reversed range "z-a"`},
		{"src/*[0-9a-Z]", 5, `the reversed range "a-Z"`},
		{"app/[z-a]/x", 4, "reversed range"},
		{"src/*.{ts, tsx}", 10, `a blank around "tsx"`},
		{"{docs ,src}/**", 1, `a blank around "docs"`},
		{"{a,{b, c}}", 6, `a blank around "c"`},
		{"@(a| b)", 4, `a blank around "b"`},
		{"src/{api|lib}/**", 4, `one alternative in "{api|lib}"`},
		{"src/@(api,lib)/**", 4, `one alternative in "@(api,lib)"`},
		{"{a.ts b.ts}", 0, "one alternative"},
		{"src/(api|lib)/**", 4, "alternatives without a sign"},
		{"a\x00b", 1, "control character"},
		{" a\nb", 2, "control character"},
		{"a/\u0085b", 2, "control character"},
		{"a/\xff", 2, "UTF-8"},
		{"!src/generated/**", 0, "exclusions are not supported"},
		{"src/{a,b", 4, "{ that is never closed"},
		{"src/{a,{b}", 4, "{ that is never closed"},
		{"src/[ab", 4, "[ that is never closed"},
		{"src/+(a|b", 4, "+( that is never closed"},
		{"src/@(a(b)", 4, "@( that is never closed"},
		{"src/[]", 4, "empty []"},
		{"src/[!]x", 4, "empty []"},
		{"src/[a/b]", 6, "/ inside brackets"},
		{`src/[a\b]`, 6, "/ inside brackets"},
		{"/etc/passwd", 0, "outside the repository"},
		{"../o/**", 0, "outside the repository"},
		{"a/../../b", 5, "outside the repository"},
		{"*/../b", 2, `".." after a pattern`},
		{"{a/../b,c}", 3, `".." inside a group`},
		{"sub/{a,../x}/**", 4, `".." inside a group`},
		{"a/{..,b}", 2, `".." inside a group`},
		{"a/+(.)/b", 2, `".." inside a group`},
		{"a/..{/b,c}", 2, `".." inside a group`},
		{"{./a,b}/**", 0, `"/" that begins one`},
		{"./{.,b}", 2, `"/" that begins one`},
		{".{/a,b}", 0, `"/" that begins one`},
		{"{,a}./b", 0, `"/" that begins one`},
		{"?(a)./b", 0, `"/" that begins one`},
		{"{,a}{,b}./c", 0, `"/" that begins one`},
		{"{/a,b}/c", 0, `"/" that begins one`},
		{"*(/a)/c", 0, `"/" that begins one`},
		{strings.Repeat("a", MaxBytes+1), MaxBytes, "longer than 4096 bytes"},
	} {
		_, err := Parse(tt.entry, Context{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q) = %v, want an *Error", tt.entry, err)
			continue
		}
		if e.Entry != tt.entry || e.Offset != tt.offset || !strings.Contains(e.Reason, tt.reason) || e.Hint == "" {
			t.Errorf("Parse(%q): %+v, want offset %d, reason with %q", tt.entry, e, tt.offset, tt.reason)
		}
		if !strings.Contains(err.Error(), `"`) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Parse(%q): message %s", tt.entry, err)
		}
		s := Stored(tt.entry, Context{})
		if r := s.Compare(s); !r.Overlap || r.Exact {
			t.Errorf("Stored(%q) with itself: %+v", tt.entry, r)
		}
	}
	_, err := Parse("/etc/passwd", Context{Roots: []string{"/repo"}})
	if e := new(Error); !errors.As(err, &e) || !strings.Contains(e.Hint, "base_dir") {
		t.Errorf("%+v, want a hint at base_dir", err)
	}
}

// TestStrayBrackets: a closing bracket alone is itself.
func TestStrayBrackets(t *testing.T) {
	for _, text := range []string{"a]b", "a}b", "a)b", "(a", "a|b", "a,b", "x/a]*"} {
		e := mustParse(t, text, Context{})
		if name := strings.ReplaceAll(text, "*", "b"); !e.Matches(name) {
			t.Errorf("%q does not cover %q", text, name)
		}
	}
}

func TestCovers(t *testing.T) {
	e := mustParse(t, "src/**/*.ts", Context{})
	for p, want := range map[string]bool{
		"src/a.ts": true, "src/x/y/a.ts": true, "src/a.ts/x": true, "src": true,
		"srcs": false, "src/a.js": false, "": false, "/src/a.ts": false, "src//a.ts": false, "src/../src/a.ts": false,
		"src/\xff.ts": true, "src/a\nb.ts": true,
	} {
		if e.Matches(p) != want {
			t.Errorf("covers %q: %v, want %v", p, !want, want)
		}
	}
	if valid(path.Clean("a/..")) {
		t.Error("a path that is the root is not a path in it")
	}
}

// A long absolute entry makes no work for the file system: one look, not one for
// each directory on the way.
func TestAbsoluteIsResolvedOnce(t *testing.T) {
	looks := 0
	c := Context{Roots: []string{"/repo"}, Resolve: func(abs string) string { looks++; return abs }}
	for text, want := range map[string]string{"/repo" + strings.Repeat("/a", 2000) + "/*": "", "/" + strings.Repeat("a/", 2000) + "b": "is outside the repository", "/repo": ""} {
		looks = 0
		_, err := Parse(text, c)
		var refused *Error
		if errors.As(err, &refused); (err != nil) != (want != "") || err != nil && refused.Reason != want {
			t.Errorf("%.20q: %v", text, err)
		}
		if looks != 1 {
			t.Errorf("%.20q is looked at %d times", text, looks)
		}
	}
}

// What other tools count or know is refused with the way out: as text it would be a
// claim on nothing.
func TestRangesAndClassesAreRefused(t *testing.T) {
	t.Parallel()
	for entry, hint := range map[string]string{
		"migrations/{001..010}_*.sql": "list the names",
		"a/{1..3}":                    "list the names",
		"a/{a..e}":                    "list the names",
		"a/{-5..5}":                   "list the names",
		"a/{1..10..2}":                "list the names",
		"a/{1..x}":                    "list the names",
		"a/{+1..3}":                   "list the names",
		"{x,{1..3}}":                  "list the names",
		"src/[[:digit:]]*.go":         "[0-9]",
		"src/[^[:space:]]":            "[0-9]",
		"src/[[:DIGIT:]]":             "[0-9]",
		"src/[a[::]]":                 "[0-9]",
		"src/[[.a.]]":                 "[0-9]",
		"src/[[=a=]]":                 "[0-9]",
		"src/[a-[:digit:]]":           "[0-9]",
	} {
		_, err := Parse(entry, Context{})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, hint) || e.Offset == 0 {
			t.Errorf("Parse(%q): %+v, want a hint at %s", entry, err, hint)
		}
		s := Stored(entry, Context{})
		if r := s.Compare(mustParse(t, "**", Context{})); !r.Overlap || r.Exact {
			t.Errorf("stored %q reads as %+v", entry, r)
		}
	}
	if s := Stored("migrations/{001..010}_*.sql", Context{}); !s.Matches("migrations/005_x.sql") || s.Matches("docs/a.md") {
		t.Errorf("a range in a lock covers migrations/005_x.sql: %v, docs/a.md: %v", s.Matches("migrations/005_x.sql"), s.Matches("docs/a.md"))
	}
	for _, text := range []string{"app/[[...slug]]/page.tsx", "a/{...x}", "a/{x}", "a/{..}b", "a/[[:]x", "a/[:digit:]", "a/{x..y,z}", "a/[[.a]"} {
		if e := mustParse(t, text, Context{}); !e.Matches(text) {
			t.Errorf("%q does not cover itself", text)
		}
	}
}
