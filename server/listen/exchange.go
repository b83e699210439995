package listen

import (
	"context"
	"errors"
	"sync"
	"time"
)

// An exchange is one request, from its arrival to the end of its answer.
type exchange struct {
	session, id string // by which a client cancels it; "" where it said none
	token       digest
	only        *repository // what its endpoint reaches; nil: all
	subscribes  bool        // it has no answer: only its end ends it
	wasRead     func()      // leaves the place of a large message

	left  context.Context // done once the client left, or cancelled
	leave context.CancelCauseFunc
	told  context.Context // done once its waits are to end
	tell  context.CancelCauseFunc

	mu      sync.Mutex
	agent   string // who calls, as the call says
	reached string // the repository that it reached, by its name
	todo    func() // once the answer is out

	settling *settling // the listener's
	settled  func()    // of todo
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// Why waits end.
var (
	errStopping  = errors.New("the listener is being stopped")
	errRevoked   = errors.New("the token was revoked")
	errClosed    = errors.New("the client closed its session")
	errCancelled = errors.New("the client cancelled the call")
)

// During is a context of a call that ends with its client: the SDK's outlives
// that.
func During(ctx context.Context) (context.Context, context.CancelFunc) {
	during, cancel := context.WithCancelCause(ctx)
	x := exchangeOf(ctx)
	if x == nil {
		return during, func() { cancel(nil) }
	}
	stop := context.AfterFunc(x.left, func() { cancel(context.Cause(x.left)) })
	return during, func() {
		stop()
		cancel(nil)
	}
}

// UntilTold is for calls that wait, as stdio.UntilInputEnds: the context that it
// derives is cancelled as soon as waits are to end, with the reason as its cause.
// What was asked is then still answered.
func UntilTold(ctx context.Context) (context.Context, context.CancelFunc) {
	until, cancel := context.WithCancelCause(ctx)
	x := exchangeOf(ctx)
	if x == nil {
		return until, func() { cancel(nil) }
	}
	stop := context.AfterFunc(x.told, func() { cancel(context.Cause(x.told)) })
	return until, func() {
		stop()
		cancel(nil)
	}
}

// AfterAnswer arranges that todo is done once the client has been sent the answer,
// as stdio.AfterAnswer. Until then calls of the same agent wait (Settled).
func AfterAnswer(ctx context.Context, todo func()) func(result []byte) []byte {
	if x := exchangeOf(ctx); x != nil && todo != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.todo, x.settled = todo, x.settling.begin(x.agent)
	}
	return func(result []byte) []byte { return result }
}

// answered does what was to be done once the answer is out, if it is.
func (x *exchange) answered(out bool) {
	x.mu.Lock()
	todo, settled := x.todo, x.settled
	x.mu.Unlock()
	if todo == nil {
		return
	}
	defer settled()
	if out && x.left.Err() == nil {
		todo()
	}
}

// By notes who calls, once that was read.
func By(ctx context.Context, agent string) {
	if x := exchangeOf(ctx); x != nil {
		x.wasRead()
		x.mu.Lock()
		x.agent = agent
		x.mu.Unlock()
	}
}

// Reached is the name of the repository that a call reached; "" where it reached
// none.
func Reached(ctx context.Context) string {
	x := exchangeOf(ctx)
	if x == nil {
		return ""
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.reached
}

// settling are the agents that have been sent an answer of which it is being
// recorded that they were.
type settling struct {
	mu sync.Mutex
	of map[string]chan struct{}
}

// settleWithin bounds how long one client can hold up others of the same name.
const settleWithin = 2 * time.Second

// begin says that such an answer goes out; the result says that it is done.
func (s *settling) begin(agent string) (done func()) {
	settled := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]chan struct{}{}
	}
	s.of[agent] = settled
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(settled)
		if s.of[agent] == settled {
			delete(s.of, agent)
		}
	}
}

// Settled waits until it is recorded that an agent was sent what it was: who has
// seen an answer finds that done.
func (l *Listener) Settled(ctx context.Context, agent string) {
	l.settling.mu.Lock()
	settled := l.settling.of[agent]
	l.settling.mu.Unlock()
	if settled == nil {
		return
	}
	select {
	case <-settled:
	case <-ctx.Done():
	case <-time.After(settleWithin):
	}
}
