package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// put creates a file in a worktree.
func put(t *testing.T, root, name string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
}

// check returns the locks that an entry overlaps, asked from dir.
func (w *world) check(dir, entry string) store.Answer[[]store.Summary] {
	w.t.Helper()
	a, err := w.at(dir).Check(background, store.CheckRequest{Scope: []string{entry}})
	if err != nil {
		w.t.Fatalf("check %q: %v", entry, err)
	}
	return a
}

// A file that exists only in the claimant's worktree is a file to everybody, in
// the queue, too.
func TestPlainEntriesAreWhatTheyAreInTheClaimantsWorktree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	put(t, w.link, "Dockerfile")
	put(t, w.link, "packages/socket.io/x")
	put(t, w.main, "packages/socket.io")
	w.claim(w.link, "image", "Dockerfile")
	if a := w.check(w.main, "**/*.go"); len(a.Result) != 0 {
		t.Errorf("Dockerfile, a file over there, blocks %+v", a.Result[0].Overlaps)
	}
	for _, entry := range []string{"Dockerfile", "Docker*", "*"} {
		if a := w.check(w.main, entry); len(a.Result) != 1 || !a.Result[0].Overlaps[0].Exact {
			t.Errorf("%s: %+v", entry, a.Result)
		}
	}
	w.claim(w.main, "a file here, a directory there", "packages/socket.io")
	if a := w.check(w.link, "packages/*/*.go"); len(a.Result) != 1 {
		t.Errorf("a directory in the caller's worktree: %+v", a.Result)
	}
}

// A claim on everything causes a warning, whatever it is called and wherever it
// is made.
func TestClaimsOnEverythingAreWarnedOf(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	const warning = "covers every file of the repository"
	for entry, want := range map[string]bool{".": true, "**": true, "*": true, "**/*": true, "./**": true, w.link: true, w.link + "/**": true, "src/**": false, "*.go": false} {
		a, err := s.Create(background, store.CreateRequest{Title: "t", Scope: []string{"src/x", entry}})
		if err != nil || strings.Contains(strings.Join(a.Warnings, "\n"), warning) != want {
			t.Errorf("claim %q: %q, %v", entry, a.Warnings, err)
		}
		id := w.claim(w.main, "narrow", "docs/**")
		u, err := s.Update(background, store.UpdateRequest{Ref: store.Ref{LockID: id}, AddScope: []string{entry}})
		if err != nil || strings.Contains(strings.Join(u.Warnings, "\n"), warning) != want {
			t.Errorf("add %q: %q, %v", entry, u.Warnings, err)
		}
		if c := w.check(w.main, entry); strings.Contains(strings.Join(c.Warnings, "\n"), warning) {
			t.Errorf("check %q: %q", entry, c.Warnings)
		}
	}
}

// Two paths in one entry are read as one name, which was probably not meant.
func TestSeveralPathsInOneEntryAreWarnedOf(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	put(t, w.main, "a/b c/d")
	for entry, want := range map[string]string{
		"src/** lib/**": "a blank in it", "src/a.go,lib/b.go": "a comma in it",
		"docs/My File.md": "", "a/b c/d": "", "src/{a,b} c.go": "", "src/**": "",
	} {
		warnings := strings.Join(w.check(w.main, entry).Warnings, "\n")
		if want == "" && warnings != "" || !strings.Contains(warnings, want) {
			t.Errorf("%q: %q, want %q", entry, warnings, want)
		}
	}

	odd := filepath.Join(filepath.Dir(w.main), "My Own", "app, new")
	put(t, odd, "src/x.ts")
	w.git(odd, "init", "-q")
	for _, entry := range []string{odd + "/src/x.ts", odd + "/lib/new.ts", "file://" + strings.ReplaceAll(filepath.ToSlash(odd), " ", "%20") + "/src/x.ts"} {
		if warnings := w.check(odd, entry).Warnings; len(warnings) > 0 {
			t.Errorf("%q: %q", entry, warnings)
		}
	}
}

// Only entries that lead into another repository cause a warning, and the root
// itself does not.
func TestEntriesAtTheRootAreNoOtherRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sub := filepath.Join(w.main, "sub")
	put(t, sub, "x")
	for _, tt := range []struct{ dir, entry string }{
		{w.main, "./*.json"}, {w.main, "./**"}, {w.main, w.main + "/**"}, {w.main, w.link + "/*.go"}, {w.main, "."}, {w.link, "./.*"}, {sub, "../*"}, {sub, "../**"},
	} {
		if a := w.check(tt.dir, tt.entry); len(a.Warnings) != 0 {
			t.Errorf("%s: %q", tt.entry, a.Warnings)
		}
	}
	w.git(w.main, "init", "-q", filepath.Join(w.main, "vendor", "[x]"))
	for _, entry := range []string{`vendor/\[x\]/**`, `vendor/\[x\]/a.go`} {
		wantWarning(t, w.check(w.main, entry).Warnings, "in a separate repository or worktree")
	}
	_, err := w.at(w.main).Check(background, store.CheckRequest{Scope: []string{"/src/**"}})
	wantCode(t, err, store.BadScope, "outside the repository", `omit the slash, as in "src/**"`)
	elsewhere := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(elsewhere, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = w.at(w.main).Check(background, store.CheckRequest{Scope: []string{elsewhere}})
	wantCode(t, err, store.BadScope, "outside the repository", "name the repository with `base_dir`")
	if strings.Contains(err.(*store.Error).Hint, "omit the slash") {
		t.Errorf("what exists is taken for a path from the root: %q", err.(*store.Error).Hint)
	}
}

// A repository may have any path, including one that would be a pattern.
func TestAbsoluteEntriesUnderARootWithAnOddName(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, name := range []string{"re[po]", "{a,b}", "a*b?", "+(x)", "open["} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			root := filepath.Join(filepath.Dir(w.main), name)
			if err := os.Mkdir(root, 0o777); err != nil {
				t.Skipf("no such name here: %v", err)
			}
			w.git(w.main, "worktree", "add", "-q", "-b", "odd", root)
			id := w.claim(root, "by its path", filepath.Join(root, "src")+"/**")
			for _, entry := range []string{"src/a.go", filepath.Join(w.link, "src/a.go"), filepath.Join(root, "src/*.go")} {
				if a := w.check(w.main, entry); ids(a.Result) != id {
					t.Errorf("%q meets %q", entry, ids(a.Result))
				}
			}
			text := w.read(id + ".md")
			w.write(id+".md", strings.Replace(text, "- src/**", "- '"+filepath.Join(root, "src")+"/**'", 1))
			if a := w.check(w.main, "src/a.go"); ids(a.Result) != id || !a.Result[0].Overlaps[0].Exact {
				t.Errorf("written by hand it meets %+v, %q", a.Result, a.Warnings)
			}
		})
	}
}

// What people or other tools write into a lock file is never mistaken for free.
func TestOtherNotationsInLockFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	put(t, w.main, "src/a.go")
	id := w.claim(w.main, "t", "SCOPE")
	text := w.read(id + ".md")
	for _, entry := range gittest.Some(3, []string{":(glob)src/**", `'"src/**"'`, "'`src/a.go`'", "'@src/a.go'", "'src/a.go:42'", "src/...", "./...", "$PWD/src", `'src\**'`, "'!src/gen'", "file://" + w.link + "/src/a.go", `C:\code\repo\src`}) {
		w.write(id+".md", strings.Replace(text, "- SCOPE", "- "+entry, 1))
		for _, asked := range []string{"src/a.go", "src/a.go:1-9", "./...", "file://" + w.main + "/src/%61.go", "@src/a.go"} {
			if entry == "'!src/gen'" {
				asked = "src/gen/a.go"
			}
			if a := w.check(w.link, asked); ids(a.Result) != id {
				t.Errorf("%s: %q meets %q, %q", entry, asked, ids(a.Result), a.Warnings)
			}
			if a := w.check(w.main, asked); ids(a.Result) != id {
				t.Errorf("%s: %q meets %q, %q", entry, asked, ids(a.Result), a.Warnings)
			}
		}
	}
}

// A name that exists only in the caller's directory may be relative to it or to
// the root: a question is answered for both, and a claim is refused.
func TestNamesOfTheCallersDirectory(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	put(t, w.main, "packages/api/login.ts")
	put(t, w.main, "packages/api/src/auth/a.ts")
	put(t, w.main, "packages/api/@modal/a.ts")
	put(t, w.main, "packages/api/app/[id]/page.tsx")
	put(t, w.main, "packages/api/both.ts")
	put(t, w.main, "both.ts")
	put(t, w.main, "app/page.tsx")
	w.claim(w.main, "all of it", "packages/api")
	below := filepath.Join(w.main, "packages", "api")
	for entry, ways := range map[string][]string{
		"login.ts":           {"./login.ts", "../../login.ts"},
		"login.ts:42":        {"./login.ts:42", "../../login.ts:42"},
		"@login.ts":          {"@./login.ts", "../../login.ts"},
		"@modal":             {"./@modal", "../../@modal"},
		"src":                {"./src", "../../src"},
		"src/auth/new.ts":    {"./src/auth/new.ts", "../../src/auth/new.ts"},
		"src/**/*.ts":        {"./src/**/*.ts", "../../src/**/*.ts"},
		"app/[id]/page.tsx":  {"./app/[id]/page.tsx", "../../app/[id]/page.tsx"},
		"both.ts":            nil,
		"nowhere.ts":         nil,
		"nowhere/x.ts":       nil,
		"packages/api/x.ts":  nil,
		"./login.ts":         nil,
		"../api/login.ts":    nil,
		"*.ts":               nil,
		"custom://login.ts":  nil,
		w.main + "/login.ts": nil,
	} {
		asked := w.check(below, entry)
		warned := strings.Contains(strings.Join(asked.Warnings, "\n"), "both are looked for")
		if warned != (ways != nil) || ways != nil && (len(asked.Result) == 0 || asked.Result[0].Title != "all of it") {
			t.Errorf("check %q: %+v, %q", entry, asked.Result, asked.Warnings)
		}
		before := len(w.activeFiles())
		_, err := w.at(below).Create(background, store.CreateRequest{Title: "t", Scope: []string{"docs/x", entry}, AgentID: ptr("me")})
		if ways == nil {
			if errors.Is(err, store.BadScope) {
				t.Errorf("claim %q: %v", entry, err)
			}
			continue
		}
		if !errors.Is(err, store.BadScope) || len(w.activeFiles()) != before {
			t.Errorf("claim %q: %v", entry, err)
			continue
		}
		if ofDirectory := strings.Contains(entry, "/") && !strings.Contains(entry, "["); strings.HasPrefix(err.Error(), "the directory of ") != ofDirectory {
			t.Errorf("claim %q: %v", entry, err)
		}
		for _, way := range ways {
			if !strings.Contains(hint(err), `"`+way+`"`) {
				t.Errorf("claim %q: %q is missing in %q", entry, way, hint(err))
			}
			if a := w.check(below, way); len(a.Warnings) > 0 {
				t.Errorf("check %q: %q", way, a.Warnings)
			}
		}
	}
}

func hint(err error) string {
	if e, ok := errors.AsType[*store.Error](err); ok {
		return e.Hint
	}
	return ""
}

// That applies to every question and every claim, and also to a directory given
// by base_dir.
func TestNamesOfTheCallersDirectoryEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	put(t, w.main, "api/login.ts")
	id := w.claim(w.main, "all of it", "api")
	below, none := filepath.Join(w.main, "api"), 0.0
	s, in, scope := w.at(w.main), store.Target{BaseDir: &below}, []string{"login.ts"}
	if a, err := s.Wait(background, store.WaitRequest{Target: in, Scope: scope, TimeoutSeconds: &none, AgentID: ptr("me")}); err != nil ||
		a.Result.Status != "timeout" {
		t.Errorf("wait: %+v, %v", a.Result, err)
	}
	if a, err := s.Query(background, store.QueryRequest{Target: in, Scope: scope}); err != nil || len(a.Result) != 1 {
		t.Errorf("query: %+v, %v", a.Result, err)
	}
	if a, err := s.Update(background, store.UpdateRequest{Target: in, Ref: store.Ref{LockID: id}, AddScope: scope}); !errors.Is(err, store.BadScope) {
		t.Errorf("add_scope: %+v, %v", a.Result, err)
	}
	if _, err := s.Finish(background, store.FinishRequest{Target: in, Ref: store.Ref{LockID: id}, Summary: ptr("done")}); err != nil {
		t.Fatal(err)
	}
	if a, err := s.History(background, store.HistoryRequest{Target: in, Scope: scope}); err != nil || len(a.Result) != 1 {
		t.Errorf("history: %+v, %v", a.Result, err)
	}
}
