package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
)

// fromStdin replaces "-" by what stdin holds, for texts of many lines. It
// reads no more than shows that a note is too long; to say so is for the
// store. A read cannot be interrupted, so it is left behind when ctx ends.
func (a *app) fromStdin(ctx context.Context, text **string) error {
	if *text == nil || **text != "-" {
		return nil
	}
	b, err := a.readStdin(ctx, maxText)
	if err != nil {
		return err
	}
	if len(b) == maxText {
		b = wholeRunes(b)
	}
	s := string(b)
	*text = &s
	return nil
}

// maxText is more than any note may have.
const maxText = 2 * lockfile.MaxNote // bytes

// wholeRunes is b without the beginning of a character that was cut off, which
// would make the text that is too long invalid UTF-8.
func wholeRunes(b []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

// readStdin reads at most limit bytes of stdin, to its end.
func (a *app) readStdin(ctx context.Context, limit int64) ([]byte, error) {
	return a.readStdinBy(ctx, limit, io.ReadAll)
}

// readObject reads one JSON value from stdin, of at most limit bytes, and not
// what follows: a client may leave stdin open behind it. What is not JSON comes
// as far as it was read.
func (a *app) readObject(ctx context.Context, limit int64) ([]byte, error) {
	return a.readStdinBy(ctx, limit, func(r io.Reader) ([]byte, error) {
		var read bytes.Buffer
		var value json.RawMessage
		err := json.NewDecoder(io.TeeReader(r, &read)).Decode(&value)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return read.Bytes(), nil
		}
		return value, err
	})
}

// readStdinBy gives at most limit bytes of stdin to read. A read cannot be
// interrupted, so it is left behind when ctx ends.
func (a *app) readStdinBy(ctx context.Context, limit int64, read func(io.Reader) ([]byte, error)) ([]byte, error) {
	type reading struct {
		text []byte
		err  error
	}
	done := make(chan reading, 1)
	go func() {
		b, err := read(io.LimitReader(a.Stdin, limit))
		done <- reading{b, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("cannot read stdin: %w", r.err)
		}
		return r.text, nil
	}
}

// maxNames bounds a list of names on stdin.
const maxNames = 256 << 20 // bytes

// readNames reads names from stdin that each end in a NUL.
func (a *app) readNames(ctx context.Context) ([]string, error) {
	b, err := a.readStdin(ctx, maxNames+1)
	if err != nil {
		return nil, err
	}
	if len(b) > maxNames {
		return nil, usage("check them in several calls", "more than %d bytes of names on stdin", maxNames)
	}
	if bytes.HasSuffix(b, []byte("\n")) && !bytes.Contains(b, []byte{0}) {
		// Lines would pass for one odd name that nobody holds.
		return nil, usage("as in git diff --name-only -z | agent-locks guard check --stdin",
			"the names on stdin do not end in a NUL each")
	}
	return gitdir.SplitNames(b), nil
}
