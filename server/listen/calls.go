package listen

import "sync"

// calls are the exchanges in progress.
type calls struct {
	mu   sync.Mutex
	open map[*exchange]bool
	used int // at most maxCalls
}

// enter reserves a slot for a request, if there is one.
func (c *calls) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used == maxCalls {
		return false
	}
	c.used++
	return true
}

func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used--
}

// subscribe releases the slot of an exchange that gets no answer and lasts
// until it ends.
func (c *calls) subscribe(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x.subscribes = true
	c.used--
}

// register records an exchange, unless another one of its session has the same id.
func (c *calls) register(x *exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[*exchange]bool{}
	}
	for other := range c.open {
		if x.session != "" && x.id != "" && other.session == x.session && other.id == x.id {
			return false
		}
	}
	c.open[x] = true
	return true
}

func (c *calls) forget(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, x)
}

// end makes the selected exchanges stop waiting.
func (c *calls) end(why error, meant func(*exchange) bool) {
	c.each(meant, func(x *exchange) {
		x.tell(why)
		if x.subscribes {
			x.leave(why)
		}
	})
}

// cancel cancels the call with the given id in a session.
func (c *calls) cancel(session, id string) {
	if session == "" || id == "" {
		return
	}
	meant := func(x *exchange) bool { return x.session == session && x.id == id }
	c.each(meant, func(x *exchange) { x.leave(errCancelled) })
}

func (c *calls) each(meant func(*exchange) bool, do func(*exchange)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for x := range c.open {
		if meant(x) {
			do(x)
		}
	}
}
