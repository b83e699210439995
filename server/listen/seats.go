package listen

import (
	"net"
	"net/http"
	"sync"
)

// Seats are the connections that there are, at most maxConns. For one more the
// connection goes that has been doing nothing for longest: so those that only
// stand there keep nobody out. Where each is in a request, one more waits: a
// connection that was refused ends half a second later.
type seats struct {
	mu   sync.Mutex
	free *sync.Cond // a connection has left, or does nothing any more
	turn uint64
	idle map[net.Conn]uint64 // not in a request, since which turn
	busy map[net.Conn]bool
	left map[net.Conn]bool // closed for another one, and not at their end
}

func newSeats() *seats {
	s := &seats{idle: map[net.Conn]uint64{}, busy: map[net.Conn]bool{}, left: map[net.Conn]bool{}}
	s.free = sync.NewCond(&s.mu)
	return s
}

// changed is the http.Server's ConnState.
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
	case s.left[c]: // a part of a request that it had sent makes it active once more
	case state == http.StateNew: // what accepts connections waits here
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

// longestIdle takes a connection out of the idle ones, of which there is one at
// least.
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
