package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// After a directory was listed, another file may replace a lock's. It is read
// only if it is a regular file.
func TestFileReplacedBeforeItIsOpened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replace func(path string) error
		want    string // expected content; "" for an error
	}{
		"nothing happens": {func(string) error { return nil }, "old"},
		"by another file": {func(path string) error { return os.WriteFile(path, []byte("new"), 0o666) }, "new"},
		"by a link":       {func(path string) error { return os.Symlink("elsewhere", path) }, ""},
		"by a directory":  {func(path string) error { return os.Mkdir(path, 0o777) }, ""},
		"by nothing":      {func(path string) error { return nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			common := storetest.NewCommon(t)
			path := filepath.Join(common, Name, "x.md")
			storetest.Put(t, path, "old")
			storetest.Put(t, filepath.Join(common, Name, "elsewhere"), "somebody's")
			d := at(t, common)
			if _, err := d.active.Names(); err != nil {
				t.Fatal(err)
			}
			if c.want != "old" {
				// Renamed, not removed, so that the new file cannot get its
				// inode.
				if err := os.Rename(path, path+"-old"); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.replace(path); err != nil {
				t.Skip("cannot do that here: ", err)
			}
			data, err := d.active.ReadFile("x.md")
			if string(data) != c.want || (err == nil) != (c.want != "") {
				t.Errorf("read %q, %v; want %q", data, err, c.want)
			}
		})
	}
}

// A lock that is finished and reopened during a search is found.
func TestLockThatMovesIsFound(t *testing.T) {
	t.Parallel()
	id := stamp + "-x"
	for name, c := range map[string]struct {
		seenInDone bool
		at         []string // where it is at each read
		archived   bool
	}{
		"finished":              {false, []string{"done", "done"}, true},
		"finished and reopened": {false, []string{"done", ".", "."}, false},
		"reopened":              {true, []string{".", "."}, false},
		"reopened and finished": {true, []string{".", "done", "done"}, true},
		"nowhere":               {false, []string{"elsewhere", "elsewhere", "elsewhere"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			common := storetest.NewCommon(t)
			store := filepath.Join(common, Name)
			path := filepath.Join(store, id+".md")
			storetest.Put(t, path, text(id, lockfile.Active, 1))
			for _, name := range []string{"done", "elsewhere"} {
				if err := os.Mkdir(filepath.Join(store, name), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			d := at(t, common)
			looks := 0
			d.Now = func() time.Time { // called before each read
				to := filepath.Join(store, c.at[looks], id+".md")
				if err := os.Rename(path, to); err != nil {
					t.Error(err)
				}
				path = to
				looks++
				return time.Now()
			}
			found := d.newSearch(t.Context(), nil).find(id, c.seenInDone)
			if name == "nowhere" {
				if found.entry != nil || len(found.bad) > 0 || looks != 3 {
					t.Errorf("found %v after %d looks", found, looks)
				}
				return
			}
			if found.entry == nil || found.entry.Archived != c.archived || looks != len(c.at) {
				t.Fatalf("found %+v after %d looks, want it archived %v after %d", found, looks, c.archived, len(c.at))
			}
		})
	}
}

func TestGetOfALockThatIsGone(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	tx := locked(t, d)
	e, err := tx.Create(stamp+"-x", fresh)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(e.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(t.Context(), e.Lock.ID); !errors.Is(err, fault.LockNotFound) {
		t.Errorf("get: %v, want %v", err, fault.LockNotFound)
	}
}

// A lock that is finished after it was read is not reported in two places.
func TestLockThatMovesAfterItWasRead(t *testing.T) {
	t.Parallel()
	id := stamp + "-x"
	d := at(t, storetest.NewCommon(t))
	tx := locked(t, d)
	e, err := tx.Create(id, fresh)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.finishFile(e, made(t, id, lockfile.Done, 1)); err != nil {
		t.Fatal(err)
	}
	found := d.newSearch(t.Context(), nil).bothPlaces(id, finding{entry: &e})
	if got := found.entry; got == nil || !got.Archived || got.Duplicate || found.note != "" {
		t.Errorf("found %+v, want the finished lock alone", found)
	}
}
