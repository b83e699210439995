package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// An answer that cannot be written (a full disk, a reader that has gone) leaves
// the caller without the id of what was done for it, and what was done stands.
// So a command that changed something says what, where it can still be read.

// outcomeOf says what a command has done, by its result: "" where it only looked.
func outcomeOf(result any) string {
	switch r := result.(type) {
	case store.Created:
		return fmt.Sprintf("lock %q was claimed, and stands", r.ID)
	case store.Updated:
		return fmt.Sprintf("lock %q was updated all the same", r.ID)
	case store.Finished:
		return fmt.Sprintf("lock %q was finished all the same", r.ID)
	case store.Reopened:
		return fmt.Sprintf("lock %q was reopened, and is active", r.ID)
	case store.Refreshed:
		return fmt.Sprintf("the heartbeat of lock %q was refreshed all the same", r.ID)
	}
	return ""
}

func outcomeOfReap(reaped []store.Reaped) string {
	ids := make([]string, len(reaped))
	for i, r := range reaped {
		ids[i] = fmt.Sprintf("%q", r.ID)
	}
	return "reaped all the same: " + strings.Join(ids, ", ")
}

// answerWith prints an answer, or an error with what was done where that fails. A
// closed pipe must not end the program before it can say so.
func answerWith[T any](a *app, what string, result T, text func(io.Writer, T)) error {
	if a.IgnoreBrokenPipe != nil {
		a.IgnoreBrokenPipe()
	}
	err := printAnswer(a, result, text)
	if err == nil {
		return nil
	}
	return &store.Error{Code: codeInternal, Message: fmt.Sprintf("%v; %s", err, what), Hint: "agent-locks status shows what is active now"}
}
