package server

import "strings"

// nearest returns the known name that was probably meant, or "": the one with
// the fewest edits (at most a third of its letters), or else one that contains
// name as a word, as lock_id contains id.
func nearest(name string, known []string) string {
	name = strings.ToLower(name)
	best, least := "", 0
	for _, k := range known {
		most := max(1, len(k)/3)
		if len(name) > len(k)+most {
			continue // a name may have megabytes
		}
		if d := EditDistance(name, k); d <= most && (best == "" || d < least) {
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

// EditDistance counts insertions, deletions, replacements and swaps of adjacent
// bytes (optimal string alignment). It compares bytes, since the names of
// arguments, flags and commands are ASCII. Its memory use is proportional to
// the product of the lengths.
func EditDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range len(a) {
		for j := range len(b) {
			d := rows[i][j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, rows[i][j+1]+1, rows[i+1][j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(a)][len(b)]
}
