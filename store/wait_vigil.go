package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
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
		return 0, fault.Input("`%s` %s is not a number of seconds from 0 to %d", argument, numberText(n), maxWait).WithHint("say how many seconds to wait at most")
	}
	return time.Duration(n * float64(time.Second)), nil
}

// A vigil is one wait: what it waits under, until when, and what wakes it.
type vigil struct {
	store    *Store
	dir      *disk.Dir
	lent     Waiting
	call     context.Context // the call's own
	ctx      context.Context // ends when the wait does
	cancel   []context.CancelFunc
	began    time.Time
	deadline time.Time
	watch    *queue.Watch
	told     time.Time
	on       string // the file whose change can end the wait; "" where any may
	warnings int    // how many the call had when the wait began
}

// vigil begins a wait of at most that long.
func (c *call) vigil(limit time.Duration) *vigil {
	v := &vigil{store: c.store, dir: c.dir, call: c.ctx, began: c.dir.Now(), warnings: len(c.warnings)}
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
		v.watch.Next(v.ctx, v.on)
		return !v.over()
	}
	if v.over() {
		return false
	}
	if v.lent.Until != nil {
		ctx, cancel := v.lent.Until(v.ctx)
		v.ctx, v.cancel = ctx, append(v.cancel, cancel)
	}
	poll := cmp.Or(v.store.poll, queue.PollEvery)
	if v.watch = queue.NewPoll(poll); !v.store.pollOnly {
		v.watch = queue.NewWatch(v.dir, poll)
	}
	return !v.over()
}

// over reports whether the wait has ended. The deadline is judged by the wall
// clock as well, as others judge a ticket's: it goes on while a machine sleeps.
func (v *vigil) over() bool {
	return v.ctx.Err() != nil || v.dir.Now().Round(0).After(v.deadline.Round(0))
}

// why says what ended the wait.
func (v *vigil) why() error {
	if v.ctx.Err() != nil {
		return context.Cause(v.ctx)
	}
	return errDeadline
}

func (v *vigil) waited() time.Duration { return v.dir.Now().Sub(v.began) }

// tell says what is in the way, not too often.
func (v *vigil) tell(message func() string) {
	now := v.dir.Now()
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
	if err := v.watch.Close(); err != nil {
		return fmt.Errorf("stop watching: %w", err)
	}
	return nil
}
