package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func (w *world) finish(dir, id string, force bool) store.Answer[store.Finished] {
	w.t.Helper()
	a, err := w.at(dir).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: id}, Force: force})
	if err != nil || a.Result.ID != id {
		w.t.Fatalf("%+v, %v", a, err)
	}
	return a
}

// A finish reports the uncommitted files of its scope in the lock's own
// worktree, wherever it is called.
func TestFinishCountsWhatIsNotCommitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(w.link, "src/gone", "src/kept", "docs/x")
	w.commit(w.link, "base")
	work := func() {
		if err := os.Remove(filepath.Join(w.link, "src", "gone")); err != nil {
			t.Fatal(err)
		}
		w.put(w.link, "src/a", "src/b", "docs/y", "src/deep/c", "docs/x")
		w.put(w.main, "src/elsewhere")
		w.git(w.link, "mv", "src/kept", "src/moved")
		w.git(w.link, "add", "src/b")
	}
	work()
	const want = "[src/a src/b src/deep/c src/gone src/kept] 1"
	for _, from := range []string{w.link, w.main} {
		a := w.finish(from, w.claim(w.link, "work", "src"), true)
		if got := fmt.Sprint(a.Result.Uncommitted, a.Result.UncommittedLeftOut); got != want || len(a.Warnings) > 0 {
			t.Errorf("from %s: %s, want %s; %q", from, got, want, a.Warnings)
		}
	}
	for _, scope := range []string{"custom://src", "lib/**"} {
		if a := w.finish(w.link, w.claim(w.link, "other", scope), false); len(a.Result.Uncommitted) != 0 || len(a.Warnings) > 0 {
			t.Errorf("%s: %+v", scope, a)
		}
	}
	w.commit(w.link, "work")
	a := w.finish(w.link, w.claim(w.link, "done", "src"), false)
	if text, err := store.Encode(a.Result); err != nil || strings.Contains(string(text), "ncommitted") || len(a.Warnings) > 0 {
		t.Errorf("nothing is left: %s, %v, %q", text, err, a.Warnings)
	}
}

// A finish succeeds even if git fails to report what is uncommitted, and its
// answer says so. Nothing can be left in a worktree that is gone.
func TestFinishStandsWhereGitCannotAnswer(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const unknown = "cannot tell which changes in its scope are not committed"
	for name, damage := range map[string]func(w *world, id string) (warned string){
		"a damaged index": func(w *world, id string) string {
			w.write("../worktrees/link/index", "no index")
			return "git failed"
		},
		"a lock that names another repository": func(w *world, id string) string {
			file := id + ".md"
			elsewhere := filepath.Join(w.t.TempDir(), "src")
			w.git(filepath.Dir(elsewhere), "init", "-q")
			w.put(elsewhere, "foreign")
			text := strings.ReplaceAll(w.read(file), w.link, elsewhere)
			w.write(file, strings.ReplaceAll(text, "worktree_name: link\n", ""))
			return `"` + filepath.ToSlash(elsewhere) + `" is no longer a worktree of this repository`
		},
		"a worktree that is gone": func(w *world, id string) string {
			if err := os.RemoveAll(w.link); err != nil {
				w.t.Fatal(err)
			}
			return ""
		},
		"a worktree whose place another repository has": func(w *world, id string) string {
			if err := os.RemoveAll(w.link); err != nil {
				w.t.Fatal(err)
			}
			w.git(w.main, "init", "-q", w.link)
			w.put(w.link, "foreign")
			if a := w.show(id); !a.WorktreeGone {
				w.t.Errorf("it does not count as gone: %+v", a)
			}
			if _, err := w.at(w.main).Check(background, store.CheckRequest{Scope: []string{filepath.Join(w.link, "a")}}); err == nil {
				w.t.Error("a path in the other repository is answered for")
			}
			return ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.claim(w.link, "work", "**")
			warned := damage(w, id)
			a := w.finish(w.main, id, true)
			if len(a.Result.Uncommitted) > 0 {
				t.Errorf("%q", a.Result.Uncommitted)
			}
			if warned != "" {
				wantWarning(t, a.Warnings, unknown+": "+warned)
			} else if len(a.Warnings) > 0 {
				t.Errorf("%q", a.Warnings)
			}
		})
	}
}

// A slow git does not delay a finish for long.
func TestFinishWaitsForGitOnlySoLong(t *testing.T) {
	t.Parallel()
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("waits for a while, and needs a shell")
	}
	w := newWorld(t)
	w.put(w.main, ".gitattributes", "a")
	w.commit(w.main, "base")
	w.put(w.main, "a")
	if err := os.WriteFile(filepath.Join(w.main, ".gitattributes"), []byte("a filter=slow\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	w.git(w.main, "config", "filter.slow.clean", "sleep 60; cat")
	began := time.Now()
	a := w.finish(w.main, w.claim(w.main, "work", "a"), false)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	wantWarning(t, a.Warnings, "git took more than 2s")
}

// For something other than files git is not asked, so it cannot fail either.
func TestFinishAsksNothingOfAPort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.link, "port", "custom://port")
	w.write("../worktrees/link/index", "no index")
	if a := w.finish(w.main, id, false); len(a.Warnings) > 0 {
		t.Errorf("%q", a.Warnings)
	}
}
