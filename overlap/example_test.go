package overlap_test

import (
	"errors"
	"fmt"

	"github.com/agent-locks/agent-locks/overlap"
)

// A caller's entry is compared with the scope of a lock. The example is a path that
// both cover.
func Example() {
	yours, err := overlap.Parse("src/foo/**", overlap.Context{})
	if err != nil {
		fmt.Println(err)
		return
	}
	theirs := overlap.Stored("*.{ts,tsx}", overlap.Context{})
	for _, p := range (overlap.Scope{yours}).Overlaps(overlap.Scope{theirs}) {
		fmt.Printf("%s and %s both cover %s\n", p.Yours, p.Theirs, p.Example)
	}
	// Output: src/foo/** and *.{ts,tsx} both cover src/foo/a.ts
}

// A refused entry says what is wrong with it, and the way out.
func ExampleParse_refused() {
	_, err := overlap.Parse("src/{a,b", overlap.Context{})
	fmt.Println(err)
	var refused *overlap.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Hint)
	}
	// Output:
	// scope entry "src/{a,b" has a { that is never closed
	// close it, or put a backslash before it if the name contains it
}

// What a plain entry is decides whether it covers what is under it.
func ExampleContext() {
	c := overlap.Context{
		Roots: []string{"/home/me/app"},
		Kind: func(path string) overlap.Kind {
			if path == "packages/socket.io" {
				return overlap.Dir
			}
			return overlap.Unknown
		},
	}
	e, err := overlap.Parse("/home/me/app/packages/socket.io", c)
	fmt.Println(e, err, e.Matches("packages/socket.io/index.js"))
	// Output: packages/socket.io/ <nil> true
}

// An entry that Parse refuses is still compared where a lock file has it, by what
// it literally begins with, and never beyond doubt.
func ExampleStored() {
	theirs := overlap.Stored("src/{a,b", overlap.Context{})
	for _, text := range []string{"src/a.ts", "docs/a.md"} {
		yours, err := overlap.Parse(text, overlap.Context{})
		if err != nil {
			fmt.Println(err)
			return
		}
		r := yours.Compare(theirs)
		fmt.Println(text, r.Overlap, r.Exact)
	}
	// Output:
	// src/a.ts true false
	// docs/a.md false false
}

// A guard asks about files, one by one.
func ExampleScope_Covering() {
	scope := overlap.Scope{
		overlap.Stored("src/!(gen)/**", overlap.Context{}),
		overlap.Stored("migrations/0[01]?_*.sql", overlap.Context{}),
	}
	for _, file := range []string{"migrations/007_users.sql", "migrations/021_roles.sql", "src/gen/a.go"} {
		covers, exactly := scope.Covering(file)
		fmt.Println(file, covers, exactly)
	}
	// Output:
	// migrations/007_users.sql true true
	// migrations/021_roles.sql false false
	// src/gen/a.go true false
}

// An entry for one file, whatever its name would mean as a pattern.
func ExampleLiteral() {
	fmt.Println(overlap.Literal("src/a.ts", false))
	fmt.Println(overlap.Literal("[id].ts", false))
	// Output:
	// src/a.ts
	// \[id\].ts
}
