package server

import "strings"

// nearest is the known name that was probably meant, or "": the one fewest
// edits away (at most a third of its letters), else one that has the name as
// one of its words, as lock_id has id.
func nearest(name string, known []string) string {
	name = strings.ToLower(name)
	best, least := "", 0
	for _, k := range known {
		if d := distance(name, k); d <= max(1, len(k)/3) && (best == "" || d < least) {
			best, least = k, d
		}
	}
	if best != "" {
		return best
	}
	for _, k := range known {
		if strings.Contains("_"+k+"_", "_"+name+"_") {
			return k
		}
	}
	return ""
}

// distance is Levenshtein's: insertions, deletions and replacements of bytes.
// Argument names are ASCII; of other names only the closeness matters.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
