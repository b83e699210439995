package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// ErrMissing is the error for an object that is not here.
var ErrMissing = errors.New("the object is missing")

// ErrKind is the error for an object of another kind.
var ErrKind = errors.New("the object is of another kind")

// A Reader reads objects one after another through one git process.
type Reader struct {
	r     *Repository
	ctx   context.Context
	cmd   *exec.Cmd // nil if not started
	ask   io.WriteCloser
	reply *bufio.Reader
}

// Objects returns a Reader. It does not start git yet.
func (r *Repository) Objects(ctx context.Context) *Reader { return &Reader{r: r, ctx: ctx} }

// Read reads an object of the given kind and at most limit bytes. It does not read a
// larger object: it ends git, and the next Read starts a new one.
func (x *Reader) Read(kind, id string, limit int) ([]byte, error) {
	if !x.r.validID(id) {
		return nil, fmt.Errorf("%.70q is not an object id", id)
	}
	if err := x.start(); err != nil {
		return nil, err
	}
	data, whole, err := x.read(kind, id, limit)
	if !whole {
		err = errors.Join(err, x.Close())
	}
	return data, err
}

// read also reports whether the reply was read to its end.
func (x *Reader) read(kind, id string, limit int) (data []byte, whole bool, err error) {
	if _, err := io.WriteString(x.ask, id+"\n"); err != nil {
		return nil, false, err
	}
	line, err := x.reply.ReadString('\n')
	if err != nil {
		return nil, false, fmt.Errorf("git cat-file: %w", err)
	}
	words := strings.Fields(line)
	if len(words) == 2 && words[1] == "missing" {
		return nil, true, ErrMissing
	}
	if len(words) != 3 {
		return nil, false, fmt.Errorf("git cat-file says %.100q", line)
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("git cat-file says %.100q", line)
	case words[1] != kind:
		return nil, false, fmt.Errorf("%w: a %s, not a %s", ErrKind, words[1], kind)
	case size > int64(limit):
		return nil, false, fmt.Errorf("%w: %d bytes, more than %d", ErrTooLarge, size, limit)
	}
	data = make([]byte, size+1) // including a newline
	if _, err := io.ReadFull(x.reply, data); err != nil {
		return nil, false, fmt.Errorf("git cat-file: %w", err)
	}
	return data[:size], true, nil
}

func (x *Reader) start() (err error) {
	if x.cmd != nil {
		return nil
	}
	cmd := exec.CommandContext(x.ctx, x.r.program, slices.Concat(x.r.flags(), []string{"cat-file", "--batch"})...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = x.r.Root, x.r.local, killDelay
	if x.ask, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	x.reply = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	x.cmd = cmd
	return nil
}

// Close ends git, whatever it was still writing.
func (x *Reader) Close() error {
	if x.cmd == nil {
		return nil
	}
	err := x.ask.Close()
	_ = x.cmd.Process.Kill() // it may have ended
	_ = x.cmd.Wait()         // killed
	x.cmd = nil
	return err
}
