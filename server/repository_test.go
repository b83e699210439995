package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// A repository is a real one with a linked worktree.
type repository struct {
	main, link string
	environ    []string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{main: filepath.Join(dir, "main"), link: filepath.Join(dir, "link"), environ: cleanEnviron()}
	r.git(t, dir, "init", "-q", r.main)
	r.git(t, r.main, "commit", "-q", "--allow-empty", "-m", "first")
	r.git(t, r.main, "worktree", "add", "-q", r.link)
	return r
}

// cleanEnviron is the test's environment without what would lead git or the
// store elsewhere.
func cleanEnviron() []string {
	var environ []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "AGENT_LOCKS_") {
			environ = append(environ, kv)
		}
	}
	return append(environ, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid")
}

func (r *repository) git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, r.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// locks is where the repository's store is, or will be.
func (r *repository) locks() string { return filepath.Join(r.main, ".git", "agents-locks") }

// store is one whose calls are made in dir, at a quarter to seven.
func (r *repository) store(dir string) *store.Store {
	return &store.Store{
		Now:     func() time.Time { return time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC) },
		Getwd:   func() (string, error) { return dir, nil },
		Environ: func() []string { return r.environ },
	}
}
