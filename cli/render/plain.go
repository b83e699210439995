// Package render writes the store's answers as text for people: tables, reports
// and the commands to type next.
//
// Each function takes a value from the store and a writer, and does no other
// I/O. Lock files contain other people's text: it passes through Plain before
// it reaches a terminal, and through package shell before it becomes part of a command.
package render

import (
	"fmt"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// Plain makes other people's text safe to print on one line of a terminal.
func Plain(s string) string { return legible.Plain(s) }

// Short is Plain for lists: the text is cut to the length of the longest title
// that we write. Files edited by hand may contain texts of any length.
func Short(s string) string {
	const longest = 4 * lockfile.MaxTitle // bytes
	return Plain(legible.Cut(s, longest))
}

// PlainLines applies Plain to each line of s.
func PlainLines(s string) string { return legible.Lines(s) }

// Count formats a number of things: "1 lock file", "2 lock files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
