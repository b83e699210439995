package overlap_test

import (
	"fmt"

	"github.com/agent-locks/agent-locks/overlap"
)

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

func ExampleParse_refused() {
	_, err := overlap.Parse("src/{a,b", overlap.Context{})
	fmt.Println(err)
	// Output: scope entry "src/{a,b" has a { that is never closed
}
