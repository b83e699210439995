package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/lockfile"
)

func TestReadingAMissingStoreCreatesNothing(t *testing.T) {
	t.Parallel()
	common := newCommon(t)
	d := at(t, common)
	for _, w := range []which{activeOnly, doneOnly, all} {
		if got := listed(t, d, w); len(got.entries)+len(got.faults)+len(got.notes) > 0 {
			t.Errorf("list(%v) = %v", w, got)
		}
	}
	if _, err := d.get(t.Context(), stamp+"-x"); !errors.Is(err, LockNotFound) {
		t.Errorf("get: %v, want %v", err, LockNotFound)
	}
	if diff := cmp.Diff(1, len(tree(t, common))); diff != "" {
		t.Errorf("something was created: %v", tree(t, common))
	}
}

func TestLifeOfALock(t *testing.T) {
	t.Parallel()
	common := newCommon(t)
	d := at(t, common)
	h := locked(t, d)
	active, archived := filepath.Join(d.path, stamp+"-x.md"), filepath.Join(d.path, "done", stamp+"-x.md")

	e, err := h.create(stamp+"-x", fresh)
	if err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, active, 0, false)
	if e, err = h.rewrite(e, made(t, e.ID, lockfile.Active, 1)); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, active, 1, false)
	if e, err = h.finish(e, made(t, e.ID, lockfile.Done, 2)); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, archived, 2, true)
	if e, err = h.rewrite(e, made(t, e.ID, lockfile.Done, 3)); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, archived, 3, true)
	if e, err = h.reopen(e, made(t, e.ID, lockfile.Active, 4)); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, active, 4, false)
	if err := h.remove(e); err == nil {
		t.Error("an active lock was removed")
	}
	if e, err = h.finish(e, made(t, e.ID, lockfile.Done, 5)); err != nil {
		t.Fatal(err)
	}
	if err := h.remove(e); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, d, all); len(got.entries) > 0 {
		t.Errorf("removed, and yet there: %v", got)
	}
	var names []string
	for name := range tree(t, d.path) {
		names = append(names, name)
	}
	if len(names) != 3 || len(h.warnings) > 0 {
		t.Errorf("left are %q and the warnings %q, want the directories and the mutex alone", names, h.warnings)
	}
}

// wantEntry checks what a write returned, and that every way of reading finds
// the same.
func wantEntry(t *testing.T, d *dir, e entry, path string, serial int, done bool) {
	t.Helper()
	got, err := d.get(t.Context(), e.ID)
	if err != nil {
		t.Fatal(err)
	}
	w, other := activeOnly, doneOnly
	if done {
		w, other = other, w
	}
	l := listed(t, d, w)
	if len(l.entries) != 1 || len(listed(t, d, all).entries) != 1 || len(listed(t, d, other).entries) != 0 {
		t.Fatalf("listed are %v (all: %v, the others: %v)", l, listed(t, d, all), listed(t, d, other))
	}
	for _, e := range []entry{e, got, l.entries[0]} {
		n, err := whole(e.File)
		if err != nil || n != serial || e.path != path || e.done != done || e.archived != done || e.dup || e.other != "" {
			t.Errorf("entry %+v (serial %d, %v), want serial %d at %s, done %v", e, n, err, serial, path, done)
		}
	}
}

func TestCreateNeverReissuesAnID(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]func(*os.Root, string, string) error{
		"links":    (*os.Root).Link,
		"no links": func(*os.Root, string, string) error { return syscall.EPERM },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := at(t, newCommon(t))
			d.link = link
			put(t, filepath.Join(d.path, stamp+"-x.md"), "not even a lock")
			put(t, filepath.Join(d.path, "done", stamp+"-x-2.md"), text(stamp+"-x-2", lockfile.Done, 0))
			if err := os.Mkdir(filepath.Join(d.path, stamp+"-x-4.md"), 0o777); err != nil {
				t.Fatal(err)
			}
			before := tree(t, d.path)
			h := locked(t, d)
			for _, want := range []string{stamp + "-x-3", stamp + "-x-5"} {
				e, err := h.create(stamp+"-x", fresh)
				if err != nil || e.ID != want {
					t.Fatalf("create = %q, %v; want %q", e.ID, err, want)
				}
				wantWhole(t, filepath.Join(d.path, want+".md"))
			}
			after := tree(t, d.path)
			for path, content := range before {
				if after[path] != content {
					t.Errorf("%s was %q and is %q", path, content, after[path])
				}
			}
			if len(after) != len(before)+3 { // two locks and the mutex
				t.Errorf("left: %v", after)
			}
		})
	}
}

func TestAppearNeverOverwrites(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]func(*os.Root, string, string) error{
		"links":    (*os.Root).Link,
		"no links": func(*os.Root, string, string) error { return syscall.EPERM },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := at(t, newCommon(t))
			d.link = link
			h := locked(t, d)
			id := stamp + "-x"
			put(t, filepath.Join(d.path, id+".md"), "somebody's")
			before := tree(t, d.path)
			if err := h.appear(id, made(t, id, lockfile.Active, 0)); !errors.Is(err, fs.ErrExist) {
				t.Errorf("appear: %v, want %v", err, fs.ErrExist)
			}
			if diff := cmp.Diff(before, tree(t, d.path)); diff != "" {
				t.Errorf("changed (-before +after):\n%s", diff)
			}
		})
	}
}

func wantWhole(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := lockfile.Parse(strings.TrimSuffix(filepath.Base(path), ".md"), data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := whole(f); err != nil {
		t.Error(err)
	}
}

func TestGetRefusesWhatIsNoID(t *testing.T) {
	t.Parallel()
	common := newCommon(t)
	put(t, filepath.Join(common, "x.md"), text("x", lockfile.Active, 0))
	d := at(t, common)
	locked(t, d)
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden", "done/../../x", "2*", "x 2", filepath.Join(common, "x")} {
		if _, err := d.get(t.Context(), id); !errors.Is(err, BadInput) {
			t.Errorf("get(%q): %v, want %v", id, err, BadInput)
		}
	}
}

func TestADirectoryThatCannotBeSyncedIsAWarning(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	d.sync = func(*os.Root) error { return syscall.EINVAL }
	h := locked(t, d)
	h.warnings = nil
	e, err := h.create(stamp+"-x", fresh)
	if err != nil || len(h.warnings) != 1 {
		t.Fatalf("create: %v, warnings %q", err, h.warnings)
	}
	h.warnings = nil
	if e, err = h.rewrite(e, made(t, e.ID, lockfile.Active, 1)); err != nil || len(h.warnings) != 1 {
		t.Fatalf("rewrite: %v, warnings %q", err, h.warnings)
	}
	h.warnings = nil
	if e, err = h.finish(e, made(t, e.ID, lockfile.Done, 2)); err != nil || !e.archived || len(h.warnings) == 0 {
		t.Fatalf("finish: %v, %v, warnings %q", e, err, h.warnings)
	}
	if !strings.Contains(h.warnings[0], "cannot sync") {
		t.Errorf("warning %q", h.warnings[0])
	}
}

// Whatever a write puts in place has reached the disk before it gets its name,
// and the name has before the write is confirmed.
func TestWritesAreSynced(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	id := stamp + "-x"
	serial, did := 0, ""
	d.syncFile = func(f *os.File) error {
		did += "file "
		data, err := os.ReadFile(filepath.Join(d.path, filepath.Base(f.Name())))
		if err != nil || !strings.Contains(string(data), fmt.Sprintf("- end %d\n", serial)) {
			t.Errorf("synced is %q, %v; want the whole of serial %d", data, err, serial)
		}
		for _, name := range []string{id + ".md", "done/" + id + ".md"} {
			placed, err := os.ReadFile(filepath.Join(d.path, name))
			if err == nil && string(placed) == string(data) {
				t.Errorf("%s was put in place before it was synced", name)
			}
		}
		return f.Sync()
	}
	d.sync = func(r *os.Root) error {
		did += "dir "
		return syncDir(r)
	}
	h := locked(t, d)
	if _, err := h.ensureArchive(); err != nil {
		t.Fatal(err)
	}
	var e entry
	for _, step := range []struct {
		name  string
		write func() (entry, error)
		want  string
	}{
		{"create", func() (entry, error) { return h.create(id, fresh) }, "file dir "},
		{"rewrite", func() (entry, error) { return h.rewrite(e, made(t, id, lockfile.Active, serial)) }, "file dir "},
		{"finish", func() (entry, error) { return h.finish(e, made(t, id, lockfile.Done, serial)) }, "file dir dir dir "},
		{"reopen", func() (entry, error) { return h.reopen(e, made(t, id, lockfile.Active, serial)) }, "dir dir file dir "},
	} {
		did = ""
		var err error
		if e, err = step.write(); err != nil || did != step.want {
			t.Fatalf("%s: synced were %q, %v; want %q", step.name, did, err, step.want)
		}
		serial++
	}

	d.syncFile = func(*os.File) error { return syscall.EIO }
	before := tree(t, d.path)
	for name, write := range map[string]func() (entry, error){
		"create":  func() (entry, error) { return h.create(id, fresh) },
		"rewrite": func() (entry, error) { return h.rewrite(e, made(t, id, lockfile.Active, serial)) },
		"finish":  func() (entry, error) { return h.finish(e, made(t, id, lockfile.Done, serial)) },
	} {
		if _, err := write(); !errors.Is(err, StoreUnwritable) || !errors.Is(err, syscall.EIO) {
			t.Errorf("%s of what cannot be synced: %v, want %v", name, err, StoreUnwritable)
		}
	}
	if diff := cmp.Diff(before, tree(t, d.path)); diff != "" {
		t.Errorf("what could not be synced left (-before +after):\n%s", diff)
	}
}
