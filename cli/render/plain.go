// Package render writes the answers of the store as text for people: tables,
// reports and the commands to type next.
//
// Each function takes a value of the store's and a writer; none asks anything
// of the system. What comes out of lock files is other people's text: it passes
// through Plain before it reaches a terminal, and through Quoted before it
// becomes part of a command.
package render

import (
	"fmt"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// Plain makes other people's text fit for one line of a terminal.
func Plain(s string) string { return legible.Plain(s) }

// Short is Plain of a text where many are listed: no longer than what we write
// ourselves. Files written by hand hold texts of any length.
func Short(s string) string {
	const longest = 4 * lockfile.MaxTitle // bytes
	return Plain(legible.Cut(s, longest))
}

// PlainLines is s with each of its lines made plain.
func PlainLines(s string) string { return legible.Lines(s) }

// Count is a number of things: "1 lock file", "2 lock files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
