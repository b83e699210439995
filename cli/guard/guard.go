// Package guard puts the commit guard into git's pre-commit hook and takes it
// out again.
//
// A hook that is there already stays what it is. In a shell script the guard is
// a marked block after the first line (block.go), so the hook keeps its name,
// its place and its $0, even if it is moved or renamed. A hook in another language
// is moved aside under its own name, and ours runs it (install.go); where that
// would change what it does, nothing is installed. What is done to which file
// is decided in install.go and uninstall.go; files are replaced whole (file.go).
// Where git looks for hooks is asked of git (place.go), and so is whether it
// would list what is written there (also place.go).
package guard

import "fmt"

const hookName = "pre-commit"

// Line is what a hook that somebody tracks or shares calls the guard with. It
// lets those commit who do not have the program.
const Line = "! command -v agent-locks >/dev/null || agent-locks guard check --quiet || exit"

// A Refusal is why nothing was done, and what to do about it.
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

// A Change is what an installation or its removal did.
type Change struct {
	Action  string // installed, updated, unchanged; removed, restored, absent
	Hook    string // the file that has the guard, or had it
	Chained string // the file that holds the hook from before, where ours runs it
	Notes   []string
}

func (c *Change) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}
