package render

import (
	"fmt"

	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// Plain makes other people's text fit for one line of a terminal.
func Plain(s string) string { return legible.Plain(s) }

// PlainLines is s with each of its lines made plain.
func PlainLines(s string) string { return legible.Lines(s) }

// Count is a number of things: "1 lock file", "2 lock files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
