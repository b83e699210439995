package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The methods that the connection itself handles specially.
const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"
)

// A call is a request that was passed to the SDK and has not been answered yet.
type call struct {
	id        json.RawMessage // as written by the client
	method    string
	answers   *answers // the group of answers to which its answer belongs
	cancelled bool
}

// awaited reports whether the session waits for the call's answer after the end
// of input. Subscriptions end with the session.
func (c *call) awaited() bool { return !c.cancelled && c.method != methodListen }

// answers collects the answers to one line, which is a message or a batch. It
// is guarded by the mutex of calls.
type answers struct {
	isBatch bool
	missing int // missing answers, plus one while a batch is being read
	texts   [][]byte
}

// calls has the open calls, and the protocol version of the session.
type calls struct {
	mu      sync.Mutex
	open    map[jsonrpc.ID]*call
	version string        // negotiated; "" before the handshake
	changed chan struct{} // closed and replaced when a call is answered or canceled
}

func newCalls() *calls {
	return &calls{open: make(map[jsonrpc.ID]*call), changed: make(chan struct{})}
}

// begin registers a call. It returns false if an open call has the same id.
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

// cancel marks the call with the given id as canceled. It returns the group of
// answers that no longer waits for it, or nil if there is no such call.
func (s *calls) cancel(id jsonrpc.ID) *answers {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.open[id]
	// MCP forbids canceling the handshake.
	if c == nil || c.cancelled || c.method == methodInitialize {
		return nil
	}
	others := c.answers
	c.cancelled, c.answers = true, &answers{missing: 1}
	s.announce()
	return others
}

// take removes and returns the call that a response answers, or nil. Its id is
// free again even before the answer is written, since the client may reuse it
// as soon as it sees the answer.
func (s *calls) take(response *jsonrpc.Response) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.open[response.ID]
	if c == nil {
		return nil
	}
	delete(s.open, response.ID)
	if c.method == methodInitialize && response.Error == nil {
		_ = json.Unmarshal(member(response.Result, "protocolVersion"), &s.version) // the SDK has encoded it as a string
	}
	s.announce()
	return c
}

// collect adds texts to a group of answers and counts one missing answer less.
// When the group is complete, it returns the line to write, or nil if there is
// nothing to answer, as for notifications.
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

// agreed returns the negotiated protocol version, "" before any handshake. It
// waits for a handshake in progress, since a batch may follow one immediately.
func (s *calls) agreed(ctx context.Context) string {
	s.waitWhile(ctx, func(c *call) bool { return c.method == methodInitialize })
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// isOpen matches all calls, for waitWhile.
func isOpen(*call) bool { return true }

// waitWhile waits until no open call matches such, and returns true. If ctx is
// done before, it returns false.
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
