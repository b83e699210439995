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

// fromStdin replaces "-" by the text on stdin. It reads only as much as shows
// that a note is too long; rejecting it is up to the store.
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

// maxText is more than any note may contain.
const maxText = 2 * lockfile.MaxNote // bytes

// wholeRunes removes an incomplete character at the end of b. Otherwise a text
// that is too long would be reported as invalid UTF-8.
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

// readStdin reads stdin to its end, but at most limit bytes.
func (a *app) readStdin(ctx context.Context, limit int64) ([]byte, error) {
	return a.readStdinBy(ctx, limit, io.ReadAll)
}

// readObject reads one JSON value of at most limit bytes from stdin, and
// nothing after it: a client may leave stdin open. If the input is not JSON, it
// returns what it has read.
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

// readStdinBy calls read with the first limit bytes of stdin. A read cannot be
// canceled, so it is abandoned when ctx ends.
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

// readNames reads NUL-terminated names from stdin.
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
