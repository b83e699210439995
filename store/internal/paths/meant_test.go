package paths

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// tree creates files in a worktree.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Skipf("no such name here: %v", err)
		}
	}
	return root
}

// An asker asks and claims in a worktree.
type asker struct {
	*testing.T
	repo *gitdir.Repo
}

// reader returns a reader for one call, and its warnings.
func (a asker) reader() (*Reader, *[]string) {
	var warnings []string
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	return New(a.repo, warn), &warnings
}

// asks returns the overlaps of a question with a held path, and the warnings.
func (a asker) asks(entry, held string) ([]overlap.Pair, []string) {
	r, warnings := a.reader()
	scope, err := r.Asked([]string{entry})
	if err != nil {
		a.Fatalf("check %q: %v", entry, err)
	}
	return scope.Overlaps(r.Stored([]string{held}, a.repo.Worktree)), *warnings
}

func (a asker) claims(entry string) (*fault.Error, []string) {
	r, warnings := a.reader()
	scope, err := r.Parse([]string{entry})
	e, ok := errors.AsType[*fault.Error](err)
	if err == nil && len(scope) != 1 || err != nil && (!ok || e.Code != fault.BadScope) {
		a.Errorf("claim %q: %d entries, %v", entry, len(scope), err)
	}
	return e, *warnings
}

// A text that names nothing but contains a path meets the path's holder. As a
// claim it would cover nothing, so it is refused, with the path as the way out.
func TestTextsAroundPathsAreNotNames(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/api/login.ts", "README.md", "docs/guide.md", "my docs/a b.md", "app/[id]/(x)/page.tsx")
	a := asker{t, &gitdir.Repo{Worktree: root}}
	const file = "src/api/login.ts"
	for entry, holds := range map[string]string{ // "" means file
		"src/api/login.ts README.md":             "",
		"README.md src/api/login.ts":             "",
		"README.md, src/api/login.ts":            "",
		"src/gone.ts README.md":                  "README.md",
		"src/api/login.ts;README.md":             "",
		"src/api/login.ts|README.md":             "",
		"src/api/login.ts&&README.md":            "README.md",
		"src/api/** docs/**":                     "src/api/**",
		"src/api/**;docs/**":                     "docs/**",
		"src/api/,docs/":                         "docs/",
		"src|docs":                               "src",
		"src docs":                               "docs",
		"src/api/login.ts+README.md":             "",
		"src/api/login.ts~":                      "",
		"src/api/login.ts\u2026":                 "",
		"src/api/*.ts,*.tsx":                     "src/api/*.ts",
		"src/api/login.ts::TestX":                "",
		"src/api/login.ts:12:3: error":           "",
		"src/api/login.ts(12,3): error TS2345":   "",
		"src/api/login.ts:fn":                    "",
		"src/api/login.ts#login":                 "",
		"src/api/login.ts:":                      "",
		"src/api/login.ts;":                      "",
		"src/api/login.ts.":                      "",
		"src/api/login.ts,":                      "",
		"src/api/login.ts!":                      "",
		"src/api:":                               "src/api",
		"<src/api/login.ts>":                     "",
		"[login](src/api/login.ts)":              "",
		"[login](src/api/login.ts#L4)":           "",
		"(src/api/login.ts)":                     "",
		"[README.md]":                            "README.md",
		"'src/api/login.ts":                      "",
		"src/api/login.ts\"":                     "",
		"`src/api/login.ts":                      "",
		"\u201csrc/api/login.ts":                 "",
		"file:src/api/login.ts":                  "",
		"M src/api/login.ts":                     "",
		"R  README.md -> src/api/login.ts":       "",
		"main:src/api/login.ts":                  "",
		"HEAD~1:src/api/login.ts":                "",
		"src/api/login.ts@main":                  "",
		"a/src/api/login.ts":                     "",
		"+++ b/src/api/login.ts":                 "",
		"diff --git a/README.md b/src/api/x.ts":  "README.md",
		"src/api/login.ts?x=1":                   "",
		"scope: src/api":                         "src/api",
		"--scope=src/api/login.ts":               "",
		"- src/api/login.ts":                     "",
		"* src/api/login.ts":                     "",
		"@src/api/login.ts,":                     "",
		"@src/api/login.ts please":               "",
		"Fix the login in src/api/login.ts.":     "",
		"scope: src/new.ts":                      "src/new.ts",
		"'src/new.ts":                            "src/new.ts",
		"a/src/new.ts":                           "src/new.ts",
		"see src/**":                             "src/**",
		"my docs/a b.md README.md":               "my docs/a b.md",
		"app/[id]/(x)/page.tsx:9: error":         "app/[id]/(x)/page.tsx",
		"src/api/login.ts:1 app/[id]/(x)/x.tsx":  "",
		root + "/src/api/login.ts:12:3: error":   "",
		root + "/README.md " + root + "/" + file: "",
		"./src/api/login.ts README.md":           "",
	} {
		if holds == "" {
			holds = file
		}
		held := strings.TrimSuffix(strings.ReplaceAll(holds, "**", "x"), "/")
		if i := strings.Index(held, "*"); i >= 0 {
			held = "src/api/x.ts"
		}
		pairs, warnings := a.asks(entry, held)
		if len(pairs) == 0 || pairs[len(pairs)-1].Exact || len(warnings) == 0 {
			t.Errorf("check %q meets %q: %+v, %q", entry, held, pairs, warnings)
		}
		refused, _ := a.claims(entry)
		if refused == nil || !strings.Contains(refused.Hint, strings.TrimSuffix(holds, "/")) {
			t.Errorf("claim %q: %+v, want %q in the hint", entry, refused, holds)
		}
	}
}

// What may be a name remains one, without a warning.
func TestNamesStayNames(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/api/login.ts", "src/api/page.tsx", "README.md", "docs/guide.md", "store/x.go",
		"app/(group)/[id]/@modal/page.tsx",
		"a b.ts", "x;y", "src/api/login.ts README.md", "src/old:name.ts", "#notes.md", "a/src/api/login.ts",
		"src/lib/index.ts")
	a := asker{t, &gitdir.Repo{Worktree: root}}
	for _, entry := range []string{
		// These exist as typed.
		"app/(group)/[id]/@modal", "app/(group)/[id]/@modal/page.tsx", "a b.ts", "x;y", "src/api/login.ts README.md",
		"src/old:name.ts", "#notes.md", "a/src/api/login.ts", root + "/src/api/login.ts README.md",
		// These do not exist.
		"src/new file.ts", "src/api/[slug].ts", "src/api/[slug]/page.tsx", "src/api/(group)/page.tsx",
		"docs/My Guide.md", "docs/guide (copy).md",
		"my notes.md", "app/[store]/page.tsx", "app/(docs)/page.tsx", "[store]/page.tsx", "(docs)/new/page.tsx",
		"app/(.)[id]/page.tsx",
		"app/@store/page.tsx", "routes/$store.tsx", "routes/blog.$slug.tsx", "src/:store/x.ts", "docs/C#/intro.md",
		"docs/#1.md",
		"src/api/[...slug].ts", "src/api/[[lang]]/x.ts", "src/routes/[id=int]/+page.svelte", "a/new.ts",
		"b/docs2/x", "logo@2x.png", "docs/logo@2x.png",
		"src/what?.md", "docs/Q&A.md", "docs/FAQ: part one.md", "it's.md", "docs/it's.md", "x (1).md",
		"docs/1. Start here.md", "docs/v1.2", ".github/workflows/ci.yml",
		// These are patterns.
		"src/**", "**/*.ts", "*.{ts,tsx}", "{src,docs}/**", "src/{api,lib}/*.ts", "src/@(api|lib)/**",
		"src/!(api)/**", "src/*(api|lib)",
		"src/api[12]/x.ts", "src/lib?", "src/api/login.ts?", "src/api/page.ts[x]", "src/api/*.[jt]s", "src/...",
		"./...", "src/{a b,c}.ts", "**/[id]/*.tsx", "src/**/{a,b}?(c).ts",
		"@(src|docs)/**", "+(src)/**", "src/api/log*[a-z].ts", "@src/api/login.ts", "src/api/login.ts:42",
		"src/api/login.ts:L42", "src/api/login.ts#L4C2-L6C1",
		"src/api/login.ts(4,9)", "@src/new.ts", "src/new.ts:4", "src/new.ts#L4C2", "custom://port-3000", ".",
		"./src", "src/api/../lib",
		"src*api*login.ts*README.md",
	} {
		if refused, warnings := a.claims(entry); refused != nil || len(warnings) > 0 && !strings.HasPrefix(entry, ".") {
			t.Errorf("claim %q: %v, %q", entry, refused, warnings)
		}
		if _, warnings := a.asks(entry, "zzz"); len(warnings) > 0 {
			t.Errorf("check %q: %q", entry, warnings)
		}
	}
}

// The name of a new file may start like that of a directory, or look like two.
// A question is about both readings, and a claim is taken as typed, with a
// warning.
func TestNewNamesThatBeginAsOthers(t *testing.T) {
	t.Parallel()
	a := asker{t, &gitdir.Repo{Worktree: tree(t, "docs/API/x.md", "src/Button/index.ts")}}
	for entry, held := range map[string]string{
		"docs/API v2.md": "docs/API/x.md", "docs/API v2/x.md": "docs/API/y.md",
		"src/Button (copy).ts":  "src/Button/index.ts",
		"docs/Node.js guide.md": "docs/Node.js", "src/new.ts:12:3: error": "src/new.ts",
		"lib/a.ts;lib/b.ts": "lib/b.ts",
	} {
		refused, warnings := a.claims(entry)
		if refused != nil || len(warnings) != 1 {
			t.Errorf("claim %q: %v, %q", entry, refused, warnings)
		}
		if pairs, warnings := a.asks(entry, held); len(pairs) == 0 || pairs[0].Exact || len(warnings) != 1 {
			t.Errorf("check %q: %+v, %q", entry, pairs, warnings)
		}
	}
	for entry, held := range map[string]string{"M lib/a.ts": "lib/a.ts", "'lib/a.ts": "lib/a.ts",
		"a/lib/a.ts": "lib/a.ts", "My Guide/x.md": "Guide/x.md"} {
		if refused, warnings := a.claims(entry); refused != nil || len(warnings) > 0 {
			t.Errorf("claim %q, where nothing is: %v, %q", entry, refused, warnings)
		}
		if pairs, warnings := a.asks(entry, held); len(pairs) == 0 || pairs[0].Exact || len(warnings) > 0 {
			t.Errorf("check %q, where nothing is: %+v, %q", entry, pairs, warnings)
		}
	}
	for _, entry := range []string{"lib/** sub/**", "*.ts;*.md", "*.c *.h"} {
		if refused, _ := a.claims(entry); refused == nil || !strings.Contains(refused.Hint, "separate entry") {
			t.Errorf("claim %q: %+v", entry, refused)
		}
	}
	if pairs, warnings := a.asks("lib/** sub/**", "sub/x"); len(pairs) == 0 || len(warnings) != 1 {
		t.Errorf("check of two patterns: %+v, %q", pairs, warnings)
	}
	long := "src/Button" + strings.Repeat(" x", maxCuts+1)
	r, _ := a.reader()
	if _, err := r.Asked([]string{long}); !errors.Is(err, fault.BadScope) {
		t.Errorf("a text with %d blanks: %v", maxCuts+1, err)
	}
}

// The cost of looking for paths is limited; beyond the limit, the call is
// refused.
func TestTextsOfManyWords(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a := asker{t, &gitdir.Repo{Worktree: tree(t, "src/x.ts")}}
	r, _ := a.reader()
	text := "src/" + strings.Repeat("ab ", maxCuts-1) + "x"
	entries := make([]string, overlap.MaxEntries)
	for i := range entries {
		entries[i] = text
	}
	if _, err := r.Asked(entries); !errors.Is(err, fault.BadScope) || r.tried > 2*maxTried {
		t.Errorf("%v, after %d", err, r.tried)
	}
}

// Below the root, a pattern that matches nothing there but something here is
// treated like a plain name.
func TestPatternsBelowTheRoot(t *testing.T) {
	t.Parallel()
	root := tree(t, "sub/local.ts", "sub/src/q.ts", "src/other.ts", "README.md", "sub/README.md", "lib/deep/r.go")
	a := asker{t, &gitdir.Repo{Worktree: root, Prefix: "sub"}}
	for _, entry := range []string{"local.ts", "src/q.ts", "{local,foo}.ts", "+(local).ts", "src/[q].ts",
		"src/q.*", "[s]rc/q.ts", "@(src)/q.ts", "{src,lib}/q.ts", "*/q.ts", "**/src/q.ts", "local.ts src/q.ts"} {
		held := "sub/src/q.ts"
		if strings.Contains(entry, "local") {
			held = "sub/local.ts"
		}
		pairs, warnings := a.asks(entry, held)
		if len(pairs) == 0 || len(warnings) == 0 && entry != "**/src/q.ts" {
			t.Errorf("check %q: %+v, %q", entry, pairs, warnings)
		}
		refused, _ := a.claims(entry)
		if (refused == nil) != (entry == "**/src/q.ts") || refused != nil && !strings.Contains(refused.Hint, `"./`) {
			t.Errorf("claim %q: %+v", entry, refused)
		}
	}
	for entry, want := range map[string]string{
		"local.ts:12: error": `write "./local.ts";`, "a/local.ts": `write "./local.ts";`, "a/sub/local.ts": `write "sub/local.ts";`,
	} {
		if refused, _ := a.claims(entry); refused == nil || !strings.HasPrefix(refused.Hint, want) {
			t.Errorf("claim %q: %+v, want %s", entry, refused, want)
		}
	}
	for _, entry := range []string{"*.ts", "src/*.ts", "src/**", "README.*", "{README,x}.md", "lib/*/r.go",
		"nowhere/*.ts", "./{local,foo}.ts", "../src/[q].ts", "**/*.ts", "[x]/y", "sub/*.ts"} {
		if refused, warnings := a.claims(entry); refused != nil || len(warnings) > 0 {
			t.Errorf("claim %q: %v, %q", entry, refused, warnings)
		}
	}
}
