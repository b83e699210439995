package disk

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	now := time.Now()
	ages := map[string]time.Duration{
		temporaryPrefix + "old":    61 * time.Minute,
		temporaryPrefix + "young":  59 * time.Minute,
		temporaryPrefix + "future": -time.Hour,
		".other":                   100 * time.Hour,
		stamp + "-old.md":          100 * time.Hour,
		"notes.txt":                100 * time.Hour,
		"done/.tmp-in-archive":     100 * time.Hour,
	}
	for name, age := range ages {
		path := filepath.Join(d.Path, filepath.FromSlash(name))
		storetest.Put(t, path, "x")
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(d.Path, temporaryPrefix+"old-dir") // of a repository that was made, or removed
	storetest.Put(t, filepath.Join(dir, "objects", "x"), "x")
	if err := os.Chtimes(dir, now.Add(-2*time.Hour), now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	tx := locked(t, d)
	if _, err := os.Lstat(dir); err == nil {
		t.Errorf("%s is there", dir)
	}
	left := storetest.Tree(t, d.Path)
	for name := range ages {
		if _, there := left[name]; there == (name == temporaryPrefix+"old") {
			t.Errorf("%s is there: %v", name, there)
		}
	}
	if len(tx.warnings) > 0 {
		t.Errorf("warnings: %q", tx.warnings)
	}
}
