package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// afar returns a store for remote callers: "main" is the repository, and any
// other name is a worktree of it.
func (w *world) afar() *store.Store {
	s := w.at(w.main)
	s.Locate = func(ctx context.Context, baseDir *string) (*gitdir.Repo, error) {
		at := w.main
		if *baseDir != "main" {
			at = *baseDir
		}
		repo, err := gitdir.Find(ctx, gitdir.Query{BaseDir: &at, Environ: w.env})
		if err != nil || *baseDir != "main" {
			return repo, err
		}
		return repo.Afresh(ctx)
	}
	return s
}

// No lock belongs to a remote caller because of where it was made, and a lock
// is recorded as made in a worktree only if the call names one.
func TestCallersFromElsewhereStandNowhere(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), context.Background()
	agent, name := "box", "main"
	here, err := w.at(w.link).Create(ctx, store.CreateRequest{Title: "Here", Scope: []string{"here.go"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{name, w.link} {
		target := store.Target{BaseDir: &base}
		made, err := w.afar().Create(ctx, store.CreateRequest{Target: target, Title: "Far", Scope: []string{"far.go"}, AgentID: &agent})
		if err != nil {
			t.Fatal(err)
		}
		shown, err := w.afar().Show(ctx, store.ShowRequest{Target: target, Ref: store.Ref{LockID: made.Result.ID}})
		if err != nil {
			t.Fatal(err)
		}
		inWorktree := base == w.link
		if got := shown.Result; (got.Worktree == w.link) != inWorktree || (got.Branch == "side") != inWorktree || got.Repository != w.main {
			t.Errorf("base_dir %q: worktree %q, branch %q, repository %q", base, got.Worktree, got.Branch, got.Repository)
		}
		// If worktrees counted, a heartbeat without an id would be the
		// holder's.
		_, err = w.afar().Update(ctx, store.UpdateRequest{Target: target, Ref: store.Ref{LockID: here.Result.ID},
			Note: ptr("by nobody")})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(here.Result.FilePath)
		if err != nil || !strings.Contains(string(text), "(from somebody in ") {
			t.Errorf("%v: the note counts as the holder's:\n%s", err, text)
		}
	}
}

// A remote caller's scopes start at the repository's root. Names are looked up
// only in the repository, whatever links lead outside.
func TestScopesFromElsewhere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w, ctx := newWorld(t), context.Background()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	secret := filepath.Join(filepath.Dir(w.main), "secret")
	for _, dir := range []string{filepath.Join(w.main, "data.d"), filepath.Join(w.link, "data.d"), filepath.Join(secret, "sub.dir")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []string{w.main, w.link} {
		if err := os.Symlink(secret, filepath.Join(at, "out")); err != nil {
			t.Fatal(err)
		}
	}
	agent := "box"
	claim := func(base, scope string) (string, []string, error) {
		a, err := w.afar().Create(ctx, store.CreateRequest{Target: store.Target{BaseDir: &base}, Title: "t",
			Scope: []string{scope}, AgentID: &agent})
		if err != nil {
			return "", a.Warnings, err
		}
		text, err := os.ReadFile(a.Result.FilePath)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "scope:\n  - ")
		first, _, _ := strings.Cut(rest, "\n")
		return first, a.Warnings, nil
	}
	for _, base := range []string{"main", w.link} {
		for scope, want := range map[string]string{
			"data.d":                       "data.d/", // a directory, as found in the repository
			"out/sub.dir":                  "out/sub.dir",
			filepath.Join(w.link, "x.go"):  "x.go",
			"file://" + w.main + "/src/y/": "src/y/",
		} {
			if got, _, err := claim(base, scope); err != nil || strings.Trim(got, `"'`) != want {
				t.Errorf("base_dir %q, scope %q: %q, %v; want %q", base, scope, got, err, want)
			}
		}
		for _, scope := range []string{".", "..", "./x", "../x", "@./x", `.\x`, " ./x", "src/../../x", secret, secret + "/sub.dir",
			filepath.Join(filepath.Dir(w.main), "nothing"), "file://" + secret, w.main + "/../secret"} {
			_, _, err := claim(base, scope)
			var e *store.Error
			if !errors.As(err, &e) || e.Code != store.BadScope || e.Hint == "" {
				t.Errorf("base_dir %q, scope %q: %v", base, scope, err)
			}
			if err != nil && strings.Contains(e.Hint, "another repository, or in none") {
				t.Errorf("scope %q: %q tells what exists", scope, e.Hint)
			}
		}
	}
}

// Drift and changes elsewhere are relative to the worktree of the call, for
// remote callers, too.
func TestCallersFromElsewhereAskAboutAWorktree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	target, agent := store.Target{BaseDir: &w.link}, "e1"
	claim := func(title, scope string) store.Created {
		t.Helper()
		s := w.afar()
		s.ElsewhereWait = w.patient(w.link).ElsewhereWait
		a, err := s.Create(background, store.CreateRequest{Target: target, Title: title, Scope: []string{scope}, AgentID: &agent})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result
	}
	w.put(w.main, "src/x")
	first := claim("first", "src")
	if got := w.inShort(first.ChangedElsewhere); got != "main main [src/x] 0" {
		t.Fatalf("changed elsewhere: %q", got)
	}
	w.put(w.link, "docs")
	for _, id := range []*string{nil, &first.ID} {
		a, err := w.afar().Drift(background, store.DriftRequest{Target: target, LockID: id, AgentID: &agent})
		if err != nil || len(a.Result) != 1 || fmt.Sprint(a.Result[0].Outside) != "[docs]" || len(a.Warnings) > 0 {
			t.Errorf("drift: %+v, %q, %v", a.Result, a.Warnings, err)
		}
	}
	// A lock of the caller's own here does not account for changes there.
	second := claim("second", "src")
	if got := w.inShort(second.ChangedElsewhere); got != "main main [src/x] 0" {
		t.Errorf("one's own earlier lock hides what is changed elsewhere: %q", got)
	}
}

// A call that names no worktree does not mean that the repository has none.
func TestCallersFromElsewhereNameAWorktree(t *testing.T) {
	t.Parallel()
	w, name := newWorld(t), "main"
	target := store.Target{BaseDir: &name}
	_, drift := w.afar().Drift(background, store.DriftRequest{Target: target})
	_, forecast := w.afar().Forecast(background, store.ForecastRequest{Target: target})
	for _, err := range []error{drift, forecast} {
		var e *store.Error
		if !errors.As(err, &e) || e.Code != store.BadInput || e.Message != "the call names no worktree" ||
			!strings.Contains(e.Hint, "`base_dir`") {
			t.Errorf("%v", err)
		}
	}
}

// No hint suggests something that would be refused, too.
func TestHintsForCallersFromElsewhere(t *testing.T) {
	t.Parallel()
	w, name, agent := newWorld(t), "main", "box"
	create := func(scope, agent string) (string, error) {
		_, err := w.afar().Create(background, store.CreateRequest{Target: store.Target{BaseDir: &name}, Title: "t",
			Scope: []string{scope}, AgentID: &agent})
		if e, ok := errors.AsType[*store.Error](err); ok {
			return e.Hint, err
		}
		return "", err
	}
	for scope, want := range map[string]string{
		"~/x":               `write the path out; a name that begins like this is written "[~]/x"`,
		"$HOME/x":           `write the path out; a name that begins like this is written "[$]HOME/x"`,
		" ~/y":              `write the path out; a name that begins like this is written "[~]/y"`,
		":/a; is written b": `write "a; is written b"`,
		"":                  "name a path or a glob; ** is all of it",
		"!x":                "list what is covered",
		"'x'":               "remove them",
		"custom:/x":         "write custom://name, as in custom://port-3000",
		"http://x/yz":       "write the path from the repository's root, or custom://name for what is not a file, as in custom://port-3000",
	} {
		if hint, err := create(scope, agent); hint != want {
			t.Errorf("%q: %v", scope, err)
		}
		if _, named, _ := strings.Cut(want, " is written "); named != "" {
			if _, err := create(strings.Trim(named, `"`), agent); err != nil {
				t.Error(err)
			}
		}
	}
	if hint, err := create("x", "two\nlines"); hint == "" || strings.Contains(hint, "omit") {
		t.Errorf("a bad agent_id: %v", err)
	}
}
