package overlap

import "testing"

// compiled reports whether an automaton was built for the entry.
func (e *Entry) compiled() bool { return e.prog.states != nil }

// TestEasyPairsBuildNoAutomaton: what shows in how two entries begin,
// or that they are equal, is.
func TestEasyPairsBuildNoAutomaton(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"src/components/**", "src/components/**", true},
		{"app/[id]/*.{ts,tsx}", "app/[id]/*.{ts,tsx}", true},
		{"src/foo", "src/foo/bar.ts", true},
		{"src/foo.ts", "src/bar.ts", false},
		{"frontend/src/**/*.ts", "backend/{a,b}/*.ts", false},
		{"src/{a,b}/**", "srcs/[ab]*", false},
		{"src/**/*.rs", "src/a*.ts", false},
	} {
		a, b := mustParse(t, tt.a, Context{}), mustParse(t, tt.b, Context{})
		if r := a.Compare(b); r.Overlap != tt.want || !r.Exact {
			t.Errorf("%q x %q: %+v, want %v", tt.a, tt.b, r, tt.want)
		}
		if a.compiled() || b.compiled() {
			t.Errorf("%q x %q: compiled %v and %v", tt.a, tt.b, a.compiled(), b.compiled())
		}
	}
}

// TestEntriesAreCompiledOnce: however many others one is compared with.
func TestEntriesAreCompiledOnce(t *testing.T) {
	e := mustParse(t, "src/{a,b}/**/*.ts", Context{})
	var first *state
	for _, other := range []string{"src/*/x.ts", "src/a*/**", "src/b/*.ts", "src/?/y.ts"} {
		if r := e.Compare(mustParse(t, other, Context{})); !r.Overlap {
			t.Fatalf("%q: %+v", other, r)
		}
		if !e.Matches("src/a/x.ts") || !e.compiled() {
			t.Fatal("it is not compiled")
		}
		if first == nil {
			first = &e.prog.states[0]
		}
		if &e.prog.states[0] != first {
			t.Errorf("it is compiled again for %q", other)
		}
	}
}
