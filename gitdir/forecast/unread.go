package forecast

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// git passes over untracked directories that it cannot read, with a warning.
const (
	unreadStart = "warning: could not open directory '"
	unreadGone  = "No such file or directory" // since it was listed
)

// unreadRules names a file of attributes or of ignored names that git said it could not
// read: to git there is none then. What a side omits is told of as that.
func (s *Side) unreadRules(said string) string {
	for line := range strings.Lines(said) {
		rest, is := strings.CutPrefix(line, "warning: unable to access '")
		end := strings.LastIndex(rest, "': ")
		if is && end >= 0 && (path.IsAbs(rest[:end]) || !s.omitted().meets(rest[:end])) {
			return fmt.Sprintf("git cannot read %q, and takes it for empty", rest[:end])
		}
	}
	return ""
}

// omitUnread omits the directories that git said it could not read. The error is
// of one whose name its warning does not tell, as control characters are not
// printed.
func (t *taker) omitUnread(said string) error {
	for line := range strings.Lines(said) {
		rest, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), unreadStart)
		end := strings.LastIndex(rest, "': ")
		if !is || end >= 0 && rest[end+3:] == unreadGone {
			continue
		}
		if end < 0 {
			return unreadError(rest)
		}
		dir, why := strings.TrimSuffix(rest[:end], "/"), rest[end+3:]
		if _, err := os.Lstat(t.side.full(dir)); dir == "" || err != nil {
			return unreadError(dir)
		}
		t.omit(dir+"/", "git cannot read it: "+why)
	}
	return nil
}

func unreadError(name string) error {
	return fmt.Errorf("git cannot read a directory, and names it only as %q", name)
}

// unread is what git could not read of two commits although it merged them: before 2.44
// it takes a tree that is missing for an empty one, with no more than an error among
// what it says. A partial clone lacks trees, and none is fetched.
func unread(said string) string {
	var missing []string
	for line := range strings.Lines(said) {
		if what, is := strings.CutPrefix(strings.TrimSpace(line), "error: "); is && !slices.Contains(missing, what) {
			missing = append(missing, what)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("trees are missing (%s); in a partial clone, `git ls-tree` fetches them",
		strings.Join(missing, ", "))
}
