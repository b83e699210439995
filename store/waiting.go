package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

const (
	maxWait     = 3600 // in seconds
	reportEvery = 5 * time.Second
)

// Waiting holds a caller's hooks for operations that wait. Both may be nil.
type Waiting struct {
	// Until derives a context that may end the wait before the call: the
	// operation then still answers.
	Until func(context.Context) (context.Context, context.CancelFunc)
	// Report is called when a wait starts, and every few seconds after that.
	Report func(Progress)
}

// Progress is the progress of a wait.
type Progress struct {
	Waited, Limit time.Duration
	Message       string // what blocks the claim
}

type waitingKey struct{}

// WithWaiting returns a context that passes w to operations.
func WithWaiting(ctx context.Context, w Waiting) context.Context {
	return context.WithValue(ctx, waitingKey{}, w)
}

// A wait is the waiting of one call: its deadline, and what wakes it.
type wait struct {
	call     *call
	lent     Waiting
	asked    context.Context // the call's own context; during the wait, the call has one that ends with the wait
	cancel   []context.CancelFunc
	began    time.Time
	deadline time.Time
	watch    *queue.Watch
	reported time.Time
	by       blockers // what blocked it at the last read, without the listing, which may be long
	last     bool     // the remote was asked once more when the time was up
	unasked  bool     // and did not answer
	watched  string   // directory of the file to wait for; "" means locks and tickets
	file     string   // name of that file
}

var errDeadline = errors.New("the time is up")

// beginWait starts a wait of at most limit.
func beginWait(c *call, limit time.Duration) *wait {
	w := &wait{call: c, asked: c.ctx, began: c.dir.Now()}
	w.lent, _ = c.ctx.Value(waitingKey{}).(Waiting)
	w.deadline = w.began.Add(limit)
	ctx, cancel := context.WithDeadlineCause(c.ctx, w.deadline, errDeadline)
	c.ctx, w.cancel = ctx, []context.CancelFunc{cancel}
	return w
}

// block records what the wait is for.
func (w *wait) block(b blockers) { w.by = blockers{locks: b.locks, tickets: b.tickets} }

// next waits for a change and reports whether to read again; it is false once
// the wait is over. The first call only starts to watch and returns at once, so
// that the next read sees all changes made before.
func (w *wait) next() bool {
	c := w.call
	if w.watch != nil {
		w.watch.Next(c.ctx, cmp.Or(w.file, w.by.file()))
		return !w.over()
	}
	if w.over() {
		return false
	}
	if w.lent.Until != nil {
		ctx, cancel := w.lent.Until(c.ctx)
		c.ctx, w.cancel = ctx, append(w.cancel, cancel)
	}
	switch {
	case c.store.watch != nil:
		w.watch = c.store.watch(c.dir)
	case w.watched != "":
		w.watch = queue.WatchDirs(queue.PollEvery, w.watched)
	default:
		w.watch = queue.NewWatch(c.dir, queue.PollEvery)
	}
	return !w.over()
}

// over reports whether the wait has ended. The deadline is checked against the
// wall clock, too, as others do for a ticket: it advances while the machine
// sleeps.
func (w *wait) over() bool {
	return w.call.ctx.Err() != nil || w.call.dir.Now().Round(0).After(w.deadline.Round(0))
}

// watchClones requests periodic looks at the remote while another clone's lock
// blocks, because its end there changes nothing here.
func (w *wait) watchClones() {
	if w.by.afar() {
		w.call.lookIfOlder(lookInterval)
	}
}

// lastLook asks the remote once more when the time is up: the other clone's
// lock may have ended. It reports whether to try the claim a last time.
func (w *wait) lastLook(n *confirming) bool {
	if n == nil || w.last || !w.by.afar() || !errors.Is(w.why(), errDeadline) {
		return false
	}
	c := w.call
	ctx, cancel := context.WithTimeoutCause(w.asked, lookInterval, errLate)
	defer cancel()
	c.ctx, w.last = ctx, true
	w.unasked = !n.askRemote()
	w.deadline = n.end
	ctx, end := context.WithDeadlineCause(w.asked, n.end, errDeadline)
	c.ctx, w.cancel = ctx, append(w.cancel, end)
	return !w.unasked
}

// withoutDeadline returns a context that ends with the wait, but not at its
// deadline.
func (w *wait) withoutDeadline() (context.Context, context.CancelFunc) {
	waits := w.call.ctx
	ctx, cancel := context.WithCancelCause(w.asked)
	stop := context.AfterFunc(waits, func() {
		if why := context.Cause(waits); !errors.Is(why, errDeadline) {
			cancel(why)
		}
	})
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// why returns the cause of the end of the wait.
func (w *wait) why() error {
	if ctx := w.call.ctx; ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errDeadline
}

func (w *wait) waited() time.Duration { return w.call.dir.Now().Sub(w.began) }

// report reports what blocks the wait, at most every few seconds.
func (w *wait) report(message func() string) {
	now := w.call.dir.Now()
	if w.lent.Report == nil || !w.reported.IsZero() && now.Sub(w.reported) < reportEvery {
		return
	}
	w.reported = now
	w.lent.Report(Progress{Waited: w.waited(), Limit: w.deadline.Sub(w.began), Message: message()})
}

// stop releases the wait's resources and restores the call's context.
func (w *wait) stop() error {
	w.call.ctx = w.asked
	for _, cancel := range w.cancel {
		cancel()
	}
	if err := w.watch.Close(); err != nil {
		return fmt.Errorf("stop watching: %w", err)
	}
	return nil
}

// parseSeconds validates how long a caller wants to wait.
func parseSeconds(argument string, n float64) (time.Duration, error) {
	if math.IsNaN(n) || n < 0 || n > maxWait {
		return 0, fault.Input("`%s` %s is not a number of seconds from 0 to %d", argument, rules.NumberText(n), maxWait).
			WithHint("give the most seconds to wait")
	}
	return time.Duration(n * float64(time.Second)), nil
}
