package overlap

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// hostileScope is a scope of many long entries, no two of which are equal, and
// each of which takes its time against the others.
func hostileScope(n int, mark string) []string {
	kinds := []string{
		strings.Repeat("*a", 1900) + "b",
		strings.Repeat("**/a/", 780) + "b",
		strings.Repeat("{a,b,*}", 560) + "c",
		strings.Repeat("{**,a*,*b}/", 340) + "x",
		strings.Repeat("**/*a*/{*b*,**/c}/", 200) + "y",
		strings.Repeat("*(", 900) + "a|b" + strings.Repeat(")", 900),
		strings.Repeat("[!-\uffff]", 400) + "z",
		"/" + strings.Repeat("a/", 1900) + "w",
	}
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf("%s%s%d", kinds[i%len(kinds)], mark, i))
	}
	return texts
}

func storedScope(texts []string, c Context) Scope {
	scope := make(Scope, len(texts))
	for i, text := range texts {
		scope[i] = Stored(text, c)
	}
	return scope
}

// hostileContext reads the entries of one call.
func hostileContext() Context {
	return Context{FoldCase: true, Budget: NewBudget(), Roots: []string{"/repo"}, Resolve: func(abs string) string { return abs }}
}

// TestBudget: a call costs no more than one budget, and then what is undecided
// reads as a possible overlap, and what was plain stays so.
func TestBudget(t *testing.T) {
	c := hostileContext()
	if testing.Short() {
		c.Budget.left.Store(callBudget / 8)
	}
	mine := storedScope(hostileScope(64, "p"), c)
	for range 4 {
		mine.Overlaps(storedScope(hostileScope(180, "q"), c))
	}
	if !c.Budget.spent() {
		t.Fatal("the budget is not spent: the scopes are not hostile")
	}
	// Each entry may still be read once.
	if over, most := -c.Budget.left.Load(), int64(callBudget/4); over > most {
		t.Errorf("%d units over the budget, at most %d", over, most)
	}
	a, b := Stored("src/*a/x", c), Stored("src/b*/y", c)
	if r := a.Compare(b); !r.Overlap || r.Exact || r.Example == "" {
		t.Errorf("undecided reads as %+v", r)
	}
	if r := Stored("src/{a,b}/x", c).Compare(Stored("lib/{a,b}/x", c)); r.Overlap || r.Exact {
		t.Errorf("other literal prefixes: %+v", r)
	}
	if r := Stored("src", c).Compare(Stored("src/a.ts", c)); !r.Overlap || !r.Exact {
		t.Errorf("plain names: %+v", r)
	}
	if r := Stored("{a,b}*", c).Compare(Stored("{a,b}*", c)); !r.Overlap || r.Exact || r.Example == "" {
		t.Errorf("the same pattern twice, with nothing left to read it: %+v", r)
	}
	c.Budget.Refill()
	if r := a.Compare(b); r.Overlap || !r.Exact {
		t.Errorf("with a new budget: %+v", r)
	}
}

// TestPathsSpendNothing: what is said of a path does not depend on how many were
// asked about before, and an entry that is not read any more says yes, perhaps.
func TestPathsSpendNothing(t *testing.T) {
	c := Context{Budget: NewBudget()}
	read := storedScope([]string{"**/[ab]_test.*", "src/*/{x,y}/**", "vendor/**/!(a)/b/*"}, c)
	late := Stored("lib/*/{x,y}.*", c)
	ask := func() string {
		said := ""
		for _, e := range read {
			for _, path := range []string{"src/p/x/q.go", "src/p/z/q.go", "vendor/p/q/b/r", "vendor/p/q/c/r", "p/a_test.go", "p/c_test.go"} {
				covers, exact := e.covers(path)
				said += fmt.Sprintln(e, path, covers, exact)
			}
		}
		return said
	}
	want := ask() // compiles them
	left := c.Budget.left.Load()
	for i := range 5000 {
		read.Covers(fmt.Sprintf("vendor/pkg%d/c/file_%d.go", i%97, i))
	}
	if now := c.Budget.left.Load(); now != left {
		t.Errorf("5000 paths took %d off the budget", left-now)
	}
	c.Budget.left.Store(0)
	if got := ask(); got != want {
		t.Errorf("with the budget spent:\n%swant:\n%s", got, want)
	}
	for range 2 {
		if covers, exact := late.covers("lib/p/z.go"); !covers || exact {
			t.Errorf("an entry that was not compiled in time: %v, %v", covers, exact)
		}
	}
	c.Budget.Refill()
	if covers, exact := late.covers("lib/p/z.go"); covers || !exact {
		t.Errorf("with a new budget: %v, %v", covers, exact)
	}
}

// TestSpentMissesNothing: whatever meets by rights meets without a budget too.
func TestSpentMissesNothing(t *testing.T) {
	spent := Context{Budget: &Budget{}, Roots: []string{"/repo"}}
	full := Context{Roots: []string{"/repo"}}
	texts := []string{"a*.ts", "a[b]*.ts", "src/ab.ts", "ab.ts", "src/{a,b}/x.ts", "src/a/x.ts", `a\]b/{x,y}`, `a\]b/x`, "!(x)", "./*.ts",
		"src/./a/[x].ts", "s/../src/[a]b.ts", "src/[a]/../a/x.ts", "/repo/src/[a]b.ts", "/repo/src/a*", "**", "", "*{a", "Src/**"}
	for _, ta := range texts {
		for _, tb := range texts {
			want := Stored(ta, full).Compare(Stored(tb, full)).Overlap
			a, b := Stored(ta, spent), Stored(tb, spent)
			if r := a.Compare(b); want && !r.Overlap || r != b.Compare(a) {
				t.Errorf("%q x %q: %+v, and %+v; with a budget %v", ta, tb, r, b.Compare(a), want)
			}
			for _, p := range []string{"ab.ts", "src/ab.ts", "src/a/x.ts", "a]b/x"} {
				if Stored(ta, full).Matches(p) && !a.Matches(p) {
					t.Errorf("%q does not cover %q", ta, p)
				}
			}
		}
	}
}

// TestBudgetIsAmple: scopes that were not made to be slow leave most of it.
func TestBudgetIsAmple(t *testing.T) {
	for _, mine := range gittest.Some(1, [][]string{
		{"packages/pkg7/**", "docs/*.md", "src/routes/area1*/a.tsx", "tools/build.go", "src/module9/index.ts"},
		{"**/*.test.ts", "*.go", "packages/pkg7/**", "src/module9/index.ts", "src/**/*.css"},
		{"**/*.test.ts", "**/[a-z]*/*.tsx", "**/{index,types}.*", "**/src/**/x", "src/**/*.ts"},
	}) {
		c := Context{FoldCase: true, Budget: NewBudget()}
		scope := storedScope(mine, c)
		for _, texts := range storedScopes(1000) {
			scope.Overlaps(storedScope(texts, c))
		}
		if left := c.Budget.left.Load(); left < callBudget/2 {
			t.Errorf("%q against 1000 locks leaves %d of %d", mine, left, callBudget)
		} else {
			t.Logf("%q leaves %d%%", mine, 100*left/callBudget)
		}
	}
}

// TestBudgetIsShared is for the race detector.
func TestBudgetIsShared(t *testing.T) {
	c := Context{Budget: NewBudget()}
	a, b := Stored("src/**/*.ts", c), Stored("src/{a,b}/[id]/*", c)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if !a.Compare(b).Overlap || !Stored("src/[a]/**", c).Compare(b).Overlap {
				t.Error("no overlap")
			}
		})
	}
	wg.Wait()
}

// What one path may cost is bounded: an entry that was made to be slow covers
// with a doubt what would take too long, and one that was not is decided for the
// longest of paths.
func TestPathsAreBounded(t *testing.T) {
	t.Parallel()
	path := strings.Repeat("a", 200)
	slow := mustParse(t, strings.Repeat("*(", 900)+"a|b"+strings.Repeat(")", 900), Context{})
	if covers, exact := slow.covers(path); !covers || exact {
		t.Errorf("a hostile entry: covers %v, exact %v", covers, exact)
	}
	long := strings.Repeat("directory/", 400) + "file.ts"
	for text, want := range map[string]bool{"**/*.ts": true, "**/*_test.ts": false, "directory/**/{file,other}.[tj]s": true} {
		if covers, exact := mustParse(t, text, Context{}).covers(long); covers != want || !exact {
			t.Errorf("%s: covers %v, exact %v", text, covers, exact)
		}
	}
}

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
