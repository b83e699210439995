package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whatever fails, nothing is left behind, and an existing file stays.
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

// Afterwards, only the file itself is there.
func TestWriteTakesOnlyThePlaceThatItMay(t *testing.T) {
	t.Parallel()
	then := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		there   bool
		options Options
		want    error
		text    string // "" for no file
	}{
		"a new file":         {false, Options{New: true, ModTime: then}, nil, "new"},
		"over another one":   {true, Options{ModTime: then}, nil, "new"},
		"not over another":   {true, Options{New: true}, fs.ErrExist, "old"},
		"broken off":         {true, Options{Sync: func(*os.File) error { return broken }}, broken, "old"},
		"broken off, no old": {false, Options{Sync: func(*os.File) error { return broken }}, broken, ""},
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
			if c.there {
				if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c.options.Mode = 0o600
			if err := Write(root, ".unfinished", "x", []byte("new"), c.options); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			names, err := filepath.Glob(filepath.Join(dir, "*"))
			hidden, err2 := filepath.Glob(filepath.Join(dir, ".*"))
			if err := errors.Join(err, err2); err != nil || len(hidden) > 0 || (len(names) > 0) != (c.text != "") {
				t.Fatalf("there are %q, %q, %v", names, hidden, err)
			}
			if c.text == "" {
				return
			}
			text, err := os.ReadFile(path)
			if err != nil || string(text) != c.text {
				t.Errorf("there is %q, %v", text, err)
			}
			fi, err := os.Stat(path)
			if err != nil || !c.options.ModTime.IsZero() && !fi.ModTime().Equal(then) {
				t.Errorf("modified at %v, %v", fi.ModTime(), err)
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
