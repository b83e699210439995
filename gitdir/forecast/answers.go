package forecast

import (
	"slices"
	"strconv"
	"strings"
)

// An answer is git's to one merge: the tree that it makes, and what it could
// not merge.
type answer struct {
	tree     string
	clean    bool // git may be unable to merge without naming a path
	unmerged []stage
	messages []message
}

// A message is what git says of some paths, the first of which has it.
type message struct {
	kind  string
	paths []string
}

// conflict reports whether git could not merge what a message is about. Of a file and
// a directory git says so also where the file then turns out to be gone; where it is
// not, there are stages.
func (m message) conflict() bool {
	return strings.HasPrefix(m.kind, "CONFLICT") && m.kind != "CONFLICT (file/directory)"
}

// A stage is one side of a path that could not be merged: 1 is the common
// ancestor's, 2 ours, 3 theirs.
type stage struct {
	mode, id, number, path string
}

// parseAnswers reads `merge-tree --stdin -z --messages`: for each merge whether it
// is clean, then its answer, and an empty record. Only whole answers that name a
// tree count: git stops at a merge that it cannot do.
func parseAnswers(out []byte) []answer {
	var all []answer
	records := strings.Split(string(out), "\x00")
	for records = records[:len(records)-1]; len(records) > 0; { // what follows the last NUL is not a record
		a, rest, ok := parseAnswer(records[1:])
		a.clean = records[0] == "1"
		if !ok || !a.clean && records[0] != "0" || a.clean && len(a.unmerged) > 0 || len(rest) == 0 {
			break
		}
		all, records = append(all, a), rest[1:]
	}
	return all
}

// parseAnswer reads one merge's records: the tree, unmerged stages, an empty record,
// and messages up to the next empty one, or to the advice that git prints in its place
// where submodules conflict. ok only where the first is a tree's id.
func parseAnswer(records []string) (a answer, rest []string, ok bool) {
	end := slices.Index(records, "")
	if end < 1 || !isID(records[0]) {
		return a, nil, false
	}
	a.tree = records[0]
	for _, record := range records[1:end] {
		head, path, tab := strings.Cut(record, "\t")
		fields := strings.Fields(head)
		if !tab || len(fields) != 3 {
			return a, nil, false
		}
		a.unmerged = append(a.unmerged, stage{fields[0], fields[1], fields[2], path})
	}
	for rest = records[end+1:]; len(rest) > 0 && rest[0] != ""; {
		n, err := strconv.Atoi(rest[0]) // paths; a kind and a text follow
		if err != nil && slices.ContainsFunc(a.unmerged, func(s stage) bool { return s.mode == subMode }) {
			break
		}
		if err != nil || n < 0 || n > len(rest)-3 {
			return a, nil, false
		}
		a.messages = append(a.messages, message{rest[n+1], rest[1 : n+1]})
		rest = rest[n+3:]
	}
	return a, rest, true
}

func isID(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// The values of File.Kind.
const (
	Content      = "content"       // both changed the same place
	BothAdded    = "both_added"    // two files of one name
	DeletedThere = "deleted_there" // changed in yours
	DeletedHere  = "deleted_here"  // changed in theirs
	Names        = "names"         // renamed to two names, a file where the other has a directory
	Driver       = "driver"        // changed on both sides, and a merge driver decides
	Submodule    = "submodule"     // two commits of which neither contains the other
)

// kindOf names the stages that a path has.
func kindOf(stages []stage) string {
	numbers, submodules := "", 0
	for _, s := range stages {
		numbers += s.number
		if s.mode == subMode {
			submodules++
		}
	}
	switch {
	case submodules == len(stages) && (numbers == "123" || numbers == "23"):
		return Submodule
	case numbers == "123":
		return Content
	case numbers == "23":
		return BothAdded
	case numbers == "12":
		return DeletedThere
	case numbers == "13":
		return DeletedHere
	}
	return Names
}

// byPath groups stages, in git's order.
func (a answer) byPath() [][]stage {
	var groups [][]stage
	for _, s := range a.unmerged {
		if n := len(groups); n > 0 && groups[n-1][0].path == s.path {
			groups[n-1] = append(groups[n-1], s)
			continue
		}
		groups = append(groups, []stage{s})
	}
	return groups
}
