package listen

import (
	"net"
	"net/http"
	"sync"
)

// Seats are the connections that there are, at most maxConns. For one more the
// connection goes that has been doing nothing for longest: so those that only
// stand there keep nobody out.
type seats struct {
	mu   sync.Mutex
	turn uint64
	idle map[net.Conn]uint64 // not in a request, since which turn
	busy map[net.Conn]bool
}

func newSeats() *seats { return &seats{idle: map[net.Conn]uint64{}, busy: map[net.Conn]bool{}} }

// changed is the http.Server's ConnState.
func (s *seats) changed(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	switch state {
	case http.StateNew:
		s.idle[c] = s.turn
		if len(s.idle)+len(s.busy) > maxConns {
			s.longestIdle().Close() // its own end takes it off the list
		}
	case http.StateIdle:
		delete(s.busy, c)
		s.idle[c] = s.turn
	case http.StateActive:
		delete(s.idle, c)
		s.busy[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(s.idle, c)
		delete(s.busy, c)
	}
}

// longestIdle takes a connection out of the idle ones, of which there is one at
// least: the newest.
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

// dismiss closes the connections that are in no request.
func (s *seats) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.idle {
		c.Close()
	}
}
