package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
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
	answers   *answers // where its answer goes
	cancelled bool
}

// awaited reports whether the end of input waits for the call's answer. It does
// not for subscriptions, which end with the session.
func (c *call) awaited() bool { return !c.cancelled && c.method != methodListen }

// Answers are those to one line, a message or a batch. Guarded by the mutex of
// the calls.
type answers struct {
	isBatch bool
	missing int // answers, plus one while a batch is being read
	texts   [][]byte
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
	c.answers.missing++
	return true
}

// cancel marks the call with this id as cancelled. The result are the answers
// that are not to wait for it any more, nil where there is nothing to cancel.
func (s *calls) cancel(id jsonrpc.ID) *answers {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.open[id]
	// MCP forbids to cancel the handshake.
	if c == nil || c.cancelled || c.method == methodInitialize {
		return nil
	}
	others := c.answers
	c.cancelled, c.answers = true, &answers{missing: 1}
	s.announce()
	return others
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

// collect adds texts to the answers to a line, of which one thing less is missing
// now. The result is the line that answers it, nil while something is missing or
// where there is nothing to answer, as for notifications.
func (s *calls) collect(a *answers, texts ...[]byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.texts = append(a.texts, texts...)
	a.missing--
	switch {
	case a.missing > 0 || len(a.texts) == 0:
		return nil
	case !a.isBatch:
		return a.texts[0]
	}
	return slices.Concat([]byte("["), bytes.Join(a.texts, []byte(",")), []byte("]"))
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
