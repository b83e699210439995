package render

import "testing"

func TestOnPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"src/a.go", "\u00e9"}, "git reset -q -- :/src/a.go ':/\u00e9'"},
		{[]string{"_a"}, "git reset -q -- ':(top,literal)_a'"}, // :/_ is magic that git does not know
		{[]string{"app/[id].ts"}, "git reset -q -- ':(top,literal)app/[id].ts'"},
		{[]string{"a", "b\n"}, `printf ':/a\000:/b\012\000' | git reset -q --pathspec-from-file=- --pathspec-file-nul`},
	} {
		if got := OnPaths("git reset -q", c.paths); got != c.want {
			t.Errorf("%q: %s, want %s", c.paths, got, c.want)
		}
	}
}
