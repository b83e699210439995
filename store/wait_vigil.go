package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

const (
	maxWait   = 3600 // seconds
	tellEvery = 5 * time.Second
)

// Waiting is what a caller lends to operations that wait. Both may be nil.
type Waiting struct {
	// Until derives the context that ends a wait where that is earlier than
	// the end of the call: what was asked is then still answered.
	Until func(context.Context) (context.Context, context.CancelFunc)
	// Tell hears of a wait when it begins and every few seconds after that.
	Tell func(Progress)
}

// Progress is how far a wait has come.
type Progress struct {
	Waited, Limit time.Duration
	Message       string // what is in the way
}

type waitingKey struct{}

// WithWaiting lends w to the operations that are called with the result.
func WithWaiting(ctx context.Context, w Waiting) context.Context {
	return context.WithValue(ctx, waitingKey{}, w)
}

// seconds checks how long a caller wants to wait.
func seconds(argument string, n float64) (time.Duration, error) {
	if math.IsNaN(n) || n < 0 || n > maxWait {
		e := badInput("`%s` %s is not a number of seconds from 0 to %d", argument, numberText(n), maxWait)
		e.Hint = "say how many seconds to wait at most"
		return 0, e
	}
	return time.Duration(n * float64(time.Second)), nil
}

// A vigil is one wait: what it waits under, until when, and what wakes it.
type vigil struct {
	dir      *dir
	lent     Waiting
	call     context.Context // the call's own
	ctx      context.Context // ends when the wait does
	cancel   []context.CancelFunc
	began    time.Time
	deadline time.Time
	watch    *watch
	told     time.Time
	on       string // the file whose change can end the wait; "" where any may
	warnings int    // how many the call had when the wait began
}

// vigil begins a wait of at most that long.
func (c *call) vigil(limit time.Duration) *vigil {
	v := &vigil{dir: c.dir, call: c.ctx, began: c.dir.now(), warnings: len(c.warnings)}
	v.lent, _ = c.ctx.Value(waitingKey{}).(Waiting)
	v.deadline = v.began.Add(limit)
	ctx, cancel := context.WithDeadlineCause(c.ctx, v.deadline, errDeadline)
	v.ctx, v.cancel = ctx, []context.CancelFunc{cancel}
	return v
}

// forgetLook drops what the last look warned of, since another one follows:
// all but the first warnings.
func (c *call) forgetLook(warnings int) {
	c.warnings, c.unreadable = c.warnings[:warnings], 0
	c.budget.Refill()
}

var errDeadline = errors.New("the time is up")

// next waits for a change and reports whether to look again: false once the
// wait is over. The first time it begins to watch and returns at once, so that
// whatever changed before is seen by the look that follows.
func (v *vigil) next() bool {
	if v.watch != nil {
		v.watch.next(v.ctx, v.on)
		return !v.over()
	}
	if v.over() {
		return false
	}
	if v.lent.Until != nil {
		ctx, cancel := v.lent.Until(v.ctx)
		v.ctx, v.cancel = ctx, append(v.cancel, cancel)
	}
	v.watch = v.dir.newWatch()
	return !v.over()
}

// over reports whether the wait has ended. The deadline is judged by the wall
// clock as well, as others judge a ticket's: it goes on while a machine sleeps.
func (v *vigil) over() bool {
	return v.ctx.Err() != nil || v.dir.now().Round(0).After(v.deadline.Round(0))
}

// why says what ended the wait.
func (v *vigil) why() error {
	if v.ctx.Err() != nil {
		return context.Cause(v.ctx)
	}
	return errDeadline
}

func (v *vigil) waited() time.Duration { return v.dir.now().Sub(v.began) }

// tell says what is in the way, not too often.
func (v *vigil) tell(message func() string) {
	now := v.dir.now()
	if v.lent.Tell == nil || !v.told.IsZero() && now.Sub(v.told) < tellEvery {
		return
	}
	v.told = now
	v.lent.Tell(Progress{Waited: v.waited(), Limit: v.deadline.Sub(v.began), Message: message()})
}

// end lets go of all that the wait held.
func (v *vigil) end() error {
	for _, cancel := range v.cancel {
		cancel()
	}
	if err := v.watch.close(); err != nil {
		return fmt.Errorf("stop watching: %w", err)
	}
	return nil
}
