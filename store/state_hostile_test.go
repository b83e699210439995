package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func entryText(name string, version int, value string) string {
	return fmt.Sprintf("---\nname: %s\nversion: %d\ncreated: 2026-07-17T18-45-12\n---\n\n%s\n", name, version, value)
}

// A file that cannot be read as an entry is skipped and reported, hides no
// other, and is never overwritten, not even on request.
func TestUnreadableEntriesAreNamedAndKept(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.mustSet("good", "x", 0)
	planted := map[string]string{
		"torn":    entryText("torn", 1, "x")[:30],
		"zeros":   entryText("zeros", 1, "a\x00b"),
		"latin1":  entryText("latin1", 1, "caf\xe9"),
		"large":   entryText("large", 1, strings.Repeat("x", 256<<10+1)),
		"huge":    entryText("huge", 1, strings.Repeat("x", 1<<20)),
		"zero":    entryText("zero", 0, "x"),
		"a/empty": "",
	}
	for name, text := range planted {
		w.write("state/"+name+".md", text)
	}
	w.write("state/Upper.md", entryText("Upper", 1, "x"))
	w.write("state/a/b/c/d.md", entryText("a/b/c/d", 1, "x"))
	w.write("state/x 2.md", entryText("x", 1, "x"))
	w.write("state/notes.txt", "not ours")
	list, err := w.at(w.main).ListState(background, store.ListStateRequest{})
	if err != nil || len(list.Result.Entries) != 1 || list.Result.Entries[0].Name != "good" || list.Unreadable != len(planted)+3 {
		t.Errorf("%+v, %v, %d unreadable", list.Result.Entries, err, list.Unreadable)
	}
	doctor, err := w.at(w.main).Doctor(background, store.DoctorRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range planted {
		path := filepath.Join(w.dir(), "state", filepath.FromSlash(name)+".md")
		wantWarning(t, list.Warnings, path)
		if !strings.Contains(fmt.Sprint(doctor.Result.Findings), path) {
			t.Errorf("doctor does not name %s", path)
		}
		_, err := w.get(name)
		wantCode(t, err, store.BadInput, path, "by hand")
		for _, r := range []store.SetStateRequest{
			{Text: ptr("x"), Force: true}, {Text: ptr("x")}, {Text: ptr("x"), IfVersion: ptr[int64](1)}, {Text: ptr("x"), IfVersion: ptr[int64](0)},
			{Text: ptr("x"), Mode: "append"}, {Text: ptr("1"), Mode: "add"}, {Mode: "delete", Force: true},
		} {
			r.Name = name
			_, err := w.at(w.main).SetState(background, r)
			wantCode(t, err, store.BadInput, path)
		}
		if now := w.read("state", filepath.FromSlash(name)+".md"); now != text {
			t.Errorf("%s was written", name)
		}
	}
	if doctor.Result.Problems() != len(planted)+3 {
		t.Errorf("doctor finds %d problems: %+v", doctor.Result.Problems(), doctor.Result.Findings)
	}
}

// Nothing is read or written through a link, neither in place of an entry's
// file nor of a directory on the way to it.
func TestStateIsNotReachedThroughLinks(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	outside := entryText("x", 1, "secret")
	for name, c := range map[string]struct{ link, target string }{
		"the state":           {"state", "elsewhere"},
		"a namespace":         {"state/api", "../elsewhere"},
		"a namespace, inside": {"state/api", "v1"},
		"an inner one":        {"state/api/v2", "../../elsewhere"},
		"the file":            {"state/api/v2/x.md", "../../../elsewhere/x.md"},
		"the past":            {"state/.past", "../elsewhere"},
		"the past's inner":    {"state/.past/api", "../../elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.claim(w.main, "Make the store", "x")
			past := strings.Contains(c.link, ".past")
			if past {
				w.mustSet("api/v2/x", "own", 0)
			}
			for _, dir := range []string{"", "v2/", "api/v2/"} {
				w.write("elsewhere/"+dir+"x.md", outside)
				w.write("elsewhere/"+dir+"x/1.md", outside)
			}
			if c.target == "v1" {
				w.write("state/v1/v2/x.md", outside)
			}
			path := filepath.Join(w.dir(), filepath.FromSlash(c.link))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.FromSlash(c.target), path); err != nil {
				t.Skipf("no symbolic links here: %v", err)
			}
			before := w.tree("elsewhere")
			e, err := w.get("api/v2/x")
			if past && (err != nil || e.Text != "own") || !past && (err == nil || !strings.Contains(err.Error(), "symbolic link")) {
				t.Errorf("read %+v, %v", e, err)
			}
			_, err = w.at(w.main).SetState(background, store.SetStateRequest{Name: "api/v2/x", Text: ptr("y"), Force: true})
			if err == nil || !strings.Contains(err.Error(), "symbolic link") {
				t.Errorf("written: %v", err)
			}
			if past {
				_, err = w.at(w.main).ListState(background, store.ListStateRequest{History: "api/v2/x"})
				if err == nil || !strings.Contains(err.Error(), "symbolic link") {
					t.Errorf("its history: %v", err)
				}
				_, err := w.at(w.main).Prune(background, store.PruneRequest{OlderThan: "0s", Yes: true})
				if err == nil || !strings.Contains(err.Error(), "symbolic link") {
					t.Errorf("pruned: %v", err)
				}
			} else if a, err := w.at(w.main).ListState(background, store.ListStateRequest{}); name != "the state" {
				wantWarning(t, a.Warnings, "symbolic link")
				for _, e := range a.Result.Entries {
					if strings.HasPrefix(e.Name, "api/") {
						t.Errorf("listed: %+v, %v", e, err)
					}
				}
			}
			if after := w.tree("elsewhere"); after != before {
				t.Errorf("what the link leads to is %s, was %s", after, before)
			}
		})
	}
}

func (w *world) tree(name string) string {
	var files []string
	err := filepath.WalkDir(filepath.Join(w.dir(), name), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, readErr := os.ReadFile(path)
			files, err = append(files, path+string(text)), readErr
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(files, "\n")
}

// A foreign file in place of a past version is reported, and nothing is
// written.
func TestWhatBlocksThePastIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustSet("x", "one", 0)
	w.write("state/.past/x/1.md/file", "somebody's")
	_, err := w.set("x", "two", 1)
	wantCode(t, err, store.StoreUnwritable, filepath.Join(".past", "x", "1.md"), "move away")
	if e, err := w.get("x"); err != nil || e.Text != "one" || w.read("state", ".past", "x", "1.md", "file") != "somebody's" {
		t.Errorf("%+v, %v", e, err)
	}
}

// A file with Windows line endings keeps them, and listings do not show them.
func TestEntriesWithWindowsLineEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("state/x.md", strings.ReplaceAll(entryText("x", 1, "one\ntwo"), "\n", "\r\n"))
	if e, err := w.get("x"); err != nil || e.Text != "one\r\ntwo" {
		t.Errorf("%+v, %v", e, err)
	}
	if a, err := w.at(w.main).ListState(background, store.ListStateRequest{}); err != nil || a.Result.Entries[0].FirstLine != "one" {
		t.Errorf("%+v, %v", a.Result, err)
	}
	w.mustSet("x", "three", 1)
	if text := w.read("state", "x.md"); !strings.HasSuffix(text, "\r\n---\r\n\r\nthree\r\n") || strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\n") {
		t.Errorf("%q", text)
	}
}

// There are at most 1,000 entries, not counting deleted ones, and existing ones
// can still be written.
func TestEntriesAreBounded(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	for n := range 999 {
		w.write(fmt.Sprintf("state/n%d/x%d.md", n%7, n), entryText("x", 1, "x"))
	}
	w.mustSet("one", "x", 0)
	_, err := w.set("other", "x", 0)
	wantCode(t, err, store.BadInput, "1000 entries", "at most 1000 are allowed", "state_list")
	_, err = w.at(w.main).SetState(background, store.SetStateRequest{Name: "other", Mode: "add", Text: ptr("1")})
	wantCode(t, err, store.BadInput, "1000 entries")
	if _, err := w.set("one", "y", 1); err != nil {
		t.Error(err)
	}
	if _, err := w.at(w.main).SetState(background, store.SetStateRequest{Name: "one", Mode: "delete", Force: true}); err != nil {
		t.Fatal(err)
	}
	w.mustSet("other", "x", 0)
	_, err = w.set("one", "x", 0)
	wantCode(t, err, store.BadInput, "1000 entries")
}

// Files that are not versions of this entry are reported, and hide no others.
func TestAHostilePastIsSkipped(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.mustSet("x", "one", 0)
	w.mustSet("x", "two", 1)
	w.mustSet("x", "three", 2)
	w.write("state/.past/x/1.md", entryText("x", 7, "seven"))
	w.write("state/.past/x/9.md", entryText("x", 9, "later"))
	w.write("state/.past/x/02.md", entryText("x", 2, "odd"))
	w.write("state/.past/x/-1.md", "")
	a, err := w.at(w.main).ListState(background, store.ListStateRequest{History: "x"})
	if err != nil || len(a.Result.Versions) != 2 || a.Result.Versions[1].FirstLine != "two" {
		t.Errorf("%+v, %v", a.Result.Versions, err)
	}
	wantWarning(t, a.Warnings, "it says version 7")
	_, err = w.at(w.main).GetState(background, store.GetStateRequest{Name: "x", Version: ptr[int64](1)})
	wantCode(t, err, store.BadInput, "it says version 7")
	for n := range int64(60) {
		w.mustSet("x", "x", 3+n)
	}
	if e, err := w.get("x"); err != nil || e.Version != 63 {
		t.Errorf("%+v, %v", e, err)
	}
}
