package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	now := time.Now()
	ages := map[string]time.Duration{
		temporary + "old":      61 * time.Minute,
		temporary + "young":    59 * time.Minute,
		temporary + "future":   -time.Hour,
		".other":               100 * time.Hour,
		stamp + "-old.md":      100 * time.Hour,
		"notes.txt":            100 * time.Hour,
		"done/.tmp-in-archive": 100 * time.Hour,
	}
	for name, age := range ages {
		path := filepath.Join(d.path, filepath.FromSlash(name))
		put(t, path, "x")
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	h := locked(t, d)
	left := tree(t, d.path)
	for name := range ages {
		if _, there := left[name]; there == (name == temporary+"old") {
			t.Errorf("%s is there: %v", name, there)
		}
	}
	if len(h.warnings) > 0 {
		t.Errorf("warnings: %q", h.warnings)
	}
}
