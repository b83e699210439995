package forecast

import (
	"os"
	"path/filepath"
	"testing"
)

// What all changed files have together is bounded, and so is each untracked one.
func TestRoomForFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, size := range map[string]int64{"a": 6, "b": 5, "c": 4, "large": 11} {
		err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	taker := &taker{side: &Side{Worktree: dir}, room: 10}
	for _, file := range []struct {
		name string
		fits bool
	}{{"large", false}, {"a", true}, {"b", false}, {"c", true}, {"gone", true}} {
		if fits := taker.fits(file.name, 10); fits != file.fits {
			t.Errorf("%s fits: %v", file.name, fits)
		}
	}
	var omitted []string
	for _, o := range taker.side.Omitted {
		omitted = append(omitted, o.Path)
	}
	if len(omitted) != 2 || omitted[0] != "large" || omitted[1] != "b" {
		t.Errorf("omitted: %q", omitted)
	}
}
