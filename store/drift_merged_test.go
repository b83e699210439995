package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// What was committed in a worktree since the claim counts, however it got into
// the branch. What was committed elsewhere and merged does not, nor does what
// was committed here before.
func TestDriftOfWhatWasMergedIn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, tc := range map[string]struct {
		do   func(w *world)
		want string
	}{
		"a branch of one's own": {func(w *world) {
			w.branch("mine")
			w.made("one", "two")
			w.merge("mine")
		}, "[one two]"},
		"somebody else's": {func(w *world) { w.merge("main") }, "[]"},
		"somebody else's, looked at first": {func(w *world) {
			w.git(w.link, "checkout", "-q", "--detach", "main")
			w.git(w.link, "checkout", "-q", "side")
			w.merge("main")
		}, "[]"},
		"both": {func(w *world) {
			w.branch("mine")
			w.made("one")
			w.git(w.link, "merge", "-q", "--no-ff", "--no-edit", "main")
			w.made("two")
			w.merge("mine")
		}, "[one two]"},
		"one's own, brought up to theirs by a fast-forward": {func(w *world) {
			w.branch("mine")
			w.git(w.link, "merge", "-q", "--ff-only", "main")
			w.made("one")
			w.merge("mine")
		}, "[one]"},
		"one's own, put on top of theirs": {func(w *world) {
			w.branch("mine")
			w.made("one", "two")
			w.git(w.link, "rebase", "-q", "main")
			w.merge("mine")
		}, "[one two]"},
		"one's own, which was said to be a checkout": {func(w *world) {
			w.branch("mine")
			w.made("checkout x", "Fast-forward")
			w.merge("mine")
		}, "[Fast-forward checkout x]"},
		"a merge that was committed by hand": {func(w *world) {
			w.branch("mine")
			w.made("one")
			w.git(w.link, "checkout", "-q", "side")
			w.git(w.link, "merge", "-q", "--no-ff", "--no-commit", "mine")
			w.git(w.link, "commit", "-q", "-m", "merged")
		}, "[one]"},
		"amended, picked and taken back": {func(w *world) {
			w.branch("mine")
			w.made("one")
			w.put(w.link, "one more")
			w.git(w.link, "add", "one more")
			w.git(w.link, "commit", "-q", "--amend", "-m", "both")
			w.git(w.link, "cherry-pick", "-x", "main")
			w.git(w.link, "revert", "--no-edit", "HEAD")
			w.merge("mine")
		}, "[one one more theirs]"},
		"given up": {func(w *world) {
			w.branch("mine")
			w.made("one")
			w.git(w.link, "checkout", "-q", "side")
			w.made("kept")
		}, "[kept]"},
		"no log of HEAD": {func(w *world) {
			w.git(w.link, "reflog", "expire", "--expire=now", "--all")
			w.made("one")
			w.merge("main")
		}, "[one]"},
		"what was made before the claim": {func(w *world) {
			w.env = append(w.env, "GIT_COMMITTER_DATE=2026-07-17T18:45:11Z")
			w.branch("mine")
			w.made("one")
			w.env = w.env[:len(w.env)-1]
			w.merge("mine")
		}, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.claim(w.link, "mine", "src")
			w.pass(time.Second)
			w.put(w.main, "theirs")
			w.commit(w.main, "theirs")
			tc.do(w)
			if d := w.drift(w.link, &id)[0]; fmt.Sprint(d.Changed) != tc.want {
				t.Errorf("changed: %q, want %s", d.Changed, tc.want)
			}
		})
	}
}

// branch starts a branch in the linked worktree.
func (w *world) branch(name string) {
	w.t.Helper()
	w.git(w.link, "checkout", "-q", "-b", name)
}

// made commits a file for each name, which is also the subject.
func (w *world) made(names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.put(w.link, name)
		w.commit(w.link, name)
	}
}

// merge merges a branch into that of the linked worktree.
func (w *world) merge(branch string) {
	w.t.Helper()
	w.git(w.link, "checkout", "-q", "side")
	w.git(w.link, "merge", "-q", "--no-ff", "--no-edit", branch)
}
