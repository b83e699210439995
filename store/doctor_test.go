package store_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A sick is a finding that is not ok, with parts of its message and fix.
type sick struct{ severity, check, message, fix string }

func (w *world) doctor(s *store.Store, fix bool) store.Answer[store.Diagnosis] {
	w.t.Helper()
	a, err := s.Doctor(background, store.DoctorRequest{Fix: fix})
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// wantFindings compares the findings that are neither ok nor fixed with want,
// and returns what was fixed, by check.
func wantFindings(t *testing.T, d store.Diagnosis, want []sick) (fixed []string) {
	t.Helper()
	var got []store.Finding
	for _, f := range d.Findings {
		switch {
		case f.Fixed != "":
			fixed = append(fixed, f.Check)
		case f.Severity != store.SeverityOK:
			got = append(got, f)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("findings %+v, want %+v", got, want)
	}
	problems := 0
	for i, f := range got {
		w := want[i]
		if f.Severity != w.severity || f.Check != w.check || !strings.Contains(f.Message, w.message) || !strings.Contains(f.Fix, w.fix) {
			t.Errorf("finding %+v, want %+v", f, w)
		}
		if f.Fix == "" {
			t.Errorf("%q says nothing of what to do", f.Message)
		}
		if f.Severity == store.SeverityProblem {
			problems++
		}
	}
	if d.Problems() != problems {
		t.Errorf("%d problems are counted, want %d", d.Problems(), problems)
	}
	return fixed
}

// everything returns every name in the git directory with its time and content.
func (w *world) everything() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(filepath.Join(w.main, ".git"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = fi.Mode().String() + " " + fi.ModTime().String()
		if fi.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			all[path] += " " + string(text)
			return err
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

const (
	note    = store.SeverityNote
	problem = store.SeverityProblem
)

// Each case is a real repository with a single problem. fixable lists the
// checks without findings after Fix.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, c := range gittest.Some(5, []struct {
		name    string
		arrange func(w *world)
		env     string
		want    []sick
		fixable []string
	}{
		{name: "sound", arrange: func(w *world) {
			w.claim(w.main, "one", "a")
			w.end(w.claim(w.link, "two", "b"))
		}},
		{name: "no store", arrange: func(*world) {}},
		{
			name:    "no git",
			arrange: func(w *world) { w.claim(w.main, "one", "a") },
			env:     "PATH=",
			want:    []sick{{problem, "git", "no git program", "install git"}},
		},
		{
			name:    "no repository",
			arrange: func(w *world) { w.remove(".git") },
			want:    []sick{{problem, "repository", "not in a git repository", "base_dir"}},
		},
		{
			name:    "a config that git refuses",
			arrange: func(w *world) { w.plant(".git/config", "[core\n") },
			want:    []sick{{problem, "repository", "bad config", ""}},
		},
		{
			name: "a worktree that was deleted, with its lock",
			arrange: func(w *world) {
				w.claim(w.link, "one", "a")
				if err := os.RemoveAll(w.link); err != nil {
					w.t.Fatal(err)
				}
			},
			want: []sick{{note, "worktrees", "link", "git worktree prune"}, {note, "worktrees", "-one", "agent-locks finish"}},
		},
		{
			name:    "a store that is a file",
			arrange: func(w *world) { w.plant(".git/agents-locks", "") },
			want:    []sick{{problem, "store", "a regular file, not a directory", "move it away"}},
		},
		{
			name: "a done directory that is a file",
			arrange: func(w *world) {
				w.claim(w.main, "one", "a")
				w.write("done", "")
			},
			want: []sick{{problem, "store", "a regular file, not a directory", "move it away"}, {problem, "unreadable", "done", "move it"}},
		},
		{
			name: "a mutex that is a directory",
			arrange: func(w *world) {
				if err := os.MkdirAll(filepath.Join(w.dir(), ".mutex"), 0o777); err != nil {
					w.t.Fatal(err)
				}
			},
			want: []sick{{problem, "mutex", "a directory, not a regular file", "move it away"}},
		},
		{
			name: "unreadable files",
			arrange: func(w *world) {
				w.write("2026-07-17T18-45-12-torn.md", "---\nid: x\n\tscope: [")
				w.write("done/x 2.md", "")
			},
			want: []sick{{problem, "unreadable", "x 2.md", "move it"}, {problem, "unreadable", "torn.md", "fix it"}},
		},
		{
			name: "an id that is active and done",
			arrange: func(w *world) {
				w.write("done/"+w.claim(w.main, "one", "a")+".md", w.only())
			},
			want: []sick{{problem, "duplicates", "two places", "move one of them"}},
		},
		{
			name: "an id that is done twice, and differently",
			arrange: func(w *world) {
				id := w.claim(w.main, "one", "a")
				w.write(id+".md", strings.Replace(w.only(), "status: active", "status: done", 1))
				w.write("done/"+id+".md", w.only()+"\nmore\n")
			},
			want: []sick{{problem, "duplicates", "two places", "move one of them"}},
		},
		{
			name: "a finish cut short before it moved",
			arrange: func(w *world) {
				id := w.claim(w.main, "one", "a")
				w.write(id+".md", strings.Replace(w.only(), "status: active", "status: done", 1))
			},
			want:    []sick{{note, "unfinished", "move into done", "--fix"}},
			fixable: []string{"unfinished"},
		},
		{
			name: "a copy that a finish has left",
			arrange: func(w *world) {
				id := w.claim(w.main, "one", "a")
				w.write(id+".md", strings.Replace(w.only(), "status: active", "status: done", 1))
				w.write("done/"+id+".md", w.only())
			},
			want:    []sick{{note, "unfinished", "in done already", "--fix"}},
			fixable: []string{"unfinished"},
		},
		{
			name: "temporary files, one of them old",
			arrange: func(w *world) {
				w.write(".tmp-young", "")
				w.write(".tmp-old", "")
				old := time.Now().Add(-2 * time.Hour)
				if err := os.Chtimes(filepath.Join(w.dir(), ".tmp-old"), old, old); err != nil {
					w.t.Fatal(err)
				}
			},
			want:    []sick{{note, "leftovers", ".tmp-old", "--fix"}},
			fixable: []string{"leftovers"},
		},
		{
			name: "a dead ticket",
			arrange: func(w *world) {
				w.write("waiting/00000000000000000007.json", "{}")
				w.write("waiting/00000000000000000007.lock", "")
			},
			want:    []sick{{note, "leftovers", "00000000000000000007.json", "--fix"}},
			fixable: []string{"leftovers"},
		},
		{
			name: "what is not a ticket among the tickets",
			arrange: func(w *world) {
				w.write("waiting/00000000000000000007 2.json", "{}") // a sync client's copy
				w.write("waiting/00000000000000000007.json.md", "")
				w.write("waiting/07.lock", "")
				w.write("waiting/old/.keep", "")
				w.write("waiting/.DS_Store", "")
			},
			want: []sick{
				{note, "unreadable", "00000000000000000007 2.json", "move it"}, {note, "unreadable", "00000000000000000007.json.md", "move it"},
				{note, "unreadable", "07.lock", "move it"}, {note, "unreadable", "old", "move it"},
			},
		},
		{
			name: "a stamp in the future",
			arrange: func(w *world) {
				w.pass(time.Hour)
				w.claim(w.main, "one", "a")
				w.pass(-time.Hour)
			},
			want: []sick{{problem, "clock", "in the future", "agent-locks heartbeat"}},
		},
		{
			name: "a stale lock",
			arrange: func(w *world) {
				w.claim(w.main, "one", "a")
				w.pass(2 * time.Hour)
			},
			want: []sick{{note, "stale", "(one) has been silent for 2h", "agent-locks reap"}},
		},
	}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.arrange(w)
			s := w.at(w.main)
			if c.env != "" {
				s = w.at(w.main, c.env)
			}
			var before map[string]string
			_, statErr := os.Stat(filepath.Join(w.main, ".git"))
			if statErr == nil {
				before = w.everything()
			}
			wantFindings(t, w.doctor(s, false).Result, c.want)
			if statErr == nil {
				if diff := cmp.Diff(before, w.everything()); diff != "" {
					t.Errorf("looking changed (-before +after):\n%s", diff)
				}
			}
			var left []sick
			for _, f := range c.want {
				if len(c.fixable) == 0 || f.check != c.fixable[0] {
					left = append(left, f)
				}
			}
			fixed := wantFindings(t, w.doctor(s, true).Result, left)
			if diff := cmp.Diff(c.fixable, fixed); diff != "" {
				t.Errorf("fixed (-want +got):\n%s", diff)
			}
			if again := wantFindings(t, w.doctor(s, true).Result, left); again != nil {
				t.Errorf("fixed once more: %q", again)
			}
			if statErr == nil && len(c.fixable) == 0 {
				if diff := cmp.Diff(before, w.everything()); diff != "" {
					t.Errorf("there was nothing to fix, and yet it changed (-before +after):\n%s", diff)
				}
			}
		})
	}
}

// only returns the text of the single active lock.
func (w *world) only() string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir(), "*.md"))
	if err != nil || len(found) != 1 {
		w.t.Fatalf("active locks: %q, %v", found, err)
	}
	return w.read(filepath.Base(found[0]))
}

// plant writes a file of the main worktree.
func (w *world) plant(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.main, filepath.FromSlash(name)), []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.main, filepath.FromSlash(name))); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) end(id string) {
	w.t.Helper()
	if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: store.Ref{LockID: id}, Force: true}); err != nil {
		w.t.Fatal(err)
	}
}

// What could not be fixed is reported, together with the reason.
func TestDoctorSaysThatItCouldNotFix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "one", "a")
	w.write(id+".md", strings.Replace(w.only(), "status: active", "status: done", 1))
	w.remove(".git/agents-locks/.mutex")
	if err := os.Mkdir(filepath.Join(w.dir(), ".mutex"), 0o777); err != nil {
		t.Fatal(err)
	}
	fixed := wantFindings(t, w.doctor(w.at(w.main), true).Result, []sick{
		{problem, "mutex", "a directory", "move it away"},
		{note, "unfinished", "cut short", "--fix"},
		{problem, "fix", "a directory", "move it away"},
	})
	if fixed != nil {
		t.Errorf("fixed %q", fixed)
	}
}

func TestDoctorRefusesACallThatIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.at(w.main).Doctor(background, store.DoctorRequest{Target: store.Target{BaseDir: ptr("none")}})
	wantCode(t, err, store.BadInput, `"none"`)
	ctx, cancel := context.WithCancel(background)
	cancel()
	if a, err := w.at(w.main).Doctor(ctx, store.DoctorRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %+v, %v", a, err)
	}
}
