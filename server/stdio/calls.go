package stdio

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The methods that the connection itself must know.
const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"
)

// A call is a request that the SDK was given and that is not answered yet.
type call struct {
	id        json.RawMessage // as the client wrote it
	method    string
	batch     *batch // nil for a call that came on a line of its own
	cancelled bool
}

// awaited reports whether the end of input waits for the call's answer. It does
// not for subscriptions, which end with the session.
func (c *call) awaited() bool { return !c.cancelled && c.method != methodListen }

// A batch collects the answers to the messages of one line until all are
// there. Guarded by the mutex of its calls.
type batch struct {
	open    int // answers missing, plus one while the line is being read
	answers [][]byte
}

// Calls are the calls that are open, and the protocol version of the session.
type calls struct {
	mu      sync.Mutex
	open    map[jsonrpc.ID]*call
	version string        // negotiated; "" before the handshake
	changed chan struct{} // closed, and replaced, when a call was answered or cancelled
}

func newCalls() *calls {
	return &calls{open: make(map[jsonrpc.ID]*call), changed: make(chan struct{})}
}

// begin registers a call, or returns false if another one has its id.
func (s *calls) begin(id jsonrpc.ID, c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id] != nil {
		return false
	}
	s.open[id] = c
	if c.batch != nil {
		c.batch.open++
	}
	return true
}

// cancel marks the call with this id as cancelled and takes it out of its
// batch, if any, which is not to wait for it. There is nothing to cancel where
// ok is false.
func (s *calls) cancel(id jsonrpc.ID) (from *batch, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.open[id]
	// MCP forbids to cancel the handshake.
	if c == nil || c.cancelled || c.method == methodInitialize {
		return nil, false
	}
	c.cancelled = true
	from, c.batch = c.batch, nil
	s.announce()
	return from, true
}

// take returns the call that is answered, which nobody changes any more, or nil.
// Its id is free from here on, before the answer is written: the client may use
// it again as soon as it sees the answer.
func (s *calls) take(response *jsonrpc.Response) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.open[response.ID]
	if c == nil {
		return nil
	}
	delete(s.open, response.ID)
	if c.method == methodInitialize && response.Error == nil {
		_ = json.Unmarshal(member(response.Result, "protocolVersion"), &s.version) // a string: it is the SDK's
	}
	s.announce()
	return c
}

// collect adds answers to a batch, which waits for one thing less now. The
// result is all its answers once it waits for nothing.
func (s *calls) collect(b *batch, answers ...[]byte) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.answers = append(b.answers, answers...)
	if b.open--; b.open > 0 {
		return nil
	}
	return b.answers
}

// agreed returns the protocol version, "" before any handshake, once no
// handshake is under way: a batch may come right behind one.
func (s *calls) agreed(ctx context.Context) string {
	s.waitWhile(ctx, func(c *call) bool { return c.method == methodInitialize })
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// isOpen is for waitWhile.
func isOpen(*call) bool { return true }

// waitWhile returns true when no open call is such a one, false if ctx is done
// before.
func (s *calls) waitWhile(ctx context.Context, such func(*call) bool) bool {
	for {
		s.mu.Lock()
		found, changed := s.find(such), s.changed
		s.mu.Unlock()
		if !found {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (s *calls) find(such func(*call) bool) bool {
	for _, c := range s.open {
		if such(c) {
			return true
		}
	}
	return false
}

// announce wakes the callers of waitWhile.
func (s *calls) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}
