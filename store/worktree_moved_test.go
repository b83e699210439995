package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A worktree is identified by git's name for it, not by its path: a lock made
// there stays its own when the worktree is moved.
func TestAMovedWorktreeIsTheSame(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, move := range map[string]func(w *world) (from string){
		"git worktree move": func(w *world) string {
			w.git(w.main, "worktree", "move", w.link, w.link+" moved")
			return w.link + " moved"
		},
		"the repository, with relative pointers": func(w *world) string {
			parent := filepath.Join(filepath.Dir(w.main), "elsewhere")
			for path, text := range map[string]string{
				filepath.Join(w.link, ".git"):                             "gitdir: ../main/.git/worktrees/link\n",
				filepath.Join(w.main, ".git", "worktrees/link", "gitdir"): "../../../../link/.git\n",
			} {
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					w.t.Fatal(err)
				}
			}
			if err := os.Mkdir(parent, 0o777); err != nil {
				w.t.Fatal(err)
			}
			for _, dir := range []*string{&w.main, &w.link} {
				to := filepath.Join(parent, filepath.Base(*dir))
				if err := os.Rename(*dir, to); err != nil {
					w.t.Fatal(err)
				}
				*dir = to
			}
			return w.link
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			there := w.claim(w.link, "there", "a/**")
			here := w.claim(w.main, "here", "b/**")
			from := move(w)
			a, err := w.at(from).Check(background, store.CheckRequest{Scope: []string{"a/x", "b/x"}})
			if err != nil || len(a.Result) != 2 {
				t.Fatalf("%+v, %v", a.Result, err)
			}
			for _, s := range a.Result {
				if *s.SameWorktree != (s.ID != here) || s.WorktreeGone {
					t.Errorf("%s: same worktree %v, gone %v", s.Title, *s.SameWorktree, s.WorktreeGone)
				}
			}
			e, err := w.at(from).Edit(background, store.EditRequest{Path: filepath.Join(from, "a", "x"), AgentID: ptr("me")})
			if blocked, _ := Tx(e.Result); err != nil || blocked != "" {
				t.Errorf("one's own lock blocks: %q, %v", blocked, err)
			}
			if err := os.RemoveAll(from); err != nil {
				t.Fatal(err)
			}
			if !w.show(there).WorktreeGone || w.show(here).WorktreeGone {
				t.Error("a worktree that was moved and removed is not called gone, or another one is")
			}
		})
	}
}

// A lock of the first release does not record git's name for its worktree.
func TestALockWithoutAWorktreeNameGoesByThePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.link, "there", "a/**")
	w.write(id+".md", regexp.MustCompile(`(?m)^worktree_name: .*\n`).ReplaceAllString(w.read(id+".md"), ""))
	for _, c := range []struct {
		from string
		same bool
	}{{w.link, true}, {w.main, false}} {
		a, err := w.at(c.from).Check(background, store.CheckRequest{Scope: []string{"a/x"}})
		if err != nil || len(a.Result) != 1 || *a.Result[0].SameWorktree != c.same {
			t.Errorf("from %s: %+v, %v", c.from, a.Result, err)
		}
	}
}

// A name in a lock file is untrusted text and is not followed.
func TestAHostileWorktreeNameLeadsNowhere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.link, "there", "a/**")
	for _, name := range []string{"..", "../../..", "/etc", "link/../link", "nothing", `"\x00"`, "."} {
		w.write(id+".md", regexp.MustCompile(`(?m)^worktree_name: .*`).ReplaceAllLiteralString(w.read(id+".md"), "worktree_name: "+name))
		a, err := w.at(w.link).Check(background, store.CheckRequest{Scope: []string{"a/x"}})
		if err != nil || len(a.Result)+a.Unreadable != 1 || len(a.Result) == 1 && *a.Result[0].SameWorktree {
			t.Errorf("%s: %+v, %v", name, a.Result, err)
		}
	}
}
