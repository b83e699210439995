package stdio

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

func TestEndOfInputWaitsForTheAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.dial(t)
	c.write(initialize(newestWithHandshake) + callOf("1", "gate", `{}`))
	c.expect(`"init"`)
	r.waitFor(t, "gate")
	c.in.Close()
	select {
	case err := <-c.done:
		t.Fatalf("run returned %v before the call was answered", err)
	case <-time.After(2 * linger):
	}
	close(r.open)
	c.end([]string{"1"})
}

func TestEndOfInputEndsCallsThatWait(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	replies, _ := r.oneShot(t, initialize(newestWithHandshake)+callOf("1", "waits", `{}`))
	if got := byID(t, replies, "1"); strings.Contains(string(got.Result), "isError") {
		t.Errorf("the call ended with %s", got.Result)
	}
}

func TestUntilInputEndsOutsideServe(t *testing.T) {
	t.Parallel()
	parent, stop := context.WithCancel(context.Background())
	ctx, cancel := UntilInputEnds(parent)
	defer cancel()
	if ctx.Err() != nil {
		t.Fatal("ended at once")
	}
	stop()
	<-ctx.Done()
	if cause := context.Cause(ctx); cause != context.Canceled {
		t.Errorf("ended by %v", cause)
	}
}

func TestEndOfInputDoesNotWaitForCancelledCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	defer close(r.open)
	c := r.dial(t)
	c.write(initialize(newestWithHandshake) + callOf("1", "deaf", `{}`))
	c.expect(`"init"`)
	r.waitFor(t, "deaf")
	c.write(cancelOf("1"))
	c.end(nil)
}

func TestCancelledCalls(t *testing.T) {
	t.Parallel()
	t.Run("a call that fails for it gets no answer", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		c := r.dial(t)
		c.write(initialize(newestWithHandshake) + callOf("1", "gate", `{}`))
		c.expect(`"init"`)
		r.waitFor(t, "gate")
		c.write(cancelOf("1.0") + pingOf("2"))
		c.expect("2")
		c.end(nil)
	})
	t.Run("a call that succeeds nevertheless is answered", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		c := r.dial(t)
		c.write(initialize(newestWithHandshake) + callOf("1", "deaf", `{}`))
		c.expect(`"init"`)
		r.waitFor(t, "deaf")
		c.write(cancelOf("1") + pingOf("2"))
		c.expect("2")
		close(r.open)
		c.expect("1")
		c.end(nil)
	})
	t.Run("the handshake cannot be cancelled", func(t *testing.T) {
		t.Parallel()
		_, lines := newRig(t).oneShot(t, initialize(newestWithHandshake)+cancelOf(`"init"`)+pingOf("1"))
		slices.Sort(lines)
		if want := []string{`"init"`, "1"}; !slices.Equal(lines, want) {
			t.Errorf("answers %q, want %q", lines, want)
		}
	})
}

// A client may write all it has to ask before it reads an answer.
func TestReadingDoesNotWaitForWriting(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const requests = 3000 // more than any buffer holds
	r := newRig(t)
	c := r.dial(t)
	c.write(initialize("2025-03-26"))
	for i := range requests {
		c.write(pingOf(strconv.Itoa(i)) + cancelOf(strconv.Itoa(i-1)) + batchOf(`{"jsonrpc":"2.0","method":"notifications/x"}`))
	}
	c.in.Close()
	answered := 0
	for c.read() != "EOF" {
		answered++
	}
	if answered < 2 || answered > requests+1 { // a cancelled ping gets none
		t.Errorf("%d answers", answered)
	}
}

// A signal ends the session whatever is stuck.
func TestSignalEndsTheSession(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		stick func(t *testing.T, r *rig, c *dialled)
	}{
		{"while the client says nothing", func(*testing.T, *rig, *dialled) {}},
		{"while a call runs", func(t *testing.T, r *rig, c *dialled) {
			c.write(callOf("1", "gate", `{}`))
			r.waitFor(t, "gate")
		}},
		{"while a call is deaf", func(t *testing.T, r *rig, c *dialled) {
			c.write(callOf("1", "deaf", `{}`))
			r.waitFor(t, "deaf")
		}},
		{"while the answers to closed input are awaited", func(t *testing.T, r *rig, c *dialled) {
			c.write(callOf("1", "deaf", `{}`))
			r.waitFor(t, "deaf")
			c.in.Close()
		}},
		{"while the client does not read", func(t *testing.T, r *rig, c *dialled) {
			c.write(callOf("1", "echo", `{}`))
			r.waitFor(t, "echo")
		}},
		{"within a line", func(t *testing.T, r *rig, c *dialled) { c.write(`{"jsonrpc":`) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			defer close(r.open)
			c := r.dial(t)
			c.write(initialize(newestWithHandshake))
			c.expect(`"init"`)
			test.stick(t, r, c)
			c.signal()
			if err := c.returned(); err != nil {
				t.Errorf("run: %v", err)
			}
		})
	}
}

// A pipe of the operating system cannot be interrupted as io.Pipe can.
func TestSignalEndsTheSessionOnABlockedPipe(t *testing.T) {
	t.Parallel()
	in, fromClient, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	toClient, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, f := range []*os.File{fromClient, in, toClient, out} {
			f.Close()
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, newRig(t).server, in, out, testLog(t)) }()
	if _, err := io.WriteString(fromClient, pingOf("1")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, len(`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"))
	if _, err := io.ReadFull(toClient, answer); err != nil {
		t.Fatal(err)
	}
	readReplies(t, answer)
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("run: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("run did not return")
	}
}

// The first answer that cannot be written ends the session, though input is
// still open, from any version.
func TestClosedOutputEndsTheSession(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"an answer of a tool":   callOf("1", "echo", `{}`),
		"a refusal":             "rubbish\n",
		"an answer to a batch":  `[` + strings.TrimSpace(pingOf("1")) + "]\n",
		"the refusal of a line": `{"jsonrpc":"2.0","id":1}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			defer close(r.open)
			c := r.dial(t)
			c.write(initialize("2025-03-26") + callOf("9", "gate", `{}`))
			c.expect(`"init"`)
			r.waitFor(t, "gate")
			c.hangUp()
			c.write(input)
			if err := c.returned(); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("run returned %v, want the error of the write", err)
			}
		})
	}
}

func TestFailingInputIsAnError(t *testing.T) {
	t.Parallel()
	var out lockedBuffer
	input := io.MultiReader(strings.NewReader(pingOf("1")), iotest.ErrReader(syscall.EIO))
	err := Serve(t.Context(), newRig(t).server, input, &out, testLog(t))
	if !errors.Is(err, syscall.EIO) {
		t.Errorf("run returned %v", err)
	}
	if _, lines := readReplies(t, out.bytes()); !slices.Equal(lines, []string{"1"}) {
		t.Errorf("answers %q", lines)
	}
}

// Not parallel: it looks at all goroutines there are.
func TestSessionsLeaveNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		r := newRig(t)
		r.oneShot(t, initialize(newestWithHandshake)+"rubbish\n"+callOf("1", "echo", `{}`))
		c := r.dial(t)
		c.write(initialize(newestWithHandshake) + callOf("1", "gate", `{}`))
		c.expect(`"init"`)
		c.signal()
		if err := c.returned(); err != nil {
			t.Fatal(err)
		}
		c.in.Close()
	}
	deadline := time.Now().Add(time.Minute)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(5 * time.Millisecond)
	}
}
