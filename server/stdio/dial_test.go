package stdio

import (
	"bufio"
	"context"
	"io"
	"testing"
	"time"
)

// A dialled is a client that stays: it writes and reads in turn.
type dialled struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	hangUp func() // closes the client's reading end
	signal context.CancelFunc
	done   chan error // what run returned
}

// dial starts a session. The test must end it.
func (r *rig) dial(t *testing.T) *dialled {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &dialled{t: t, in: in, out: bufio.NewReader(out), signal: cancel, done: make(chan error, 1)}
	c.hangUp = func() { out.Close() }
	go func() {
		c.done <- Serve(ctx, r.server, fromClient, toClient, testLog(t))
		toClient.Close()
	}()
	t.Cleanup(func() {
		cancel()
		in.Close()
		out.Close()
	})
	return c
}

func (c *dialled) write(input string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, input); err != nil {
		c.t.Fatalf("writing %q: %v", input, err)
	}
}

// read returns the next line, as readReplies writes it, "EOF" at the end.
func (c *dialled) read() string {
	c.t.Helper()
	type result struct {
		text []byte
		err  error
	}
	got := make(chan result, 1)
	go func() {
		text, err := c.out.ReadBytes('\n')
		got <- result{text, err}
	}()
	select {
	case r := <-got:
		if r.err == io.EOF && len(r.text) == 0 {
			return "EOF"
		}
		_, lines := readReplies(c.t, r.text)
		return lines[0]
	case <-time.After(time.Minute):
		c.t.Fatal("no answer")
		return ""
	}
}

func (c *dialled) expect(want ...string) {
	c.t.Helper()
	for _, w := range want {
		if got := c.read(); got != w {
			c.t.Fatalf("got %s, want %s", got, w)
		}
	}
}

// end closes the client's input and checks what is still answered, and that
// run returns well.
func (c *dialled) end(want []string) {
	c.t.Helper()
	c.in.Close()
	c.expect(want...)
	c.expect("EOF")
	if err := c.returned(); err != nil {
		c.t.Errorf("run: %v", err)
	}
}

// returned is what run returned, which it must have done soon.
func (c *dialled) returned() error {
	c.t.Helper()
	select {
	case err := <-c.done:
		return err
	case <-time.After(time.Minute):
		c.t.Fatal("run did not return")
		return nil
	}
}
