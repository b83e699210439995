package listen

import (
	"net"
	"net/http"
	"sync"
)

// seats limits the number of connections to maxConns. To admit one more, it
// closes the connection that has been idle longest, so that idle connections
// keep nobody out. If all are in a request, the new one waits: a refused
// connection, for example, ends within half a second.
type seats struct {
	mu   sync.Mutex
	free *sync.Cond // a connection has ended or become idle
	turn uint64
	idle map[net.Conn]uint64 // not in a request; the value orders them by age
	busy map[net.Conn]bool
	left map[net.Conn]bool // closed to admit another one, but not yet reported as closed
}

func newSeats() *seats {
	s := &seats{idle: map[net.Conn]uint64{}, busy: map[net.Conn]bool{}, left: map[net.Conn]bool{}}
	s.free = sync.NewCond(&s.mu)
	return s
}

// changed is the http.Server's ConnState hook.
func (s *seats) changed(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	switch {
	case state == http.StateClosed || state == http.StateHijacked:
		delete(s.idle, c)
		delete(s.busy, c)
		delete(s.left, c)
		s.free.Signal()
	case s.left[c]: // data that it had already sent makes it active again
	case state == http.StateNew: // this blocks the accept loop
		for len(s.busy) >= maxConns {
			s.free.Wait()
		}
		if len(s.idle)+len(s.busy) >= maxConns {
			longest := s.longestIdle()
			s.left[longest] = true
			longest.Close()
		}
		s.idle[c] = s.turn
	case state == http.StateIdle:
		delete(s.busy, c)
		s.idle[c] = s.turn
		s.free.Signal()
	case state == http.StateActive:
		delete(s.idle, c)
		s.busy[c] = true
	}
}

// longestIdle removes and returns the connection that has been idle longest.
// There must be one.
func (s *seats) longestIdle() net.Conn {
	var longest net.Conn
	for c, since := range s.idle {
		if longest == nil || since < s.idle[longest] {
			longest = c
		}
	}
	delete(s.idle, longest)
	return longest
}

// dismiss closes the idle connections.
func (s *seats) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.idle {
		c.Close()
	}
}
