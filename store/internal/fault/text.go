package fault

import (
	"fmt"

	"github.com/agent-locks/agent-locks/lockfile"
)

// badText is the error of an argument whose text cannot be stored: what is
// wrong with it, and how it must be.
func Text(argument string, err error) *Error {
	return &Error{Code: BadInput, Message: fmt.Sprintf("`%s`: %v", argument, err), Hint: textHint(argument), Err: err}
}

func textHint(argument string) string {
	switch argument {
	case "title":
		return fmt.Sprintf("`title` says what the work is: one line of at most %d characters, as in \"Fix login\"", lockfile.MaxTitle)
	case "tasks", "add_tasks":
		return fmt.Sprintf("each `%s` entry is one line of at most %d characters; no two are alike, and there are at most %d", argument, lockfile.MaxTask, lockfile.MaxTasks)
	case "moved_to":
		return fmt.Sprintf("`moved_to` is the path where the files are now, one line of at most %d characters", lockfile.MaxTask)
	case "note", "summary", "reason":
		return fmt.Sprintf("`%s` is text of at most %d bytes, in UTF-8 and without what nobody can see; or leave it out", argument, lockfile.MaxNote)
	default:
		return fmt.Sprintf("`%s` is an agent's id: one line of at most %d characters, as in agent-1; or leave it out", argument, lockfile.MaxAgent)
	}
}
