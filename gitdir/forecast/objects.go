package forecast

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// objects reads `cat-file --batch`: for each object a header (id, type, size),
// its bytes and a newline, or that it is missing.
func objects(out []byte, n int) ([][]byte, error) {
	all := make([][]byte, 0, n)
	for range n {
		header, rest, ok := bytes.Cut(out, []byte("\n"))
		fields := strings.Fields(string(header))
		switch {
		case !ok:
			return nil, fmt.Errorf("git cat-file printed %d of %d objects", len(all), n)
		case len(fields) != 3: // "<name> missing"
			all, out = append(all, nil), rest
			continue
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size < 0 || size >= len(rest) {
			return nil, fmt.Errorf("git cat-file printed %q", header)
		}
		all, out = append(all, rest[:size:size]), rest[size+1:]
	}
	return all, nil
}

// A commit is what a snapshot needs to know of one.
type commit struct {
	tree string
	date string // of the committer, as git writes it: seconds and zone
}

// parseCommit reads a commit's headers.
func parseCommit(text []byte) (c commit, ok bool) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			break
		}
		if tree, is := strings.CutPrefix(line, "tree "); is {
			c.tree = tree
		}
		if who, is := strings.CutPrefix(line, "committer "); is {
			c.date = who[strings.LastIndexByte(who, '>')+1:]
		}
	}
	return c, c.tree != "" && len(strings.Fields(c.date)) == 2
}

// text is the commit of a side's snapshot, by the side's number: two that are the same
// would be each other's ancestor. It is dated as its first parent: one of 1970 makes git
// walk all history for the merge base.
func (c commit) text(parents []string, side int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", c.tree)
	for _, parent := range parents {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	who := "agent-locks <agent-locks@localhost> " + strings.TrimSpace(c.date)
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\nside %d as it is now\n", who, who, side)
	return b.String()
}
