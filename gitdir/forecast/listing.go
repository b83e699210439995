package forecast

import (
	"fmt"
	"strings"
)

// A listing is what `ls-files -z -v -u -m -d -o` says of a worktree: what is
// not as its index has it.
type listing struct {
	unmerged   []string
	changed    []string // modified or deleted, in the order of the index
	submodules map[string]bool
	untracked  []string // a repository ends in a slash
}

// parseListing reads records that end in a NUL: a tag, and of index entries
// their mode, object, stage and a tab before the name. Unmerged entries (M) are
// listed once for each stage, and again as modified (C) or deleted (R). The tag of
// what is to count as unchanged (assume-unchanged) is a small letter: also where it is
// deleted.
func parseListing(out []byte) (listing, error) {
	l := listing{submodules: map[string]bool{}}
	last := map[string]bool{} // unmerged names: few
	for record := range records(out) {
		tag, rest, ok := strings.Cut(record, " ")
		if !ok {
			return l, fmt.Errorf("git ls-files printed %q", record)
		}
		if tag == "?" {
			l.untracked = append(l.untracked, rest)
			continue
		}
		mode, name, ok := strings.Cut(rest, "\t")
		if !ok {
			return l, fmt.Errorf("git ls-files printed %q", record)
		}
		if strings.HasPrefix(mode, subMode) {
			l.submodules[name] = true
		}
		switch {
		case tag == "c", tag == "r":
		case strings.EqualFold(tag, "M"):
			if !last[name] {
				last[name] = true
				l.unmerged = append(l.unmerged, name)
			}
		case last[name]:
		case len(l.changed) == 0 || l.changed[len(l.changed)-1] != name:
			l.changed = append(l.changed, name)
		}
	}
	return l, nil
}

// records yields what ends in a NUL each.
func records(out []byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for text := string(out); text != ""; {
			record, rest, _ := strings.Cut(text, "\x00")
			if !yield(record) {
				return
			}
			text = rest
		}
	}
}

// lines joins names for git's standard input, each ended by a NUL.
func lines(names []string) []byte {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name)
		b.WriteByte(0)
	}
	return []byte(b.String())
}

// chunks yields names in parts that fit a command line.
func chunks(names []string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for len(names) > 0 {
			n, size := 0, 0
			for n < len(names) && (n == 0 || size+len(names[n]) < maxNames) {
				size += len(names[n]) + 3 // Windows quotes arguments
				n++
			}
			if !yield(names[:n]) {
				return
			}
			names = names[n:]
		}
	}
}
