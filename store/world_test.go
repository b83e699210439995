package store_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A world is a real repository with a linked worktree, and a clock that the
// test moves.
type world struct {
	t    testing.TB
	main string // the main worktree
	link string // a linked worktree
	env  []string

	mu  sync.Mutex
	now time.Time

	apart sync.WaitGroup // syncs in the background
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, main: filepath.Join(dir, "main"), link: filepath.Join(dir, "link"),
		now: time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC)}
	t.Cleanup(w.apart.Wait)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "AGENT_LOCKS_") {
			w.env = append(w.env, kv)
		}
	}
	w.env = append(w.env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid")
	err = repositories.Copy(dir, func(dir string) error {
		main := filepath.Join(dir, "main")
		return gittest.Git(dir, w.env, []string{"init", "-q", "-b", "main", main},
			[]string{"-C", main, "commit", "-q", "--allow-empty", "-m", "first"},
			[]string{"-C", main, "worktree", "add", "-q", "-b", "side", filepath.Join(dir, "link")})
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var repositories gittest.Template

func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	out, err := w.tryGit(dir, args...)
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (w *world) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

// at returns a store whose caller is in dir, with additional environment.
func (w *world) at(dir string, env ...string) *store.Store {
	s := &store.Store{
		Now:     w.clock,
		Getwd:   func() (string, error) { return dir, nil },
		Environ: func() []string { return append(append([]string{}, w.env...), env...) },
		// Among many writers on a slow machine, one may have to wait for long.
		MutexWait: 5 * time.Minute,
	}
	s.SyncApart = w.syncApart
	return s
}

// syncApart syncs in the background, by the world's clock, and ends before the
// world does.
func (w *world) syncApart(dir string, environ []string) error {
	s := &store.Store{Now: w.clock, Getwd: func() (string, error) { return dir, nil },
		Environ: func() []string { return environ }}
	w.apart.Go(func() {
		_, _ = s.FleetSyncApart(context.Background(), store.FleetRequest{}) // nobody reads its result
	})
	return nil
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) dir() string { return filepath.Join(w.main, ".git", "agents-locks") }

// claim makes a lock from dir and returns its id, once published.
func (w *world) claim(dir, title, scope string, tasks ...string) string {
	w.t.Helper()
	a, err := w.at(dir).Create(context.Background(), store.CreateRequest{Title: title, Scope: []string{scope}, Tasks: tasks})
	if err != nil {
		w.t.Fatalf("claim %q: %v", title, err)
	}
	w.apart.Wait()
	return a.Result.ID
}

func (w *world) read(elem ...string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{w.dir()}, elem...)...))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// wantCode fails the test unless err is a *store.Error with that code whose
// text contains all parts.
func wantCode(t testing.TB, err error, code store.Code, parts ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("error %v is not %s", err, code)
	}
	var e *store.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is a %T", err, err)
	}
	for _, p := range parts {
		if !says(e.Message+"\n"+e.Hint, p) {
			t.Errorf("error %q, hint %q: %q is missing", e.Message, e.Hint, p)
		}
	}
}

// says reports whether a message contains a part, or contains it in quotes,
// where Windows separators are doubled.
func says(message, part string) bool {
	return strings.Contains(message, part) || strings.Contains(message, strings.ReplaceAll(part, `\`, `\\`))
}

func wantWarning(t testing.TB, warnings []string, part string) {
	t.Helper()
	for _, w := range warnings {
		if says(w, part) {
			return
		}
	}
	t.Errorf("no warning holds %q: %q", part, warnings)
}

// eventually waits for what another call causes.
func (w *world) eventually(what string, happens func() bool) {
	w.t.Helper()
	for end := time.Now().Add(30 * time.Second); !happens(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("it did not come to %s", what)
		}
	}
}

func ids(s []store.Summary) string {
	out := make([]string, len(s))
	for i, l := range s {
		out[i] = l.ID
	}
	return strings.Join(out, " ")
}

func ptr[T any](v T) *T { return &v }

var background = context.Background()
