package lockfile_test

import (
	"fmt"

	"github.com/agent-locks/agent-locks/lockfile"
)

// An edit changes only the lines that it is about: what other tools wrote into
// the file stays.
func ExampleFile_With() {
	file, err := lockfile.Parse("2026-07-17T18-45-12-add-rate-limiting", []byte(`---
id: 2026-07-17T18-45-12-add-rate-limiting
status: active
created: 2026-07-17T18-45-12
scope:
  - src/api/** # the whole of it
ticket: API-12
---

# Add rate limiting

- [ ] Write the limiter
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	edited, err := file.With(lockfile.Edit{
		Tick:     []lockfile.Tick{{Index: 0, Done: true}},
		AddNotes: []string{"429 answers carry Retry-After"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(edited.Bytes()))
	// Output:
	// ---
	// id: 2026-07-17T18-45-12-add-rate-limiting
	// status: active
	// created: 2026-07-17T18-45-12
	// scope:
	//   - src/api/** # the whole of it
	// ticket: API-12
	// ---
	//
	// # Add rate limiting
	//
	// - [x] Write the limiter
	//
	// ## Notes
	// - 429 answers carry Retry-After
}

// The slug of an id comes from the title or, where nothing of it is left, from
// the scope.
func ExampleSlug() {
	fmt.Println(lockfile.Slug("Éclairs: the menu!", nil))
	fmt.Println(lockfile.Slug("登录", []string{"**/src", "web/login"}))
	// Output:
	// eclairs-the-menu
	// src
}
