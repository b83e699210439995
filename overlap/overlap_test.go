package overlap

import "testing"

// parse is Parse of an entry that must be accepted.
func mustParse(t interface {
	Helper()
	Fatalf(string, ...any)
}, entry string, c Context) *Entry {
	t.Helper()
	e, err := Parse(entry, c)
	if err != nil {
		t.Fatalf("Parse(%q): %v", entry, err)
	}
	return e
}

// checkOverlap compares two entries in both orders and checks the example.
func checkOverlap(t testing.TB, a, b string, c Context, want bool) Result {
	t.Helper()
	x, y := mustParse(t, a, c), mustParse(t, b, c)
	r := x.Compare(y)
	if r.Overlap != want {
		t.Errorf("%q x %q: overlap %v (example %q), want %v", a, b, r.Overlap, r.Example, want)
	}
	if back := y.Compare(x); back != r {
		t.Errorf("%q x %q: %+v, but the other way round %+v", a, b, r, back)
	}
	if r.Overlap && r.Exact && !(x.Matches(r.Example) && y.Matches(r.Example)) {
		t.Errorf("%q x %q: example %q is covered by %v, %v", a, b, r.Example, x.Matches(r.Example), y.Matches(r.Example))
	}
	return r
}

// TestDesignTable is the table of the design's section 6.
func TestDesignTable(t *testing.T) {
	fold := Context{FoldCase: true}
	for _, tt := range []struct {
		a, b string
		c    Context
		want bool
	}{
		{a: "src/foo/**", b: "src/foo/bar.ts", want: true},
		{a: "src/foo/**", b: "src/**", want: true},
		{a: "src/foo/**", b: "src/foo", want: true},
		{a: "packages/foo/**", b: "packages/bar/**", want: false},
		{a: "*.ts", b: "src/foo/bar.ts", want: true},
		{a: "*.ts", b: "docs/readme.md", want: false},
		{a: "src/+(foo|bar)/**", b: "src/foo/util.ts", want: true},
		{a: "src/+(foo|bar)/**", b: "src/baz/util.ts", want: false},
		{a: "src/{foo,bar}/**", b: "src/bar/util.ts", want: true},
		{a: "src/{foo,bar}/**", b: "src/baz/util.ts", want: false},
		{a: "src/foo", b: "src/foo/x.ts", want: true},
		{a: "src/foo", b: "src/foobar.ts", want: false},
		{a: "src/a*", b: "src/*b", want: true},
		{a: "src/foo/*.rs", b: "src/*/bar.rs", want: true},
		{a: "src/*.ts", b: "src/*.tsx", want: false},
		{a: "src/*.ts", b: "src/sub/a.ts", want: false},
		{a: "src/*", b: "src/a/b.ts", want: true},
		{a: "packages/*", b: "packages/a/src/x.ts", want: true},
		{a: "**/*.test.ts", b: "src", want: true},
		{a: "**/*.test.ts", b: "src/foo.ts", want: false},
		{a: "a/**/z", b: "a/z", want: true},
		{a: "app/[id]/page.tsx", b: "app/[id]/page.tsx", want: true},
		{a: "app/[id]/page.tsx", b: "app/[slug]/page.tsx", want: false},
		{a: "README.md", b: "docs/README.md", want: false},
		{a: "src/foo.ts", b: "src/foo.ts/x", want: true},
		{a: "src/foo.ts", b: "**/*.test.ts", want: false},
		{a: "v1.2", b: "v1.2/x.go", want: true},
		{a: "Src/**", b: "src/foo.ts", want: false},
		{a: "Src/**", b: "src/foo.ts", c: fold, want: true},
		{a: `src\main.py`, b: "src/main.py", want: true},
		{a: `packages\api\**`, b: "packages/api/x.go", want: true},
		{a: `packages\api\**`, b: "packages/web/x.go", want: false},
		{a: "*.[jt]s", b: "a.js", want: true},
		{a: "*.[jt]s", b: "src/**/*.md", want: false},
		{a: "src/.?(x)", b: "src/.x", want: true},
		{a: "src/.?(x)", b: "src/a", want: false},
		{a: "./src//main.py", b: "src/main.py", want: true},
	} {
		checkOverlap(t, tt.a, tt.b, tt.c, tt.want)
	}
}

// A home directory that no shell has written out is not a name by accident.
func TestUnexpandedHomeIsRefused(t *testing.T) {
	for _, entry := range []string{"~", "~/", "~/src/**", " ~/x"} {
		if _, err := Parse(entry, Context{}); err == nil {
			t.Errorf("%q is accepted", entry)
		}
	}
	for entry, want := range map[string]string{"./~/x": "./~/x", "./~": "./~", "~x": "~x", "a/~/b": "a/~/b"} {
		if got := mustParse(t, entry, Context{}).String(); got != want {
			t.Errorf("%q is stored as %q, want %q", entry, got, want)
		}
		checkOverlap(t, entry, entry, Context{}, true)
	}
	if r := Stored("~/x", Context{}).Compare(mustParse(t, "./~/x", Context{})); !r.Overlap || r.Exact {
		t.Errorf("another tool's ~/x against ./~/x: %+v", r)
	}
}
