package setup

import (
	"bytes"
	"fmt"
	"strings"
)

// Our section in a page of instructions for agents (AGENTS.md), for clients
// without hooks. It is enclosed in two comments, which renderers do not show.
const (
	sectionBegin = "<!-- agent-locks: begin -->"
	sectionEnd   = "<!-- agent-locks: end -->"
)

const sectionText = sectionBegin + `
## Other agents work in this repository, too

They have their own worktrees, and you cannot see them. These commands can, from every worktree:

- Before you edit, ask who holds the files: ` + "`agent-locks check <path>... --agent <your id>`" + `
- Claim what you will edit, no more: ` + "`agent-locks claim <glob>... -t '<title>' --if-free --agent <your id>`" + `
  Pass the same ` + "`--agent`" + ` every time. If the claim is refused, work on something else, or wait for the files:
  ` + "`agent-locks wait <path>... --agent <your id>`" + `
- As you go: ` + "`agent-locks update <id> -m '<what others should know>' --agent <your id>`" + `
- To the holder of another lock: ` + "`agent-locks tell <id> '<text>' --agent <your id>`" + `
- At the end: ` + "`agent-locks finish <id> -m '<what was done, what is left>' --agent <your id>`" + `

Never edit files that somebody else holds. If a commit is refused for that, ask the person you work for.
` + sectionEnd

// addSection replaces our section in a page, or adds it at the end. A nil page
// does not exist yet. If the page did not end in a newline, the result does not
// either, so that takeSection can restore it.
func addSection(page []byte) ([]byte, error) {
	text := []byte(strings.ReplaceAll(sectionText, "\n", newline(page)))
	begin, end, err := findSection(page)
	switch {
	case err != nil:
		return nil, err
	case begin >= 0:
		return bytes.Join([][]byte{page[:begin], text, page[end:]}, nil), nil
	case page == nil:
		return append(text, '\n'), nil
	}
	eol := newline(page)
	if bytes.HasSuffix(page, []byte("\n")) {
		return fmt.Appendf(nil, "%s%s%s%s", page, eol, text, eol), nil
	}
	return fmt.Appendf(nil, "%s%s%s%s", page, eol, eol, text), nil
}

// takeSection removes our section; a nil result means that the page contained
// nothing else. It never joins two lines of the user's.
func takeSection(page []byte) ([]byte, error) {
	begin, end, err := findSection(page)
	if err != nil || begin < 0 {
		return page, err
	}
	eol := []byte(newline(page))
	before, after := page[:begin], page[end:]
	lineEnds := func(text []byte) bool { return len(text) == 0 || bytes.HasSuffix(text, []byte("\n")) }
	switch {
	case begin == 0 && bytes.Equal(after, eol):
		return nil, nil
	case len(after) == 0: // the page did not end in a newline
		before = bytes.TrimSuffix(bytes.TrimSuffix(before, eol), eol)
	case lineEnds(before):
		after = bytes.TrimPrefix(after, eol)
		if above := bytes.TrimSuffix(before, eol); lineEnds(above) {
			before = above // without the blank line
		}
	}
	return bytes.Join([][]byte{before, after}, nil), nil
}

// findSection returns the offsets of our section, or -1 if there is none.
func findSection(page []byte) (begin, end int, err error) {
	begin, end = bytes.Index(page, []byte(sectionBegin)), bytes.Index(page, []byte(sectionEnd))
	switch {
	case begin < 0 && end < 0:
		return -1, -1, nil
	case begin < 0 || end < begin,
		bytes.Count(page, []byte(sectionBegin)) > 1, bytes.Count(page, []byte(sectionEnd)) > 1:
		return 0, 0, fmt.Errorf("does not have %q and %q once each, in this order", sectionBegin, sectionEnd)
	}
	return begin, end + len(sectionEnd), nil
}
