package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/agent-locks/agent-locks/lockfile"
)

// fromStdin replaces "-" by what stdin holds, for texts of many lines. It
// reads no more than shows that a note is too long; to say so is for the
// store. A read cannot be interrupted, so it is left behind when ctx ends.
func (a *app) fromStdin(ctx context.Context, text **string) error {
	if *text == nil || **text != "-" {
		return nil
	}
	type reading struct {
		text []byte
		err  error
	}
	read := make(chan reading, 1)
	go func() {
		b, err := io.ReadAll(io.LimitReader(a.Stdin, 2*lockfile.MaxNote))
		read <- reading{b, err}
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case r := <-read:
		if r.err != nil {
			return fmt.Errorf("cannot read stdin: %w", r.err)
		}
		s := string(r.text)
		*text = &s
		return nil
	}
}
