package cli

import "strings"

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
		case len(typed) <= len(name)+most && edits(typed, name) <= most: // the typed text may be long
			found = append(found, name)
		}
	}
	return found
}

// edits counts insertions, deletions, replacements and swaps of neighbours, in
// bytes: our names are ASCII.
func edits(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			n := last[j]
			if a[i] != b[j] {
				n++
			}
			n = min(n, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				n = min(n, before[j-1]+1)
			}
			row[j+1] = n
		}
	}
	return row[len(b)]
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
