package paths

import (
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// bareComma reports whether text has a comma outside all brackets.
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

// warnElsewhere warns about an entry that leads into a submodule, repository or
// worktree nested in the caller's. Agents working there use another store, or
// know the file by another path.
func (r *Reader) warnElsewhere(text string, e *overlap.Entry) {
	if r.in == "" {
		return
	}
	dir := ""
	for name := range strings.SplitSeq(e.Directory(), "/") {
		if name == "" {
			return
		}
		dir = filepath.Join(dir, name)
		if _, err := r.lstat(r.in, filepath.Join(dir, ".git")); err == nil {
			r.warn("%s is in a separate repository or worktree; to reach the agents there pass %q as `base_dir`",
				fault.InQuotes(text), filepath.Join(r.in, dir))
			return
		}
	}
}

// WarnEverything warns about a claim on the whole repository.
func (r *Reader) WarnEverything(scope overlap.Scope) {
	for _, e := range scope {
		if e.Everything() {
			r.warn("%s covers every file of the repository, so it blocks everybody else; name what you work on",
				fault.InQuotes(e.String()))
			return
		}
	}
}
