package fault

import (
	"strings"

	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// InQuotes is a text in quotes that can be taken from between them as it is:
// %q would double the backslashes of app/\[id\]/page.tsx, and that names no
// file.
func InQuotes(s string) string {
	if strings.Contains(s, `"`) || legible.Plain(s) != s {
		return legible.Quote(s)
	}
	return `"` + s + `"`
}

// Quoted lists texts, each in quotes.
func Quoted(texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = InQuotes(t)
	}
	return strings.Join(out, ", ")
}
