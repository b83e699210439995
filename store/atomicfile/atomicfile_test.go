package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Whatever goes wrong on the way, nothing is left, and an existing file stays.
func TestTemporaryIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	fail := func(*os.File) error { return broken }
	for name, c := range map[string]struct {
		options Options
		want    error
	}{
		"written":       {Options{Mode: 0o600}, nil},
		"not prepared":  {Options{Mode: 0o600, Prepare: fail}, broken},
		"not synced":    {Options{Mode: 0o600, Sync: fail}, broken},
		"there already": {Options{Mode: 0o600}, fs.ErrExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			path := filepath.Join(dir, "x")
			if c.want == fs.ErrExist {
				if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := Temporary(root, "x", []byte("new"), c.options); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			text, err := os.ReadFile(path)
			switch {
			case c.want == nil && (err != nil || string(text) != "new"),
				c.want == broken && !errors.Is(err, fs.ErrNotExist),
				c.want == fs.ErrExist && string(text) != "old":
				t.Errorf("there is %q, %v", text, err)
			}
		})
	}
}

func TestRenameAndRemove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"a", "b"} {
		if err := Temporary(root, name, []byte(name), Options{Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(Rename(root, "a", "b"), SyncDir(root)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(text) != "a" {
		t.Errorf("b holds %q, %v", text, err)
	}
	if err := Remove(root, "b"); err != nil {
		t.Fatal(err)
	}
	if err := Remove(root, "b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed twice: %v", err)
	}
}
