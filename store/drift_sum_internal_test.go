package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// files returns n files in a directory.
func files(dir string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%sf%04d.js", dir, i))
	}
	return out
}

func TestDirectoriesStandForTheirFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		paths []string
		limit int
		want  string
	}{
		"few enough":                {[]string{"a", "b/c"}, 2, "a|b/c"},
		"one big directory":         {slices.Concat(files("gen/", 3000), []string{"go.mod", "src/a.go"}), 10, "gen/ (3000 files)|go.mod|src/a.go"},
		"below one directory":       {slices.Concat(files("a/b/c/", 20), files("a/b/d/", 20)), 5, "a/b/c/ (20 files)|a/b/d/ (20 files)"},
		"small ones are listed":     {slices.Concat(files("a/", 50), files("b/", 3), files("c/", 50)), 6, "a/ (50 files)|b/f0000.js|b/f0001.js|b/f0002.js|c/ (50 files)"},
		"a root of too many":        {files("", 10), 3, "f0000.js|f0001.js|./ (8 files)"},
		"one line":                  {slices.Concat(files("a/b/", 9), files("a/c/", 9)), 1, "a/ (18 files)"},
		"one line for all":          {slices.Concat(files("a/", 9), files("b/", 9)), 1, "./ (18 files)"},
		"a name beside a directory": {slices.Concat([]string{"a-b", "a.b"}, files("a/", 9)), 3, "a-b|a.b|a/ (9 files)"},
	} {
		if got := strings.Join(summed(slices.Sorted(slices.Values(c.paths)), c.limit), "|"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Whatever the paths are, there are no more lines than asked for, and each path
// is in exactly one of them.
func TestSumsCoverAndCountEachPath(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		paths := sorted(rapid.SliceOfN(rapid.StringMatching(`([ab.-]{1,2}/){0,3}[ab]{1,3}`), 1, 60).Draw(t, "paths"))
		limit := rapid.IntRange(1, 70).Draw(t, "limit")
		lines := summed(paths, limit)
		if len(lines) > limit && len(lines) != len(paths) || len(lines) > max(limit, 1) {
			t.Fatalf("%d lines, limit %d", len(lines), limit)
		}
		count := 0
		for _, line := range lines {
			n := 1
			if dir, many := SummedDirectory(line); many {
				if _, err := fmt.Sscanf(strings.TrimPrefix(line, dir), " (%d files)", &n); err != nil || n < 2 {
					t.Fatalf("%q: %v", line, err)
				}
			} else if !slices.Contains(paths, line) {
				t.Fatalf("%q is not a path", line)
			}
			count += n
		}
		if count != len(paths) {
			t.Fatalf("%d files of %d in %q", count, len(paths), lines)
		}
	})
}
