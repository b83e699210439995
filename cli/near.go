package cli

import (
	"strings"

	"github.com/agent-locks/agent-locks/server"
)

// near lists those of the names that were probably meant: which the typed text
// begins, or from which it is an edit away for every three letters, two at most.
func near(typed string, names []string) []string {
	typed = strings.ToLower(typed)
	most := min(2, (len(typed)+1)/3)
	var found []string
	for _, name := range names {
		switch {
		case len(typed) >= 2 && strings.HasPrefix(name, typed):
			found = append(found, name)
		case len(typed) <= len(name)+most && server.EditDistance(typed, name) <= most: // the typed text may be long
			found = append(found, name)
		}
	}
	return found
}

// commandMeant is the command for a word that other programs, or the tools,
// have for it; "" where it is none.
func commandMeant(word string) string {
	if command := commandFor(word); command != "" {
		return command
	}
	words := map[string]string{
		"history": "log", "hist": "log",
		"done": "finish", "release": "finish", "unlock": "finish", "rm": "finish",
		"create": "claim", "lock": "claim", "new": "claim",
		"ls": "list", "query": "list",
		"init": "setup",
	}
	return words[word]
}
