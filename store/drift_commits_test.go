package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func TestDriftAfterARebase(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.put(w.link, "mine/1")
	w.commit(w.link, "before the claim")
	id := w.claim(w.link, "mine", "elsewhere")
	w.put(w.link, "mine/2")
	w.commit(w.link, "after the claim")
	w.put(w.main, "upstream")
	w.commit(w.main, "upstream")
	w.git(w.link, "rebase", "-q", "main")
	d := w.drift(w.link, &id)[0]
	for _, path := range []string{"mine/2", "upstream"} { // too much rather than too little
		if !strings.Contains(fmt.Sprint(d.Outside), path) {
			t.Errorf("%q is missing in %q", path, d.Outside)
		}
	}
	// A claim's commit that no longer exists, or is not a hash at all.
	for _, head := range []string{strings.Repeat("0", 40), "HEAD", "--output=x"} {
		w.write(id+".md", strings.Replace(w.read(id+".md"), "\nhead: ", "\nhead: \""+head+"\" # ", 1))
		a, err := w.at(w.link).Drift(background, store.DriftRequest{LockID: &id})
		if err != nil || !strings.Contains(fmt.Sprint(a.Result[0].Outside), "mine/2") {
			t.Errorf("head %q: %+v, %v", head, a.Result, err)
		}
		wantWarning(t, a.Warnings, head)
		w.write(id+".md", strings.Replace(w.read(id+".md"), "\nhead: \""+head+"\" # ", "\nhead: ", 1))
	}
}

func TestDriftOfAMerge(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.link, "mine", "mine")
	w.put(w.main, "upstream")
	w.commit(w.main, "upstream")
	w.put(w.link, "mine/1")
	w.commit(w.link, "mine")
	w.git(w.link, "merge", "-q", "--no-edit", "main")
	if d := w.drift(w.link, &id)[0]; d.Outcome != "covered" {
		t.Errorf("what others did and was merged in counts: %+v", d)
	}
}

// During a merge, files taken from the other side unchanged do not count. Edits
// made here to them do, and so does any other change.
func TestDriftInTheMiddleOfAMerge(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.put(w.main, "clash", "renamed", "gone", "touched", "retouched")
	w.commit(w.main, "base")
	w.git(w.link, "merge", "-q", "main")
	id := w.claim(w.link, "mine", "nothing")
	w.pass(time.Second)
	w.put(w.main, "upstream", "clash", "touched", "retouched", "dir/both")
	w.git(w.main, "mv", "renamed", "new name")
	w.git(w.main, "rm", "-q", "gone")
	w.commit(w.main, "upstream")
	w.pass(time.Second)
	w.put(w.link, "clash", "committed")
	w.commit(w.link, "mine")
	w.put(w.link, "untracked")
	if out, err := w.tryGit(w.link, "merge", "-q", "--no-commit", "main"); err == nil {
		t.Fatalf("the merge has no conflict: %s", out)
	}
	if err := os.MkdirAll(filepath.Join(w.link, "dir"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.put(w.link, "touched")   // differs in the worktree
	w.put(w.link, "retouched") // differs in the index only
	w.git(w.link, "add", "retouched")
	if err := os.WriteFile(filepath.Join(w.link, "retouched"), []byte(w.git(w.link, "show", "main:retouched")), 0o666); err != nil {
		t.Fatal(err)
	}
	want := `["clash" "committed" "retouched" "touched" "untracked"]`
	for _, dir := range []string{w.link, filepath.Join(w.link, "dir")} {
		if d := w.drift(dir, &id)[0]; fmt.Sprintf("%q", d.Changed) != want {
			t.Errorf("from %s: %q, want %s", dir, d.Changed, want)
		}
	}
	// A missing parent must not hide anything.
	gitDir := w.git(w.link, "rev-parse", "--absolute-git-dir")
	if err := os.WriteFile(filepath.Join(gitDir, "MERGE_HEAD"), []byte("--output=x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if d := w.drift(w.link, &id)[0]; !strings.Contains(fmt.Sprint(d.Changed), "upstream") {
		t.Errorf("with a MERGE_HEAD that is not a commit: %q", d.Changed)
	}
}

// A rename touches both names, even after it is committed: the holder of the
// old one has lost the file.
func TestDriftOfCommittedRenames(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.put(w.link, "docs/a", "gone")
	w.commit(w.link, "base")
	id := w.claim(w.link, "mine", "src")
	if err := os.Mkdir(filepath.Join(w.link, "src"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.git(w.link, "mv", "docs/a", "src/a")
	w.git(w.link, "rm", "-q", "gone")
	w.commit(w.link, "moved")
	if d := w.drift(w.link, &id)[0]; fmt.Sprint(d.Outside) != "[docs/a gone]" || fmt.Sprint(d.Changed) != "[docs/a gone src/a]" {
		t.Errorf("%+v", d)
	}
}

// Another tool's lock does not record the commit at which it was made; its time
// stands for that.
func TestDriftOfALockWithoutItsCommit(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "theirs", "src")
	text := w.read(id + ".md")
	from, to := strings.Index(text, "\nbranch: "), strings.Index(text, "\n---\n\n#")
	w.write(id+".md", text[:from]+text[to:])
	for _, at := range []struct{ name, date string }{{"before", "2026-07-17T18:45:11Z"}, {"after", "2026-07-17T18:45:13Z"}} {
		w.put(w.main, at.name)
		w.env = append(w.env, "GIT_COMMITTER_DATE="+at.date)
		w.commit(w.main, at.name)
		w.env = w.env[:len(w.env)-1]
	}
	if d := w.drift(w.main, &id)[0]; fmt.Sprint(d.Changed) != "[after]" {
		t.Errorf("changed: %q", d.Changed)
	}
}

// A submodule's commit is a file of the parent, whatever diffs are configured
// to skip.
func TestDriftOfSubmodules(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	sub := filepath.Join(w.link, "vendor")
	w.git(w.link, "init", "-q", sub)
	w.git(sub, "commit", "-q", "--allow-empty", "-m", "one")
	w.git(w.link, "-c", "advice.addEmbeddedRepo=false", "add", "vendor")
	w.git(w.link, "commit", "-q", "-m", "base")
	w.git(w.link, "config", "diff.ignoreSubmodules", "all")
	id := w.claim(w.link, "mine", "src")
	w.git(sub, "commit", "-q", "--allow-empty", "-m", "two")
	for _, committed := range []bool{false, true} {
		if committed {
			w.git(w.link, "add", "vendor")
			w.git(w.link, "-c", "diff.ignoreSubmodules=none", "commit", "-q", "-m", "moved on")
		}
		if d := w.drift(w.link, &id)[0]; fmt.Sprint(d.Outside) != "[vendor]" {
			t.Errorf("committed %v: %+v", committed, d)
		}
	}
}

// A worktree of the same repository nested in this one is not a change, whether
// untracked, staged or committed. Another repository is one.
func TestDriftOfWorktreesInside(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "mine", "src")
	w.git(w.main, "worktree", "add", "-q", ".claude/worktrees/x", "-b", "x")
	inside := filepath.Join(w.main, ".claude", "worktrees", "x")
	w.put(inside, "work.txt")
	if d := w.drift(w.main, &id)[0]; d.Outcome != store.NothingChanged {
		t.Errorf("with a worktree inside: %+v", d)
	}
	w.put(w.main, ".claude/worktrees/notes.txt")
	w.git(w.main, "init", "-q", "nested")
	w.git(filepath.Join(w.main, "nested"), "commit", "-q", "--allow-empty", "-m", "one")
	want := "[.claude/worktrees/notes.txt nested/]"
	if d := w.drift(w.main, &id)[0]; fmt.Sprint(d.Outside) != want {
		t.Errorf("outside: %q, want %s", d.Outside, want)
	}
	w.git(w.main, "-c", "advice.addEmbeddedRepo=false", "add", ".claude/worktrees", "nested")
	for _, committed := range []bool{false, true} {
		if committed {
			w.git(w.main, "commit", "-q", "-m", "by mistake")
		}
		if d := w.drift(w.main, &id)[0]; fmt.Sprint(d.Outside) != "[.claude/worktrees/notes.txt nested]" {
			t.Errorf("committed %v: %q", committed, d.Outside)
		}
	}
	// A repository in place of a worktree is not a worktree of this one.
	if err := os.RemoveAll(inside); err != nil {
		t.Fatal(err)
	}
	w.git(w.main, "rm", "-q", "--cached", ".claude/worktrees/x")
	w.git(w.main, "commit", "-q", "-m", "taken out")
	w.git(w.main, "init", "-q", inside)
	w.git(inside, "commit", "-q", "--allow-empty", "-m", "one")
	if d := w.drift(w.main, &id)[0]; !slices.Contains(d.Outside, ".claude/worktrees/x/") {
		t.Errorf("after a repository took its place: %q", d.Outside)
	}
}

// The files of a worktree that git has forgotten look untracked to git. Nobody
// changed them, so the answer names it; what is staged from there counts.
func TestDriftOfAForgottenWorktreeInside(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.put(w.main, "one", "two")
	w.commit(w.main, "base")
	id := w.claim(w.main, "mine", "src")
	w.git(w.main, "worktree", "add", "-q", "trees/x", "-b", "x")
	w.put(filepath.Join(w.main, "trees", "x"), "sub/work.txt")
	w.put(w.main, "trees/notes.txt")
	for _, what := range []string{"forgotten", "forgotten, with a directory left"} {
		gone := filepath.Join(w.main, ".git", "worktrees", "x")
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		if what != "forgotten" {
			if err := os.Mkdir(gone, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		a, err := w.at(w.main).Drift(background, store.DriftRequest{LockID: &id})
		if err != nil || fmt.Sprint(a.Result[0].Outside) != "[trees/notes.txt]" || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], `"trees/x"`) {
			t.Errorf("%s: %+v, %v, %q", what, a.Result, err, a.Warnings)
		}
	}
	w.git(w.main, "add", "trees/x/one")
	if d := w.drift(w.main, &id)[0]; fmt.Sprint(d.Outside) != "[trees/notes.txt trees/x/one]" {
		t.Errorf("staged: %q", d.Outside)
	}
	if err := os.Remove(filepath.Join(w.main, "trees", "x", ".git")); err != nil {
		t.Fatal(err)
	}
	if d := w.drift(w.main, &id)[0]; fmt.Sprint(d.Outside) != "[trees/notes.txt trees/x/one trees/x/sub/work.txt trees/x/two]" {
		t.Errorf("as the way out says: %q", d.Outside)
	}
}

// The root commit touches files, too, whatever git log shows.
func TestDriftSinceBeforeTheFirstCommit(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.git(w.main, "checkout", "-q", "--orphan", "new")
	w.git(w.main, "config", "log.showRoot", "false")
	id := w.claim(w.main, "mine", "src")
	w.put(w.main, "docs")
	w.commit(w.main, "first")
	a, err := w.at(w.main).Drift(background, store.DriftRequest{LockID: &id})
	if err != nil || fmt.Sprint(a.Result[0].Outside) != "[docs]" || len(a.Warnings) > 0 {
		t.Errorf("%+v, %v, %q", a.Result, err, a.Warnings)
	}
}

// If git shows signatures, it prints them between the names.
func TestDriftOfSignedCommits(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.put(w.main, "base")
	w.commit(w.main, "base")
	id := w.claim(w.main, "mine", "src")
	w.put(w.main, "signed")
	w.commit(w.main, "to be signed")
	header, message, _ := strings.Cut(w.git(w.main, "cat-file", "commit", "HEAD"), "\n\n")
	object := filepath.Join(t.TempDir(), "commit")
	signature := "gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----"
	if err := os.WriteFile(object, []byte(header+"\n"+signature+"\n\n"+message+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	w.git(w.main, "reset", "-q", "--soft", w.git(w.main, "hash-object", "-t", "commit", "-w", object))
	w.git(w.main, "config", "gpg.program", "git") // any program that prints something
	w.git(w.main, "config", "log.showSignature", "true")
	if d := w.drift(w.main, &id)[0]; fmt.Sprintf("%q", d.Changed) != `["signed"]` {
		t.Errorf("changed: %q", d.Changed)
	}
	if git := w.git(w.main, "log", "-1", "--format="); git == "" {
		t.Skip("this git shows no signatures")
	}
}
