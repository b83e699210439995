package cli

import (
	"fmt"
	"io"

	"github.com/agent-locks/agent-locks/lockfile"
)

// fromStdin replaces "-" by what stdin holds, for texts of many lines. It
// reads no more than is needed to see that a note is too long; to say so is
// for the store.
func (a *app) fromStdin(text **string) error {
	if *text == nil || **text != "-" {
		return nil
	}
	read, err := io.ReadAll(io.LimitReader(a.Stdin, 2*lockfile.MaxNote))
	if err != nil {
		return fmt.Errorf("cannot read stdin: %w", err)
	}
	s := string(read)
	*text = &s
	return nil
}
