package paths

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// warnSeveral warns of an entry that looks like several: commas and blanks are
// part of a name, and one that was meant to separate would cover neither path.
func (r *Reader) warnSeveral(e *overlap.Entry) {
	what, text := "", e.String()
	switch {
	case bareComma(text):
		what = "a comma"
	case allPaths(strings.Fields(text)):
		what = "a blank"
	}
	if what != "" && r.kindHere(text) == overlap.Unknown {
		r.warn("%s is read as one path with %s in it; give each path as an entry of its own", fault.InQuotes(text), what)
	}
}

// allPaths reports whether a text's fields are several and each could be an entry.
func allPaths(fields []string) bool {
	return len(fields) > 1 && !slices.ContainsFunc(fields, func(f string) bool { return !strings.ContainsAny(f, "/*") })
}

// bareComma reports whether a comma stands outside all brackets.
func bareComma(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
		case ',':
			if depth <= 0 {
				return true
			}
		}
	}
	return false
}

// warnElsewhere warns of an entry that leads into a submodule, a repository
// or a worktree within the caller's: those who work there read another store,
// or know the file by another name.
func (r *Reader) warnElsewhere(text string, e *overlap.Entry) {
	if r.repo.Worktree == "" {
		return
	}
	dir := r.repo.Worktree
	for name := range strings.SplitSeq(e.Directory(), "/") {
		if name == "" {
			return
		}
		dir = filepath.Join(dir, name)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			r.warn("%s lies in a repository or worktree of its own; to reach those who work there pass %q as `base_dir`",
				fault.InQuotes(text), dir)
			return
		}
	}
}

// WarnEverything warns of a claim on the whole repository.
func (r *Reader) WarnEverything(scope overlap.Scope) {
	for _, e := range scope {
		if e.Everything() {
			r.warn("%s covers every file of the repository, so it blocks everybody else; name what you work on",
				fault.InQuotes(e.String()))
			return
		}
	}
}
