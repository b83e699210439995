package forecast

import (
	"slices"
	"strings"
)

// An answer is git's to one merge: the tree that it makes, and what it could
// not merge.
type answer struct {
	tree     string
	clean    bool // git may be unable to merge without naming a path
	unmerged []stage
}

// A stage is one side of a path that could not be merged: 1 is the common
// ancestor's, 2 ours, 3 theirs.
type stage struct {
	mode, id, number, path string
}

// parseAnswers reads `merge-tree --stdin -z --no-messages`: for each merge
// whether it is clean, the tree, its unmerged stages, and an empty record. Only
// whole answers that name a tree count: git stops at a merge that it cannot do.
func parseAnswers(out []byte) []answer {
	var all []answer
	records := strings.Split(string(out), "\x00")
	for len(records) >= 3 {
		end := slices.Index(records[2:], "")
		if end < 0 || end+3 > len(records)-1 { // what follows the last NUL is not a record
			break
		}
		a, ok := parseAnswer(records[1 : end+2])
		a.clean = records[0] == "1"
		if !ok || !a.clean && records[0] != "0" || a.clean && len(a.unmerged) > 0 {
			break
		}
		all, records = append(all, a), records[end+3:]
	}
	return all
}

// parseAnswer reads one merge's records; ok only where the first is a tree's id.
func parseAnswer(records []string) (a answer, ok bool) {
	if len(records) == 0 || !isID(records[0]) {
		return a, false
	}
	a.tree = records[0]
	for _, record := range records[1:] {
		head, path, tab := strings.Cut(record, "\t")
		fields := strings.Fields(head)
		if !tab || len(fields) != 3 {
			return a, false
		}
		a.unmerged = append(a.unmerged, stage{fields[0], fields[1], fields[2], path})
	}
	return a, true
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
