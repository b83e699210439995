package server

import (
	"context"
	"sync"
	"time"
)

// How much the end of input cares about a call.
type patience int

const (
	awaited  patience = iota // its answer is waited for
	lingered                 // its answer is waited for a moment only
)

// An openCall is a request that was passed to go-sdk and is not answered yet.
type openCall struct {
	key      string
	method   string
	patience patience
	batch    *batch // nil for a call that came on a line of its own

	cancelled bool
}

// A batch collects the answers to the messages of one line until all are
// there. Guarded by the mutex of its inflight.
type batch struct {
	open    int // answers missing, plus one while the line is being read
	answers [][]byte
}

// Inflight knows the calls in flight and the protocol version of the session.
type inflight struct {
	mu      sync.Mutex
	calls   map[string]*openCall // by key: ids that are taken
	waiting [2]int               // calls by patience whose answers are not written yet
	changed chan struct{}        // closed, and replaced, when waiting has shrunk

	version string // negotiated; "" before the handshake
	shaking int    // handshakes in flight
}

func newInflight() *inflight {
	return &inflight{calls: make(map[string]*openCall), changed: make(chan struct{})}
}

// begin registers a call, or returns false if its id is that of another call in
// flight.
func (f *inflight) begin(c *openCall) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls[c.key] != nil {
		return false
	}
	f.calls[c.key] = c
	f.waiting[c.patience]++
	if c.method == methodInitialize {
		f.shaking++
	}
	if c.batch != nil {
		c.batch.open++
	}
	return true
}

// cancel marks the call with this key as cancelled. A batch no longer holds its
// other answers back for it, so flush, when not nil, is that batch's answer.
// There is nothing to cancel where ok is false.
func (f *inflight) cancel(key string) (flush [][]byte, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.calls[key]
	// MCP forbids to cancel the handshake.
	if c == nil || c.cancelled || c.method == methodInitialize {
		return nil, false
	}
	c.cancelled = true
	f.waiting[c.patience]--
	c.patience = lingered
	f.waiting[c.patience]++
	f.announce()
	if b := c.batch; b != nil {
		c.batch = nil
		flush = b.release()
	}
	return flush, true
}

// answered is called with each answer before it is written, and frees the id:
// the client may use it again as soon as it sees the answer. It returns the
// call, which nobody changes any more, or nil for an answer to no call.
func (f *inflight) answered(key string) *openCall {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.calls[key]
	delete(f.calls, key)
	return c
}

// settled is called after the answer to c has been written, or dropped.
func (f *inflight) settled(c *openCall) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting[c.patience]--
	if c.method == methodInitialize {
		f.shaking--
	}
	f.announce()
}

// collect adds an answer to a batch. The result is not nil once the batch is
// complete: all its answers.
func (f *inflight) collect(b *batch, answer []byte) [][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	b.answers = append(b.answers, answer)
	return b.release()
}

// closeBatch says that all messages of the batch's line were read, and adds the
// answers to those that went no further.
func (f *inflight) closeBatch(b *batch, refused []*refusal) [][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, no := range refused {
		b.answers = append(b.answers, no.encode())
	}
	return b.release()
}

// release counts one thing less that the batch waits for.
func (b *batch) release() [][]byte {
	if b.open--; b.open > 0 {
		return nil
	}
	return b.answers
}

// agree records the protocol version that a handshake ended with.
func (f *inflight) agree(version string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version = version
}

// agreed returns the protocol version, "" before any handshake, once no
// handshake is in flight: a batch may come right behind one.
func (f *inflight) agreed(ctx context.Context) string {
	f.wait(ctx, func() bool { return f.shaking == 0 })
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}

// open reports whether any call is without its answer.
func (f *inflight) open() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting[awaited]+f.waiting[lingered] > 0
}

// drain returns when every awaited call has been answered, and the others have
// had the given time more.
func (f *inflight) drain(ctx context.Context, more time.Duration) {
	if !f.wait(ctx, func() bool { return f.waiting[awaited] == 0 }) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, more)
	defer cancel()
	f.wait(ctx, func() bool { return f.waiting[lingered] == 0 })
}

// wait returns true as soon as the condition holds, false if ctx ends before.
func (f *inflight) wait(ctx context.Context, holds func() bool) bool {
	for {
		f.mu.Lock()
		ok, changed := holds(), f.changed
		f.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// announce wakes those who wait for the counts to shrink.
func (f *inflight) announce() {
	close(f.changed)
	f.changed = make(chan struct{})
}
