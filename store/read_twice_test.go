package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

// A claim that reads twice distinguishes scopes whose concatenations are equal,
// and repeats the warnings of the first read.
func TestLookingTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	odd, plain := w.claim(w.main, "odd", "ODD"), w.claim(w.main, "plain", "PLAIN")
	w.write(odd+".md", strings.Replace(w.read(odd+".md"), "- ODD", `- "a\0b"`, 1))
	w.write(plain+".md", strings.Replace(w.read(plain+".md"), "- PLAIN", "- a\n  - b", 1))
	_, err := w.at(w.link).Create(background, store.CreateRequest{Title: "t", Scope: []string{"b"}, IfFree: true})
	wantCode(t, err, store.Conflict, plain)

	absolute := w.claim(w.main, "absolute", "ABSOLUTE")
	w.write(absolute+".md", strings.Replace(w.read(absolute+".md"), "- ABSOLUTE", "- "+w.main+"/src", 1))
	if err := os.MkdirAll(filepath.Join(w.main, ".git", "worktrees", "odd", "gitdir"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]store.CreateRequest{
		"plainly": {}, "if free": {IfFree: true}, "in turn": {WaitSeconds: ptr(600.0)},
	} {
		r.Title, r.Scope, r.AgentID = name, []string{"docs"}, ptr("me")
		a, err := w.at(w.main).Create(background, r)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(strings.Join(a.Warnings, "\n"), "absolute scopes that lie in none of the others count as overlapping"); n != 1 {
			t.Errorf("%s: warned %d times: %q", name, n, a.Warnings)
		}
	}
	// The worktrees that can be read are still known.
	_, err = w.at(w.link).Create(background, store.CreateRequest{Title: "t", Scope: []string{"src/a"}, IfFree: true})
	wantCode(t, err, store.Conflict, absolute)
}
