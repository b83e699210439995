package forecast

import (
	"strconv"
	"strings"
)

// Where the conflicts are in one's own file. git writes the merged file with
// markers; the difference from it to one's own file, without context, takes
// the markers away, and the other side's lines. So each conflict begins in
// one's own file where its first marker is taken away, and ends where its last
// one is.

// A hunk is one change of a patch: where it is in the new file, and how many
// lines it has there.
type hunk struct {
	at, lines int
	removed   []string
}

// parseHunks reads the patch between two trees: the hunks of each file, by its name,
// which is plain.
func parseHunks(patch []byte, each func(name string, hunks []hunk)) {
	var hunks []hunk
	name, left := "", 0 // left: how many lines of the current hunk are to come
	flush := func() {
		if len(hunks) > 0 {
			each(name, hunks)
		}
		name, hunks = "", nil
	}
	for line := range strings.Lines(string(patch)) {
		switch {
		case left > 0:
			if line[0] == '-' {
				hunks[len(hunks)-1].removed = append(hunks[len(hunks)-1].removed, line[1:])
			}
			if line[0] != '\\' { // "\ No newline at end of file"
				left--
			}
		case strings.HasPrefix(line, "diff --git "):
			flush()
		case strings.HasPrefix(line, "+++ b/"):
			name = strings.TrimSuffix(strings.TrimPrefix(line, "+++ b/"), "\n")
		case strings.HasPrefix(line, "@@ -"):
			h, removes := parseHunk(line)
			hunks, left = append(hunks, h), removes+h.lines
		}
	}
	flush()
}

// parseHunk reads `@@ -a,b +c,d @@`; a count that is omitted is 1.
func parseHunk(line string) (h hunk, removes int) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return h, 0
	}
	_, removes = span(fields[1])
	h.at, h.lines = span(fields[2])
	return h, removes
}

func span(text string) (at, lines int) {
	first, count, ok := strings.Cut(text[1:], ",")
	at, _ = strconv.Atoi(first)
	if lines = 1; ok {
		lines, _ = strconv.Atoi(count)
	}
	return at, lines
}

// conflicts are the ranges of lines of one's own file that conflict, by the
// markers that the hunks take away, labelled with what was merged. One to which
// the own file adds no line is the line before.
func conflicts(hunks []hunk, ours, theirs string) [][2]int {
	var ranges [][2]int
	begin := 0
	for _, h := range hunks {
		for _, line := range h.removed {
			switch {
			case isMarker(line, "<<<<<<< ", ours):
				if begin = h.at; h.lines == 0 {
					begin++ // of no lines, git names the line before
				}
			case isMarker(line, ">>>>>>> ", theirs) && begin > 0:
				end := h.at
				if h.lines > 0 {
					end += h.lines - 1
				}
				ranges = append(ranges, [2]int{max(min(begin, end), 1), max(end, 1)})
				begin = 0
			}
		}
	}
	return ranges
}

// isMarker knows a line of a marker and a label, and what may follow that: the
// name on that side, where it is another one.
func isMarker(line, marker, label string) bool {
	rest, ok := strings.CutPrefix(line, marker+label)
	return ok && (strings.TrimRight(rest, "\r\n") == "" || rest[0] == ':')
}
