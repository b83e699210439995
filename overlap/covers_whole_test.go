package overlap

import "testing"

// What a scope only may cover, it does not cover whole.
func TestCoversWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entry, path string
		want        bool
	}{
		{"src", "src", true}, {"src/**", "src", true}, {"src/**", "src/a.go", true}, {"src/a.go", "src/a.go", true},
		{"src/a.go", "src", false}, {"src/*.go", "src", false}, {"lib", "src", false},
		{"src/!(b*)", "src/a.go", false}, {"src/!(b*)", "src/b.go", false},
	} {
		for _, path := range []string{c.path, c.path + "/"} {
			if got := (Scope{Stored(c.entry, Context{})}).CoversWhole(path); got != c.want {
				t.Errorf("%s covers %s whole: %v", c.entry, path, got)
			}
		}
	}
}
