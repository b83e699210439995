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
	maxWait     = 3600 // seconds
	reportEvery = 5 * time.Second
)

// Waiting is what a caller lends to operations that wait. Both may be nil.
type Waiting struct {
	// Until derives the context that ends a wait where that is earlier than
	// the end of the call: what was asked is then still answered.
	Until func(context.Context) (context.Context, context.CancelFunc)
	// Report hears of a wait when it begins and every few seconds after that.
	Report func(Progress)
}

// Progress is how far a wait has come.
type Progress struct {
	Waited, Limit time.Duration
	Message       string // what blocks it
}

type waitingKey struct{}

// WithWaiting lends w to the operations that are called with the result.
func WithWaiting(ctx context.Context, w Waiting) context.Context {
	return context.WithValue(ctx, waitingKey{}, w)
}

// A wait is one call waiting: until when, and what wakes it.
type wait struct {
	call     *call
	lent     Waiting
	asked    context.Context // the call's own; while it waits, the call has one that ends with the wait
	cancel   []context.CancelFunc
	began    time.Time
	deadline time.Time
	watch    *queue.Watch
	reported time.Time
	by       blockers // what blocked it by the last read, without that read, which may be long
	last     bool     // the remote was asked once more when the time was up
	unasked  bool     // and did not answer
	watched  string   // the directory of the file that is waited for; "": locks and tickets are
	file     string   // its name
}

var errDeadline = errors.New("the time is up")

// beginWait begins a wait of at most that long.
func beginWait(c *call, limit time.Duration) *wait {
	w := &wait{call: c, asked: c.ctx, began: c.dir.Now()}
	w.lent, _ = c.ctx.Value(waitingKey{}).(Waiting)
	w.deadline = w.began.Add(limit)
	ctx, cancel := context.WithDeadlineCause(c.ctx, w.deadline, errDeadline)
	c.ctx, w.cancel = ctx, []context.CancelFunc{cancel}
	return w
}

// block notes what the wait is for.
func (w *wait) block(b blockers) { w.by = blockers{locks: b.locks, tickets: b.tickets} }

// next waits for a change and reports whether to read again: false once the
// wait is over. The first time it begins to watch and returns at once, so that
// whatever changed before is seen by the read that follows.
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

// over reports whether the wait has ended. The deadline is judged by the wall
// clock as well, as others judge a ticket's: it advances while a machine sleeps.
func (w *wait) over() bool {
	return w.call.ctx.Err() != nil || w.call.dir.Now().Round(0).After(w.deadline.Round(0))
}

// watchClones has the remote looked at now and then while another clone's lock
// blocks: nothing here changes when it ends there.
func (w *wait) watchClones() {
	if w.by.afar() {
		w.call.lookIfOlder(turnFor)
	}
}

// lastLook asks the remote once more when the time is up, and reports whether
// the claim is to be tried a last time: another clone's lock may have ended.
func (w *wait) lastLook(n *confirming) bool {
	if n == nil || w.last || !w.by.afar() || !errors.Is(w.why(), errDeadline) {
		return false
	}
	c := w.call
	ctx, cancel := context.WithTimeoutCause(w.asked, turnFor, errLate)
	defer cancel()
	c.ctx, w.last = ctx, true
	w.unasked = !n.askRemote()
	w.deadline = n.end
	ctx, end := context.WithDeadlineCause(w.asked, n.end, errDeadline)
	c.ctx, w.cancel = ctx, append(w.cancel, end)
	return !w.unasked
}

// withoutDeadline is a context that ends with the wait, except at its deadline.
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

// why says what ended the wait.
func (w *wait) why() error {
	if ctx := w.call.ctx; ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errDeadline
}

func (w *wait) waited() time.Duration { return w.call.dir.Now().Sub(w.began) }

// report says what blocks, not too often.
func (w *wait) report(message func() string) {
	now := w.call.dir.Now()
	if w.lent.Report == nil || !w.reported.IsZero() && now.Sub(w.reported) < reportEvery {
		return
	}
	w.reported = now
	w.lent.Report(Progress{Waited: w.waited(), Limit: w.deadline.Sub(w.began), Message: message()})
}

// stop lets go of all that the wait held.
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

// parseSeconds checks how long a caller wants to wait.
func parseSeconds(argument string, n float64) (time.Duration, error) {
	if math.IsNaN(n) || n < 0 || n > maxWait {
		return 0, fault.Input("`%s` %s is not a number of seconds from 0 to %d", argument, rules.NumberText(n), maxWait).
			WithHint("give the most seconds to wait")
	}
	return time.Duration(n * float64(time.Second)), nil
}
