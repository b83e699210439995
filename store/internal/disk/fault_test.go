package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// planted returns a store with one good lock beside planted files, and the
// expected reason for each of those.
func planted(t *testing.T) (common string, wanted map[string]string) {
	t.Helper()
	common = storetest.NewCommon(t)
	path := func(name string) string { return filepath.Join(common, Name, filepath.FromSlash(name)) }
	good := stamp + "-good"
	storetest.Put(t, path(good+".md"), text(good, lockfile.Active, 1))
	storetest.Put(t, path("empty.md"), "")
	storetest.Put(t, path("torn.md"), text("torn", lockfile.Active, 1)[:60])
	storetest.Put(t, path("bin.md"), "\377\376")
	storetest.Put(t, path("x 2.md"), text("x 2", lockfile.Active, 1))
	if err := os.Mkdir(path("dir.md"), 0o777); err != nil {
		t.Fatal(err)
	}
	sparse(t, path("sparse.md"), 2<<30)
	sparse(t, path("big.md"), lockfile.MaxFile+1)
	wanted = map[string]string{
		"empty.md":  "",
		"torn.md":   "",
		"bin.md":    "UTF-8",
		"x 2.md":    "not a lock id",
		"dir.md":    "a directory",
		"sparse.md": "2147483648 bytes",
		"big.md":    "1048577 bytes",
	}
	storetest.Put(t, filepath.Join(common, "secret.md"), text("secret", lockfile.Active, 1))
	for name, target := range map[string]string{
		"dangling.md": "nowhere",
		"out.md":      filepath.Join(common, "secret.md"),
		"up.md":       "../secret.md",
		"within.md":   good + ".md",
		"loop.md":     "loop.md",
	} {
		if err := os.Symlink(target, path(name)); err != nil {
			t.Logf("no symbolic links here: %v", err)
			continue
		}
		wanted[name] = "a symbolic link"
	}
	plantOS(t, filepath.Join(common, Name), wanted)
	return common, wanted
}

// sparse creates a sparse file of that size.
func sparse(t *testing.T, path string, size int64) {
	t.Helper()
	storetest.Put(t, path, "")
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

func TestBadFilesAreReportedAndHideNothing(t *testing.T) {
	t.Parallel()
	common, wanted := planted(t)
	d := at(t, common)
	before := storetest.Tree(t, filepath.Join(common, "secret.md"))
	tx := locked(t, at(t, common))
	for name, l := range map[string]Listing{
		"active":     listed(t, d, ActiveOnly),
		"all":        listed(t, d, All),
		"done":       listed(t, d, DoneOnly),
		"for writes": listed(t, tx.Dir, ActiveOnly),
	} {
		if want := name != "done"; (len(l.Entries) == 1) != want {
			t.Errorf("%s: the good lock is listed: %v", name, !want)
		}
		got := map[string]string{}
		for _, f := range l.Bad {
			got[filepath.Base(f.Path)] = f.Reason
			if filepath.Dir(f.Path) != d.Path {
				t.Errorf("%s: fault outside the store: %v", name, f)
			}
		}
		for file, reason := range wanted {
			if why, reported := got[file]; !reported || !strings.Contains(why, reason) {
				t.Errorf("%s: %s is reported as %q, want %q", name, file, why, reason)
			}
		}
		if len(got) != len(wanted) {
			t.Errorf("%s: reported are %v", name, got)
		}
	}
	for file := range wanted {
		id := strings.TrimSuffix(file, ".md")
		if _, err := d.Get(t.Context(), id); !errors.Is(err, fault.BadInput) {
			t.Errorf("get(%q): %v, want %v", id, err, fault.BadInput)
		}
	}
	if diff := cmp.Diff(before, storetest.Tree(t, filepath.Join(common, "secret.md"))); diff != "" {
		t.Errorf("a file outside changed:\n%s", diff)
	}
}

// Nothing is ever written through something that is in place of a directory or
// the mutex.
func TestPlantedPlaces(t *testing.T) {
	t.Parallel()
	id := stamp + "-x"
	for name, plant := range map[string]func(path string) error{
		"file":      func(path string) error { return os.WriteFile(path, []byte("a file"), 0o666) },
		"link out":  func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "elsewhere"), path) },
		"link here": func(path string) error { return os.Symlink(".", path) },
		"dangling":  func(path string) error { return os.Symlink("nowhere", path) },
	} {
		t.Run("store is "+name, func(t *testing.T) {
			t.Parallel()
			common := storetest.NewCommon(t)
			if err := os.Mkdir(filepath.Join(common, "elsewhere"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := plant(filepath.Join(common, Name)); err != nil {
				t.Skip("cannot plant it here: ", err)
			}
			_, err := Open(storetest.RepoAt(common))
			var e *fault.Error
			if !errors.Is(err, fault.StoreUnwritable) || !errors.As(err, &e) || !strings.Contains(e.Message, filepath.Join(common, Name)) || e.Hint == "" {
				t.Errorf("open: %v, want %v, its path and a way out", err, fault.StoreUnwritable)
			}
			if got, err := os.ReadDir(filepath.Join(common, "elsewhere")); err != nil || len(got) > 0 {
				t.Errorf("written elsewhere: %v %v", got, err)
			}
		})
		t.Run("done is "+name, func(t *testing.T) {
			t.Parallel()
			common := storetest.NewCommon(t)
			path := filepath.Join(common, Name, "done")
			storetest.Put(t, filepath.Join(common, Name, id+".md"), text(id, lockfile.Active, 1))
			if err := os.Mkdir(filepath.Join(common, Name, "elsewhere"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := plant(path); err != nil {
				t.Skip("cannot plant it here: ", err)
			}
			d := at(t, common)
			for _, w := range []Which{ActiveOnly, All} {
				l := listed(t, d, w)
				if len(l.Entries) != 1 || len(l.Bad) != 1 || l.Bad[0].Path != path {
					t.Errorf("listed: %v, want the lock, and one fault for %s", l, path)
				}
			}
			tx := locked(t, d)
			e, err := tx.Dir.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			before := storetest.Tree(t, common)
			if _, err := tx.finishFile(e, made(t, id, lockfile.Done, 2)); !errors.Is(err, fault.StoreUnwritable) {
				t.Errorf("finish: %v, want %v", err, fault.StoreUnwritable)
			}
			if _, err := tx.Create(id, fresh); !errors.Is(err, fault.StoreUnwritable) {
				t.Errorf("create: %v, want %v", err, fault.StoreUnwritable)
			}
			if diff := cmp.Diff(before, storetest.Tree(t, common)); diff != "" {
				t.Errorf("changed (-before +after):\n%s", diff)
			}
			if _, err := tx.replaceFile(e, made(t, id, lockfile.Active, 2)); err != nil {
				t.Errorf("an active lock is no worse for it: %v", err)
			}
		})
		if name == "file" { // as it should be
			continue
		}
		t.Run("mutex is "+name, func(t *testing.T) {
			t.Parallel()
			common := storetest.NewCommon(t)
			path := filepath.Join(common, Name, mutexName)
			storetest.Put(t, filepath.Join(common, Name, id+".md"), text(id, lockfile.Active, 1))
			storetest.Put(t, filepath.Join(common, Name, "elsewhere"), "")
			if err := plant(path); err != nil {
				t.Skip("cannot plant it here: ", err)
			}
			before := storetest.Tree(t, common)
			d := at(t, common)
			if _, err := d.lock(t.Context()); !errors.Is(err, fault.StoreUnwritable) {
				t.Errorf("lock: %v, want %v", err, fault.StoreUnwritable)
			}
			if diff := cmp.Diff(before, storetest.Tree(t, common)); diff != "" {
				t.Errorf("changed (-before +after):\n%s", diff)
			}
			ids(t, listed(t, d, All))
		})
	}
}
