package listen

import (
	"context"
	"errors"
	"sync"
	"time"
)

// An exchange is one request, from its arrival until its answer has been sent.
type exchange struct {
	session, id string // identify the call for cancellation; "" if not given
	token       digest
	only        *repository // the only repository its endpoint reaches; nil: all
	subscribes  bool        // gets no answer; lasts until it is ended
	wasRead     func()      // releases the slot of a large message

	left  context.Context // done once the client has left or canceled
	leave context.CancelCauseFunc
	told  context.Context // done once it should stop waiting
	tell  context.CancelCauseFunc

	mu      sync.Mutex
	agent   string // the caller, according to the call
	reached string // the name of the repository that it reached
	todo    func() // what to do once the answer has been sent

	settling *settling // the listener's
	settled  func()    // marks todo as done
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// The reasons why waits end.
var (
	errStopping  = errors.New("the listener is being stopped")
	errRevoked   = errors.New("the token was revoked")
	errClosed    = errors.New("the client closed its session")
	errCancelled = errors.New("the client cancelled the call")
)

// During derives a context for a call that ends when its client leaves, unlike
// the SDK's context.
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

// UntilTold is stdio.UntilInputEnds for a listener: it derives a context for
// calls that wait, which is canceled as soon as they should stop waiting, with
// the reason as its cause. The call is still answered.
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

// AfterAnswer runs todo after the answer has been sent to the client, like
// stdio.AfterAnswer. Until it is done, calls of the same agent wait (see Settled).
func AfterAnswer(ctx context.Context, todo func()) func(result []byte) []byte {
	if x := exchangeOf(ctx); x != nil && todo != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.todo, x.settled = todo, x.settling.begin(x.agent)
	}
	return func(result []byte) []byte { return result }
}

// answered runs todo if the answer has been sent.
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

// By records the caller of a call, once its arguments have been read.
func By(ctx context.Context, agent string) {
	if x := exchangeOf(ctx); x != nil {
		x.wasRead()
		x.mu.Lock()
		x.agent = agent
		x.mu.Unlock()
	}
}

// Reached returns the name of the repository that a call reached, or "".
func Reached(ctx context.Context) string {
	x := exchangeOf(ctx)
	if x == nil {
		return ""
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.reached
}

// settling has the agents for which a todo (see AfterAnswer) is not done yet.
type settling struct {
	mu sync.Mutex
	of map[string]chan struct{}
}

// settleWithin bounds how long one client can delay others with the same agent id.
const settleWithin = 2 * time.Second

// begin marks an agent as settling until done is called.
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

// Settled waits until everything is recorded that follows from the answers sent
// to an agent: a caller that has seen an answer can rely on it.
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
