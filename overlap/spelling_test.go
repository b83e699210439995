package overlap

import (
	"errors"
	"strings"
	"testing"
)

// tree is a Kind that knows some paths.
func tree(dirs, files string) func(string) Kind {
	kinds := map[string]Kind{}
	for _, d := range strings.Fields(dirs) {
		kinds[d] = Dir
	}
	for _, f := range strings.Fields(files) {
		kinds[f] = File
	}
	return func(path string) Kind { return kinds[path] }
}

// What is written in the notation of another program is read as meant, or
// refused with the way out; a name that really begins so can still be claimed.
func TestOtherNotationsAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		entry, reason, hint string
	}{
		{":(glob)src/**", "pathspec", `"src/**"`},
		{":/src/a.go", "pathspec", `"src/a.go"`},
		{":!src/gen", "pathspec", `"src/gen"`},
		{":(exclude,icase)src", "pathspec", `"src"`},
		{`"src/**"`, "quotation marks", "remove them"},
		{"'src/a.go'", "quotation marks", "remove them"},
		{`["src/a.go"]`, "JSON", `written "./[\"src/a.go\"]"`},
		{` [ "src/a.go", "b" ]`, "JSON", "a separate entry"},
		{"['src/a.go']", "JSON", "without quotation marks"},
		{`["src/a.go`, "JSON", "without quotation marks"},
		{`{"scope": ["src/a.go"]}`, "JSON", "without quotation marks"},
		{"`src/a.go`", "quotation marks", "remove them"},
		{"\u201csrc/a.go\u201d", "quotation marks", "remove them"},
		{`C:\code\repo\src`, "drive", "repository's root"},
		{"c:/code/repo/src", "drive", "repository's root"},
		{`\\host\share\src`, "network path", "repository's root"},
		{"https://example.org/a.go", "URI", "repository's root"},
		{"vscode-remote://wsl/a.go", "URI", "repository's root"},
		{"port://3000", "URI", "custom://name"},
		{"file://host/repo/src", "another host", "write the path"},
		{"file:///repo/src/a%zz", "bad escape", "write the path"},
		{"file:///repo/src/a%0Ab", "control character", "remove it"},
		{"file:///repo/src/a?x=1", "query", "write the path"},
		{"file:///elsewhere/a.go", "outside", "base_dir"},
		{"$PWD/src/**", "variable", "write the path out"},
		{"${REPO_ROOT}/src/**", "variable", "write the path out"},
		{"$HOME", "variable", `"./$HOME"`},
		{"/src/**", "outside", `omit the slash, as in "src/**"`},
		{":src/a.go", "pathspec", `"src/a.go"`},
		{"c:src/a.go", "drive", "repository's root"},
		{"~root/src", "~", `"./~root/src"`},
		{`%CD%\src`, "variable", "write the path out"},
		{"$(pwd)/src/**", "command", "write the path out"},
		{"`git rev-parse --show-toplevel`/src", "command", "write the path out"},
		{`my\ file.txt`, "backslash", "remove that backslash"},
		{`src/a\$b.ts`, "backslash", "remove that backslash"},
		{`it\'s.md`, "backslash", "remove that backslash"},
		{`{a\,b,zz}/c`, "backslash", "remove that backslash"},
		{`src\@types\a.ts`, "backslash", "write /"},
		{`^src/.*\.ts$`, "regular expression", "write a glob"},
		{`src/.*\.tsx?`, "regular expression", "write a glob"},
		{`src/.*$`, "regular expression", "write a glob"},
		{`src/\w+\.ts$`, "regular expression", "write a glob"},
		{`src\\\ a`, "backslash", "remove that backslash"},
	} {
		_, err := Parse(tt.entry, Context{Roots: []string{"/repo"}})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason, tt.reason) || !strings.Contains(e.Hint, tt.hint) || e.Entry != tt.entry {
			t.Errorf("Parse(%q): %+v, want reason with %q, hint with %q", tt.entry, err, tt.reason, tt.hint)
		}
	}
	for _, name := range []string{":(x", ":!x", `"a"`, "'a'", `["']a`, `{"a",b}`, "C:/x", "~root/x", "%CD%/x", "`a`/x", "$(a)/x", "file:/x", "http://x", "$HOME/a", "~", "!x", "@x", "custom://x", "Custom:x", "custom:", "@custom:x"} {
		e := mustParse(t, "./"+name, Context{})
		want := strings.ReplaceAll(name, "//", "/")
		if again := mustParse(t, e.String(), Context{}); !e.Matches(want) || again.String() != e.String() || !again.Matches(want) {
			t.Errorf("./%s is stored as %q, and read again as %q", name, e, again)
		}
	}
}

// Met in a lock file, they never read as free where they may have been meant.
func TestOtherNotationsStored(t *testing.T) {
	t.Parallel()
	c := Context{Roots: []string{"/repo"}}
	mine := mustParse(t, "src/a.go", c)
	for text, want := range map[string]bool{
		":(glob)src/**": true, ":/src/a.go": true, ":!src": true, `"src/**"`: true, "`src/a.go`": true, "':(glob)src/*.go'": true,
		`C:\code\repo\src`: true, `\\host\share`: true, "file://host/src": true, "file:///repo/src/{a": true,
		`["src/a.go"]`: true, ":src/a.go": true, "c:src/a.go": true, "$(pwd)/src/a.go": true, `src/a\ b/../a.go`: true, `lib\$x`: false, `{src\,lib,x}/a.go`: true,
		`"docs/**"`: false, ":/docs": false, "https://example.org/src/a.go": false, "/src/a.go": false, "file:///repo/docs/[a": false, "file:///else/x": false,
	} {
		e := Stored(text, c)
		if r := e.Compare(mine); r.Overlap != want || r.Exact || r != mine.Compare(e) || e.Matches("src/a.go") != want {
			t.Errorf("%q: %+v, want %v", text, r, want)
		}
	}
}

// Where the worktrees are not known, an absolute entry may lie in any of them.
func TestAbsoluteEntriesWithoutRoots(t *testing.T) {
	t.Parallel()
	c := Context{NoRoots: true}
	for _, text := range []string{"/repo/src", "/repo/*.go", "file:///repo/x"} {
		if r := Stored(text, c).Compare(mustParse(t, "docs/a.md", c)); !r.Overlap || r.Exact {
			t.Errorf("%q: %+v", text, r)
		}
		if _, err := Parse(text, c); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestFileURIs(t *testing.T) {
	t.Parallel()
	posix, windows := Context{Roots: []string{"/repo", "/r[ab]"}}, Context{Windows: true, Roots: []string{`C:\repo`}}
	for _, tt := range []struct {
		c           Context
		entry, want string
	}{
		{posix, "file:///repo/src/a.go", "src/a.go"},
		{posix, "FILE://localhost/repo/src/a.go#L10", "src/a.go"},
		{posix, "file:/repo/a%20b.go", "a b.go"},
		{posix, "file:///repo/app/%5Bid%5D/page.tsx", "app/[id]/page.tsx"},
		{posix, "file:///repo/app/[id]/*.tsx", "app/[id]/*.tsx"},
		{posix, "file:///r%5Bab%5D/src/", "src/"},
		{posix, "file:///repo", "**"},
		{posix, "file:///repo/a%5Cb", `a\\b`},
		{windows, "file:///c:/repo/src/a.go", ""},
		{windows, "file:///C:/repo/src/a.go", "src/a.go"},
	} {
		e, err := Parse(tt.entry, tt.c)
		if (err == nil) != (tt.want != "") || err == nil && e.String() != tt.want {
			t.Errorf("Parse(%q) = %v, %v; want %q", tt.entry, e, err, tt.want)
		}
		if err == nil && !Absolute(tt.entry, tt.c.Windows) {
			t.Errorf("%q is not absolute", tt.entry)
		}
	}
	for text, want := range map[string]string{"file:///a%20b/%5Bx%5D.go": "/a b/[x].go", "src/a.go": "src/a.go", "file:x": "file:x"} {
		if got, err := FilePath(text, false); got != want || err != nil {
			t.Errorf("FilePath(%q) = %q, %v", text, got, err)
		}
	}
	if got, err := FilePath("file:///c:/a", true); got != "c:/a" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := FilePath("file://host/a", false); err == nil {
		t.Error("a path on another host is accepted")
	}
}

// An @ is taken off only where what is there says so.
func TestMentions(t *testing.T) {
	t.Parallel()
	c := Context{Kind: tree("src app app/@modal @both both odd", "src/a.go odd:1"), Roots: []string{"/repo"}}
	for text, want := range map[string]string{
		"@src/a.go": "src/a.go", "@src/**": "src/**", "@src": "src/", "@/repo/src/a.go": "src/a.go", "@./src/*.go": "src/*.go",
		"src/a.go:42": "src/a.go", "src/a.go:42:7": "src/a.go", "src/a.go:12:3:": "src/a.go", "src/a.go:L42": "src/a.go", "src/a.go#L4C2-L6C1": "src/a.go", "src/a.go(3,4)": "src/a.go", "src/a.go(3)": "src/a.go", "src/new.go(3,4)": "src/new.go(3,4)", "src/a.go:1-9": "src/a.go", "src/a.go#L4": "src/a.go", "@src/a.go#L4-L9": "src/a.go",
		"src/new.go:42": "src/new.go:42", "odd:1": "odd:1", "src/*.go:1": "src/*.go:1", "v1:2/x": "v1:2/x",
		"@src/new.go": "@src/new.go", "@both/x": "@both/x", "@both": "@both/", "@none/x": "@none/x", "app/@modal": "app/@modal/", "@(src|app)/x": "@(src|app)/x", "@*.go": "@*.go", "@": "@",
	} {
		e := mustParse(t, text, c)
		if e.String() != want {
			t.Errorf("%q is stored as %q, want %q", text, e, want)
		}
		typed := strings.TrimSuffix(strings.NewReplacer("**", "x", "*", "x", "@(src|app)", "src").Replace(text), "/")
		if text == strings.TrimSuffix(want, "/") && !e.Matches(typed) {
			t.Errorf("%q does not cover %q", text, typed)
		}
		s := Stored(text, c)
		if s.String() != text || s.Matches("src/a.go") != e.Matches("src/a.go") {
			t.Errorf("stored %q: %q, which covers src/a.go: %v", text, s, s.Matches("src/a.go"))
		}
	}
	for _, e := range []*Entry{mustParse(t, "src/new.go:42", c), Stored("src/new.go:42", c)} {
		if !e.Matches("src/new.go") || !e.Matches("src/new.go:42") {
			t.Errorf("%q, not made yet: %v, %v", e, e.Matches("src/new.go"), e.Matches("src/new.go:42"))
		}
	}
	for _, e := range []*Entry{mustParse(t, "@src/new.go", c), Stored("@src/new.go", c)} {
		if !e.Matches("src/new.go") || !e.Matches("@src/new.go") || !e.Compare(mustParse(t, "src/*", c)).Overlap {
			t.Errorf("%q, not made yet: %v, %v", e, e.Matches("src/new.go"), e.Matches("@src/new.go"))
		}
	}
	below := c
	below.Prefix = "app"
	for text, want := range map[string]string{"@./new.go": "app/new.go", "./new.go:4": "app/new.go", "@../src": "src/"} {
		if got := mustParse(t, text, below).String(); got != want {
			t.Errorf("in app, %q is stored as %q, want %q", text, got, want)
		}
	}
	if got := mustParse(t, "@src/a.go", Context{}).String(); got != "@src/a.go" {
		t.Errorf("nobody looked, and yet it is %q", got)
	}
}

// What would be refused is a name where something is called so, and where a bracket
// is likelier a name than a class.
func TestNamesThatLookLikePatterns(t *testing.T) {
	t.Parallel()
	c := Context{Kind: tree("", "src/[z-a]pi.ts src/(a|b).ts ")}
	for _, name := range []string{
		"src/[z-a]pi.ts", "src/(a|b).ts", "app/[post-id]/page.tsx", "app/(.)[post-id]/page.tsx", "app/[user-id]-[post-id].tsx", "src/.*", "a^b", "cost$", "api/{id}/x", "@( )x",
	} {
		if e := mustParse(t, name, c); !e.Matches(name) {
			t.Errorf("%q does not cover itself", name)
		}
	}
	for _, name := range []string{"src/[z-a]pi.ts", "src/(a|b).ts", "(a|(b|c))", "^a$", `^a\.b`, `a\.ts$`, `x.*$`, `a.*\.b`, "{a, b}", "{ a}", "{a|b}", "@(a,b)", "{a b}", " {id}", "@( a|b)"} {
		if e, err := Parse(Literal(name, false), Context{}); err != nil || !e.Matches(name) {
			t.Errorf("Literal(%q) = %q: %v", name, Literal(name, false), err)
		}
	}
}

// A backslash that may be a separator or an escape is both.
func TestDoubtfulBackslashes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		free bool
		path string
	}{
		{`packages\api\**`, false, "packages/api/src/x.go"},
		{`packages\**`, false, "packages/a.go"},
		{`src\*.ts`, false, "src/a.ts"},
		{`src\[id]\page.tsx`, false, "src/[id]/page.tsx"},
		{`src\{a,b}\c.go`, false, "src/b/c.go"},
		{`src\(app)\page.tsx`, false, "src/(app)/page.tsx"},
		{`packages\\api\\**`, false, "packages/api/x.go"},
		{`./packages\**`, false, "packages/a.go"},
		{`/repo/packages\**`, false, "packages/a.go"},
		{`.\packages\**`, false, "packages/a.go"},
		{`.\*.go`, false, "a.go"},
		{`src\main.py`, false, "src/main.py"},
		{`a\[a[ab]`, false, "a/b"},
		{`a\[a[ab]`, false, "a[ab"},
		{`app/\[id\]/page.tsx`, false, "app/[id]/page.tsx"},
		{`a\*b`, false, "a*b"},
		{`app/\[id\]/page.tsx`, true, "app/i/page.tsx"},
		{`app\[id\].tsx`, true, "app/[id].tsx"},
		{`packages\api\**`, true, "packages/web/x.go"},
		{`\*.ts`, true, "a.ts"},
	} {
		c := Context{Roots: []string{"/repo"}}
		e, other := mustParse(t, tt.text, c), mustParse(t, escape(tt.path), c)
		for _, e := range []*Entry{e, Stored(tt.text, c), Stored(e.String(), c)} {
			r := e.Compare(other)
			if r.Overlap == tt.free || r != other.Compare(e) || e.Matches(tt.path) == tt.free {
				t.Errorf("%q x %q: %+v, and %+v", tt.text, tt.path, r, other.Compare(e))
			}
		}
	}
	if r := mustParse(t, `packages\api\**`, Context{}).Compare(mustParse(t, "packages/api/**", Context{})); r.Exact {
		t.Errorf("beyond doubt: %+v", r)
	}
}

// A root is compared as it is, whatever its name would mean as a pattern.
func TestRootsWithOddNames(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"/tmp/re[po]", "/tmp/{a,b}", "/tmp/a*b?", "/tmp/+(x)", "/tmp/x{", "/tmp/[", `/tmp/back\slash`, `/tmp/back\*`, "/tmp/ sp"} {
		c := Context{Roots: []string{"/tmp", root}, Resolve: func(abs string) string { return abs }}
		for text, want := range map[string]string{"/src/**": "src/**", "": "**", "/[id]/a.go": "[id]/a.go", "/*.go": "./*.go", "/a/../b/": "b/", "/src/{a,b}.go": "src/{a,b}.go"} {
			typed := root + text
			if e, err := Parse(typed, c); err != nil || e.String() != want {
				t.Errorf("Parse(%q) = %v, %v; want %q", typed, e, err, want)
			}
			if s := Stored(typed, c); !s.Compare(mustParse(t, want, c)).Overlap {
				t.Errorf("stored %q misses %q", typed, want)
			}
		}
		if s := Stored(root+"/src/{a", c); !s.Matches("src/x") || s.Matches("doc/x") {
			t.Errorf("%q: a faulty entry covers src/x %v, doc/x %v", root, s.Matches("src/x"), s.Matches("doc/x"))
		}
	}
}

func TestDir(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"./*.json": "", "**": "", "*.ts": "", "a": "", "a/b": "a", "a/b/": "a", "a/**": "a", "a/b*": "a", `a/\[id\]/x*`: "a/[id]", "a/[id]/x": "a", "{a,b}/c": "",
	} {
		if got := mustParse(t, text, Context{}).Directory(); got != want {
			t.Errorf("%q lies in %q, want %q", text, got, want)
		}
	}
}

// Within is a path that git reads as it is, whatever the entry covers.
func TestWithin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"./*.json": "", "**": "", "*.ts": "", "a": "a", "a/b": "a/b", "a/b/": "a/b", "a/**": "a", "a/b*": "a", `a/\[id\]/x*`: "a", "a/[id]/x": "a",
		"{a,b}/c": "", "{a,a/b}/c": "", "!(x)": "", "a/ü/c": "a", "a b/c-d_e.f/g": "a b/c-d_e.f/g", "custom://port-3000": "", "a/%41/b": "a", "a/b?": "a",
		"+(a)/b": "", "a//b/./c": "a/b/c", "a/..": "", ".": "",
	} {
		e := mustParse(t, text, Context{})
		if got := e.Within(); got != want {
			t.Errorf("%q lies within %q, want %q", text, got, want)
		}
		for _, path := range []string{"a", "a/b", "a/b/c", "a/bc", "b/c", "a/[id]/x", "a/i/x", "a b/c-d_e.f/g", "x.json", "c.ts", "a/ü/c"} {
			if in := want == "" || path == want || strings.HasPrefix(path, want+"/") || strings.HasPrefix(want, path+"/"); e.Matches(path) && !in {
				t.Errorf("%q covers %q, which is not within %q", text, path, want)
			}
		}
	}
}

func TestEverything(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		".": true, "./": true, "**": true, "*": true, "**/*": true, "*/**": true, "./**": true, "**/**": true, "{**,a}": true, "./*": true, "?*": true,
		"[!a]*": true, "!(a)": true, "a/..": true,
		"*.*": false, "*/*": false, "src": false, "src/**": false, "?": false, "*.ts": false, "**/*.ts": false, "[a-z]*": false, ".*": false,
	} {
		if got := mustParse(t, text, Context{}).Everything(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
