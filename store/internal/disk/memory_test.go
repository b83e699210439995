package disk

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// A call opens a file a second time only if the file has changed, in whatever
// way.
func TestAFileIsReadAgainWhereItChanged(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	path := func(name string) string { return filepath.Join(common, Name, stamp+"-"+name+Extension) }
	old := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	put := func(name, text string, at time.Time) {
		t.Helper()
		storetest.Put(t, path(name), text)
		if err := os.Chtimes(path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	textOf := func(name string, serial int) string { return text(stamp+"-"+name, lockfile.Active, serial) }
	const one, other = 10000, 19000 // for texts of the same length
	names := []string{"same", "longer", "later", "replaced", "fresh"}
	for _, name := range names {
		put(name, textOf(name, one), old)
	}
	put("fresh", textOf("fresh", one), time.Now().Add(time.Minute)) // later than this test will read it

	d := at(t, common)
	first := byID(listed(t, d, ActiveOnly))
	put("longer", textOf("longer", one+1), old)
	put("later", textOf("later", other), old.Add(time.Microsecond)) // of the same length
	put("new", textOf("replaced", other), old)
	if err := os.Rename(path("new"), path("replaced")); err != nil {
		t.Fatal(err)
	}
	fresh := first[stamp+"-fresh"].File
	put("fresh", textOf("fresh", other), modifiedAt(t, path("fresh")))

	second := byID(listed(t, d, ActiveOnly))
	for name, again := range map[string]bool{"same": false, "longer": true, "later": true, "replaced": true} {
		id := stamp + "-" + name
		if got := first[id].File != second[id].File; got != again {
			t.Errorf("%s: read again %v, want %v", name, got, again)
		}
	}
	if second[stamp+"-fresh"].File == fresh {
		t.Error("a file that was read just after it was written is not read again, and may have been written twice at one time")
	}
}

func byID(l Listing) map[string]Entry {
	entries := map[string]Entry{}
	for _, e := range l.Entries {
		entries[e.Lock.ID] = e
	}
	return entries
}

func modifiedAt(t *testing.T, path string) time.Time {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi.ModTime()
}
