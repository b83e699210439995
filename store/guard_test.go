package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/store"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.claim(w.main, "Theirs", "src/**")
	if err := os.MkdirAll(filepath.Join(w.link, "src"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.link, "src", "a.go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	w.git(w.link, "add", ".")
	check := func(dir string, want store.Verdict, files int, env ...string) store.Answer[store.Guarded] {
		t.Helper()
		a, err := w.at(dir, env...).Guard(background, store.GuardRequest{Staged: true})
		if err != nil || a.Result.Verdict != want || a.Result.Files != files {
			t.Errorf("in %s with %q: %+v, %v; want %s of %d files", dir, env, a, err, want, files)
		}
		return a
	}
	a := check(w.link, store.GuardBlocked, 1)
	if h := a.Result.Blocked; len(h) != 1 || h[0].Title != "Theirs" || h[0].Files[0] != "src/a.go" || *h[0].SameWorktree {
		t.Errorf("blocked by %+v", h)
	}
	check(filepath.Join(w.link, "src"), store.GuardBlocked, 1)
	// Elsewhere in the worktree, where git's own diff may be configured to show
	// only the current directory.
	w.git(w.link, "config", "diff.relative", "true")
	if err := os.Mkdir(filepath.Join(w.link, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	check(filepath.Join(w.link, "docs"), store.GuardBlocked, 1)
	check(w.link, store.GuardWarned, 1, "AGENT_LOCKS_GUARD=warn")
	check(w.link, store.GuardOff, 0, "AGENT_LOCKS_GUARD=off")
	check(w.link, store.GuardBypassed, 0, "AGENT_LOCKS_GUARD=off", "AGENT_LOCKS_BYPASS=1")
	check(w.main, store.GuardClear, 0)
	// As git sets them for a hook in the linked worktree.
	gitDir := w.git(w.link, "rev-parse", "--absolute-git-dir")
	check(w.link, store.GuardBlocked, 1, "GIT_DIR="+gitDir, "GIT_INDEX_FILE="+filepath.Join(gitDir, "index"), "GIT_PREFIX=src/")

	// A failed check refuses the commit, unless the mode is warn.
	_, err := w.at(t.TempDir()).Guard(background, store.GuardRequest{Staged: true})
	wantCode(t, err, store.NotARepository, "cannot tell")
	if err := os.WriteFile(filepath.Join(gitDir, "index"), []byte("torn"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = w.at(w.link).Guard(background, store.GuardRequest{Staged: true})
	wantCode(t, err, store.GitFailed, "cannot tell")
	a = check(w.link, store.GuardFailed, 0, "AGENT_LOCKS_GUARD=warn")
	wantWarning(t, a.Warnings, "not checked")
}

// Committing a nested worktree requires no claim.
func TestGuardOfWorktreesInside(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git(w.main, "config", "agentlocks.requireClaim", "true")
	w.git(w.main, "worktree", "add", "-q", ".claude/worktrees/x", "-b", "x")
	w.put(w.main, "a.txt")
	w.git(w.main, "-c", "advice.addEmbeddedRepo=false", "add", "-A")
	a, err := w.at(w.main).Guard(background, store.GuardRequest{Staged: true})
	if err != nil || fmt.Sprint(a.Result.Unclaimed) != "[a.txt]" {
		t.Errorf("unclaimed %q, %v", a.Result.Unclaimed, err)
	}
	w.git(w.main, "rm", "-q", "--cached", "a.txt")
	a, err = w.at(w.main).Guard(background, store.GuardRequest{Staged: true})
	if err != nil || a.Result.Verdict != store.GuardClear || a.Result.Unclaimed == nil {
		t.Errorf("of the worktree alone: %+v, %v", a.Result, err)
	}
}

// An agent's edits do not wait for another writer; the heartbeat is refreshed
// later.
func TestEditedDoesNotWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.at(w.main).Create(background, store.CreateRequest{Title: "Mine", Scope: []string{"src"}, AgentID: ptr("me")}); err != nil {
		t.Fatal(err)
	}
	const file = "2026-07-17T18-45-12-mine.md"
	before := w.read(file)
	mutex := flock.New(filepath.Join(w.dir(), ".mutex"))
	if err := mutex.Lock(); err != nil {
		t.Fatal(err)
	}
	w.pass(2 * time.Minute)
	r := store.EditRequest{Path: filepath.Join(w.main, "docs", "a.md"), AgentID: ptr("me")}
	a, err := w.at(w.main).Edited(background, r)
	if err != nil || len(a.Result.Alive) > 0 || a.Result.Outside != "docs/a.md" || w.read(file) != before {
		t.Errorf("while the mutex is held: %+v, %v", a, err)
	}
	if err := mutex.Unlock(); err != nil {
		t.Fatal(err)
	}
	// The report could not be recorded, so it is repeated; and once more if a
	// busy machine could not get the mutex in time.
	for end := time.Now().Add(time.Minute); ; {
		a, err = w.at(w.main).Edited(background, r)
		if err != nil || a.Result.Outside != "docs/a.md" {
			t.Fatalf("afterwards: %+v, %v", a, err)
		}
		if len(a.Result.Alive) == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("afterwards: %+v", a)
		}
	}
}
