// Package guard adds the commit guard to git's pre-commit hook, and removes it.
//
// An existing hook keeps working as before. In a shell script the guard is a
// marked block after the first line (block.go), so the hook keeps its name,
// path and $0, even if it is moved or renamed. A hook in another language is
// moved aside under its own name, and ours runs it (install.go); if that would
// change what the hook does, nothing is installed. Install and Uninstall decide
// what to do to which file (install.go, uninstall.go). Files are always
// replaced as a whole (file.go). Git is asked where it looks for hooks, and
// whether it would list the file written there (place.go).
package guard

import "fmt"

const hookName = "pre-commit"

// Line calls the guard from a hook that is tracked or shared. It lets commits
// pass on machines without the program.
const Line = "! command -v agent-locks >/dev/null || agent-locks guard check --quiet || exit"

// A Refusal says why nothing was done, and what to do about it.
type Refusal struct {
	Message string
	Hint    string
	Err     error
}

func (r *Refusal) Error() string { return r.Message }
func (r *Refusal) Unwrap() error { return r.Err }

func refuse(hint, format string, args ...any) error {
	return &Refusal{Message: fmt.Sprintf(format, args...), Hint: hint}
}

// A Change is the result of an installation or removal.
type Change struct {
	Action  string // installed, updated, unchanged; removed, restored, absent
	Hook    string // the file that contains, or contained, the guard
	Chained string // the previous hook, if ours runs it from another file
	Notes   []string
}

func (c *Change) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}
