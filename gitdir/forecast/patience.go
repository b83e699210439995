package forecast

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
)

// git can hang: at a fifo that is called .gitattributes, a filter that waits, a
// network drive that is gone. What it has not answered in time is not known, and
// one worktree that hangs holds up no other.

const (
	usualLimit = time.Minute

	// The shares of the limit for which worktrees are waited for: to find out where
	// their git directory is, and for their snapshots.
	toFind, toTake = 6, 2 // limit / toFind, limit / toTake

	placeTime = 2 * time.Second // so long one that is slow has a place among those that are asked at a time
	lastWords = 2 * time.Second // so long those that are given up may take to end
)

var errLate = errors.New("late")

const tooLate = "git did not answer in time" // of a side

// within is the context that ends after a share of the limit.
func (f *forecast) within(ctx context.Context, divisor time.Duration) (context.Context, context.CancelFunc) {
	limit := f.request.Limit / divisor
	return context.WithTimeoutCause(ctx, limit, &gitdir.Error{
		Kind: gitdir.ErrGitFailed, Err: errLate, Message: fmt.Sprintf("git did not answer within %v", rounded(limit)),
		Hint: "see whether `git status` finishes there; a longer limit (--timeout) may help",
	})
}

// rounded is a time as people say it.
func rounded(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(time.Second / 10)
	}
	return d.Round(max(time.Millisecond, d/100))
}

// ended is the error of a context that the caller has ended. That time is up is
// not one: what was found until then counts.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, errLate) {
		return cause
	}
	return nil
}

// patiently does n things, a few at a time, until the context ends. One that is
// slow gives up its place, and one that does not end is left alone: then done,
// which is called for one after the other, is not called for it.
func patiently[T any](ctx context.Context, n int, do func(i int) T, done func(i int, result T)) {
	type outcome struct {
		i      int
		result T
	}
	outcomes := make(chan outcome, n)
	places := make(chan struct{}, 2*runtime.GOMAXPROCS(0)+1) // so that the last ones end together
	go func() {
		for i := range n {
			select {
			case places <- struct{}{}:
			case <-ctx.Done(): // do ends at once
			}
			go func() {
				leave := sync.OnceFunc(func() {
					select {
					case <-places:
					default:
					}
				})
				defer leave()
				defer time.AfterFunc(placeTime, leave).Stop()
				outcomes <- outcome{i, do(i)}
			}()
		}
	}()
	var late <-chan time.Time
	stopped := ctx.Done()
	for left := n; left > 0; {
		select {
		case o := <-outcomes:
			done(o.i, o.result)
			left--
		case <-stopped:
			stopped, late = nil, time.After(lastWords)
		case <-late:
			return
		}
	}
}
