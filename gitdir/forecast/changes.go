package forecast

import (
	"fmt"
	"strings"
)

// A change is one file's in a raw diff of two trees.
type change struct {
	oldMode, newMode string
	oldID, newID     string
	from, to         string // two names where the file was renamed
}

const (
	noMode  = "000000"
	subMode = "160000" // a submodule's commit
)

func (c change) added() bool   { return c.oldMode == noMode }
func (c change) deleted() bool { return c.newMode == noMode }
func (c change) arrived() bool { return c.added() || c.from != c.to }

// parseChanges reads what `diff-tree -r -z --raw` prints of pairs of trees,
// with --stdin each after a line of its own; changes come with how many such
// lines there were before, and how many there were is returned: git passes over a
// tree that is missing. A record begins with a colon, which no such line does.
func parseChanges(out []byte, each func(pair int, c change)) (pair int, err error) {
	text := string(out)
	for text != "" {
		if text[0] != ':' {
			_, rest, ok := strings.Cut(text, "\n")
			if !ok {
				return pair, fmt.Errorf("git diff-tree printed %.80q", text)
			}
			pair, text = pair+1, rest
			continue
		}
		record, rest, _ := strings.Cut(text, "\x00")
		fields := strings.Fields(record[1:])
		name, rest, ok := strings.Cut(rest, "\x00")
		if len(fields) != 5 || !ok {
			return pair, fmt.Errorf("git diff-tree printed %.80q", record)
		}
		c := change{fields[0], fields[1], fields[2], fields[3], name, name}
		if status := fields[4][0]; status == 'R' || status == 'C' {
			if c.to, rest, ok = strings.Cut(rest, "\x00"); !ok {
				return pair, fmt.Errorf("git diff-tree printed one name for %.80q", record)
			}
		}
		each(pair, c)
		text = rest
	}
	return pair, nil
}
