package disk

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
	"github.com/agent-locks/agent-locks/store/atomicfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

func TestReadingAMissingStoreCreatesNothing(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	d := at(t, common)
	for _, w := range []Which{ActiveOnly, DoneOnly, All} {
		if got := listed(t, d, w); len(got.Entries)+len(got.Bad)+len(got.Notes) > 0 {
			t.Errorf("list(%v) = %v", w, got)
		}
	}
	if _, err := d.Get(t.Context(), stamp+"-x"); !errors.Is(err, fault.LockNotFound) {
		t.Errorf("get: %v, want %v", err, fault.LockNotFound)
	}
	if diff := cmp.Diff(1, len(storetest.Tree(t, common))); diff != "" {
		t.Errorf("something was created: %v", storetest.Tree(t, common))
	}
}

func TestLifeOfALock(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	d := at(t, common)
	tx := locked(t, d)
	active, archived := filepath.Join(d.Path, stamp+"-x.md"), filepath.Join(d.Path, "done", stamp+"-x.md")

	e, err := tx.Create(stamp+"-x", fresh)
	if err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, active, 0, false)
	if e, err = tx.replaceFile(e, made(t, e.Lock.ID, lockfile.Active, 1)); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, active, 1, false)
	if e, err = tx.finishFile(e, made(t, e.Lock.ID, lockfile.Done, 2)); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, archived, 2, true)
	if e, err = tx.replaceFile(e, made(t, e.Lock.ID, lockfile.Done, 3)); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, archived, 3, true)
	if e, err = tx.reopenFile(e, made(t, e.Lock.ID, lockfile.Active, 4)); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, d, e, active, 4, false)
	if err := tx.Delete(e); err == nil {
		t.Error("an active lock was removed")
	}
	if e, err = tx.finishFile(e, made(t, e.Lock.ID, lockfile.Done, 5)); err != nil {
		t.Fatal(err)
	}
	if err := tx.Delete(e); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, d, All); len(got.Entries) > 0 {
		t.Errorf("removed, and yet there: %v", got)
	}
	var names []string
	for name := range storetest.Tree(t, d.Path) {
		names = append(names, name)
	}
	if len(names) != 3 || len(tx.warnings) > 0 {
		t.Errorf("left are %q and the warnings %q, want the directories and the mutex alone", names, tx.warnings)
	}
}

// wantEntry checks what a write returned, and that every way of reading finds
// the same.
func wantEntry(t *testing.T, d *Dir, e Entry, path string, serial int, done bool) {
	t.Helper()
	got, err := d.Get(t.Context(), e.Lock.ID)
	if err != nil {
		t.Fatal(err)
	}
	w, other := ActiveOnly, DoneOnly
	if done {
		w, other = other, w
	}
	l := listed(t, d, w)
	if len(l.Entries) != 1 || len(listed(t, d, All).Entries) != 1 || len(listed(t, d, other).Entries) != 0 {
		t.Fatalf("listed are %v (all: %v, the others: %v)", l, listed(t, d, All), listed(t, d, other))
	}
	for _, e := range []Entry{e, got, l.Entries[0]} {
		n, err := whole(e.File)
		if err != nil || n != serial || e.Path != path || e.Done() != done || e.Archived != done || e.Duplicate || e.Other != "" {
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
			d := at(t, storetest.NewCommon(t))
			d.link = link
			storetest.Put(t, filepath.Join(d.Path, stamp+"-x.md"), "not even a lock")
			storetest.Put(t, filepath.Join(d.Path, "done", stamp+"-x-2.md"), text(stamp+"-x-2", lockfile.Done, 0))
			if err := os.Mkdir(filepath.Join(d.Path, stamp+"-x-4.md"), 0o777); err != nil {
				t.Fatal(err)
			}
			before := storetest.Tree(t, d.Path)
			tx := locked(t, d)
			for _, want := range []string{stamp + "-x-3", stamp + "-x-5"} {
				e, err := tx.Create(stamp+"-x", fresh)
				if err != nil || e.Lock.ID != want {
					t.Fatalf("create = %q, %v; want %q", e.Lock.ID, err, want)
				}
				wantWhole(t, filepath.Join(d.Path, want+".md"))
			}
			after := storetest.Tree(t, d.Path)
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
			d := at(t, storetest.NewCommon(t))
			d.link = link
			tx := locked(t, d)
			id := stamp + "-x"
			storetest.Put(t, filepath.Join(d.Path, id+".md"), "somebody's")
			before := storetest.Tree(t, d.Path)
			if err := tx.createFile(id, made(t, id, lockfile.Active, 0)); !errors.Is(err, fs.ErrExist) {
				t.Errorf("appear: %v, want %v", err, fs.ErrExist)
			}
			if diff := cmp.Diff(before, storetest.Tree(t, d.Path)); diff != "" {
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
	common := storetest.NewCommon(t)
	storetest.Put(t, filepath.Join(common, "x.md"), text("x", lockfile.Active, 0))
	d := at(t, common)
	locked(t, d)
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden", "done/../../x", "2*", "x 2", filepath.Join(common, "x")} {
		if _, err := d.Get(t.Context(), id); !errors.Is(err, fault.BadInput) {
			t.Errorf("get(%q): %v, want %v", id, err, fault.BadInput)
		}
	}
}

func TestADirectoryThatCannotBeSyncedIsAWarning(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	d.sync = func(*os.Root) error { return syscall.EINVAL }
	tx := locked(t, d)
	tx.warnings = nil
	e, err := tx.Create(stamp+"-x", fresh)
	if err != nil || len(tx.warnings) != 1 {
		t.Fatalf("create: %v, warnings %q", err, tx.warnings)
	}
	tx.warnings = nil
	if e, err = tx.replaceFile(e, made(t, e.Lock.ID, lockfile.Active, 1)); err != nil || len(tx.warnings) != 1 {
		t.Fatalf("rewrite: %v, warnings %q", err, tx.warnings)
	}
	tx.warnings = nil
	if e, err = tx.finishFile(e, made(t, e.Lock.ID, lockfile.Done, 2)); err != nil || !e.Archived || len(tx.warnings) == 0 {
		t.Fatalf("finish: %v, %v, warnings %q", e, err, tx.warnings)
	}
	if !strings.Contains(tx.warnings[0], "cannot sync") {
		t.Errorf("warning %q", tx.warnings[0])
	}
}

// A file's content has reached the disk before the file gets its name, and the
// name has before the write is confirmed.
func TestWritesAreSynced(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	id := stamp + "-x"
	serial, did := 0, ""
	d.syncFile = func(f *os.File) error {
		did += "file "
		data, err := os.ReadFile(filepath.Join(d.Path, filepath.Base(f.Name())))
		if err != nil || !strings.Contains(string(data), fmt.Sprintf("- end %d\n", serial)) {
			t.Errorf("synced is %q, %v; want the whole of serial %d", data, err, serial)
		}
		for _, name := range []string{id + ".md", "done/" + id + ".md"} {
			placed, err := os.ReadFile(filepath.Join(d.Path, name))
			if err == nil && string(placed) == string(data) {
				t.Errorf("%s was put in place before it was synced", name)
			}
		}
		return f.Sync()
	}
	d.sync = func(r *os.Root) error {
		did += "dir "
		return atomicfile.SyncDir(r)
	}
	tx := locked(t, d)
	if _, err := tx.ensureDone(); err != nil {
		t.Fatal(err)
	}
	var e Entry
	for _, step := range []struct {
		name  string
		write func() (Entry, error)
		want  string
	}{
		{"create", func() (Entry, error) { return tx.Create(id, fresh) }, "file dir "},
		{"rewrite", func() (Entry, error) { return tx.replaceFile(e, made(t, id, lockfile.Active, serial)) }, "file dir "},
		{"finish", func() (Entry, error) { return tx.finishFile(e, made(t, id, lockfile.Done, serial)) }, "file dir dir dir "},
		{"reopen", func() (Entry, error) { return tx.reopenFile(e, made(t, id, lockfile.Active, serial)) }, "dir dir file dir "},
	} {
		did = ""
		var err error
		if e, err = step.write(); err != nil || did != step.want {
			t.Fatalf("%s: synced were %q, %v; want %q", step.name, did, err, step.want)
		}
		serial++
	}

	d.syncFile = func(*os.File) error { return syscall.EIO }
	before := storetest.Tree(t, d.Path)
	for name, write := range map[string]func() (Entry, error){
		"create":  func() (Entry, error) { return tx.Create(id, fresh) },
		"rewrite": func() (Entry, error) { return tx.replaceFile(e, made(t, id, lockfile.Active, serial)) },
		"finish":  func() (Entry, error) { return tx.finishFile(e, made(t, id, lockfile.Done, serial)) },
	} {
		if _, err := write(); !errors.Is(err, fault.StoreUnwritable) || !errors.Is(err, syscall.EIO) {
			t.Errorf("%s of what cannot be synced: %v, want %v", name, err, fault.StoreUnwritable)
		}
	}
	if diff := cmp.Diff(before, storetest.Tree(t, d.Path)); diff != "" {
		t.Errorf("what could not be synced left (-before +after):\n%s", diff)
	}
}
