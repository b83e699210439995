package paths

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSpellings(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/b", "c"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"to-a": "a", "a/up": "../c", "abs": filepath.Join(dir, "a", "b"), "to-file": "a/file", "dangling": "a/none/x",
		"loop": "loop", "twice": "to-a/up",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	s := func(in, rest string) Spelling { return Spelling{filepath.Join(dir, in), filepath.FromSlash(rest)} }
	for path, want := range map[string][]Spelling{
		"a/file":        {s("a", "file")},
		"a/./b/../file": {s("a", "file")},
		"a/new":         {s("a", "new")},
		"a/no/new":      {s("a", "no/new")},
		"a/no/../new":   {s("a", "new")},
		"to-a/file":     {s("", "to-a/file"), s("a", "file")},
		"to-a/no/new":   {s("", "to-a/no/new"), s("a", "no/new")},
		"to-a/up/x":     {s("", "to-a/up/x"), s("a", "up/x"), s("c", "x")},
		"a/up/../x":     {s("a", "x"), s("", "x")}, // the system resolves .. from the target of the link
		"abs/../x":      {s("", "x"), s("a", "x")},
		"to-file":       {s("", "to-file"), s("a", "file")},
		"dangling":      {s("", "dangling"), s("a", "none/x")},
		"twice/x":       {s("", "twice/x"), s("", "to-a/up/x"), s("a", "up/x"), s("c", "x")},
	} {
		if got := Spellings(dir + string(filepath.Separator) + filepath.FromSlash(path)); !slices.Equal(got, want) {
			t.Errorf("Spellings(%q) = %q, want %q", path, got, want)
		}
	}
	// Examining all parts of a hostile path would take seconds.
	long := dir + strings.Repeat(string(filepath.Separator)+"a", 100_000)
	if got := Spellings(long); len(got) != 1 || filepath.Join(got[0].Dir, got[0].Rest) != long {
		t.Errorf("a path of %d bytes has %d spellings", len(long), len(got))
	}
	if got := Spellings(filepath.Join(dir, "loop")); len(got) > maxLinks+1 {
		t.Errorf("a loop has %d spellings", len(got))
	}
}
