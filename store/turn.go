package store

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// waitSeconds validates how long a claim waits. Not waiting at all is what
// if_free is for.
func waitSeconds(n float64) (time.Duration, error) {
	limit := time.Duration(n * float64(time.Second))
	if !(n > 0 && n <= maxWait) || limit == 0 {
		return 0, fault.Input("`wait_seconds` %s is not a number of seconds above 0 and at most %d",
			rules.NumberText(n), maxWait).
			WithHint("give the most seconds to wait; to claim without waiting use `if_free`")
	}
	return limit, nil
}

// claimInTurn waits for a claim's turn and then writes its lock (design,
// section 11). If it fails, nothing is taken and no ticket is left. If another
// clone was first, the claim keeps its place and keeps waiting.
func claimInTurn(c *call, k *claim, limit time.Duration, n *confirming) (Created, error) {
	w := beginWait(c, limit)
	place := &queue.Place{}
	defer func() {
		if err := errors.Join(place.Leave(), w.stop()); err != nil {
			c.warn("%v", err)
		}
	}()
	var out *Created
	_, err := findBlockers(c, k, place) // compares scopes before others have to wait for the mutex
	if err == nil {
		out, err = claimTurn(c, k, place, w, n)
	}
	for out == nil {
		switch {
		case isOver(err):
			return Created{}, err
		case w.last, w.over() && !w.lastLook(n):
			return Created{}, gaveUp(c, k, place, w)
		case w.last: // one more attempt
		case err != nil && !errors.Is(err, fault.StoreBusy):
			return Created{}, err
		case !w.next() && !w.lastLook(n):
			return Created{}, gaveUp(c, k, place, w)
		}
		w.watchClones()
		clear(k.compared) // the files behind these names may have changed meanwhile
		var mayClaim bool
		if mayClaim, err = turnMayHaveCome(c, k, place, w); mayClaim {
			out, err = claimTurn(c, k, place, w, n)
		}
	}
	return *out, nil
}

// claimTurn takes the turn, if it has come, and has the claim confirmed. It
// returns nil if the claim has to keep waiting in its place.
func claimTurn(c *call, k *claim, place *queue.Place, w *wait, n *confirming) (*Created, error) {
	out, err := takeTurn(c, k, place, w, n != nil)
	if out == nil || err != nil {
		return nil, err
	}
	ctx, cancel := w.withoutDeadline()
	defer cancel()
	if err := n.confirm(ctx, out.ID); errors.Is(err, fault.Conflict) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := place.Leave(); err != nil {
		c.warn("%v", err)
	}
	return out, nil
}

// takeTurn writes the lock if nothing blocks it. Otherwise it makes sure that
// the claim is in the queue, and returns nil. Refusing, queueing and granting
// each happen in one transaction with the read that they are based on. placed
// means that the claim may still be refused, so it keeps a place even when
// granted, which the caller must give up.
func takeTurn(c *call, k *claim, place *queue.Place, w *wait, placed bool) (*Created, error) {
	return change(c, func(tx *disk.Tx) (*Created, error) {
		live, err := queue.Sweep(c.ctx, tx)
		if err != nil {
			return nil, err
		}
		if err := place.Keep(c.dir); err != nil {
			return nil, err
		}
		read, err := c.listAnywhere()
		if err != nil {
			return nil, err
		}
		b := judgeClaim(c, k, read, place.Earlier(live))
		switch {
		case w.over():
			return nil, w.why()
		case b.none():
			if placed && !place.Taken() {
				if err := place.Join(tx, k.ticket(c.now().Raw, w.deadline)); err != nil {
					return nil, err
				}
			}
			out, err := grantClaim(c, tx, k, b)
			if err == nil && !placed {
				if err := place.Leave(); err != nil {
					c.warn("%v", err)
				}
			}
			return &out, err
		}
		w.block(b)
		if place.Taken() {
			return nil, nil
		}
		if through := circleOf(c, k, b, live); through != "" {
			return nil, deadlockOf(c, k, b, through)
		}
		if err := place.Join(tx, k.ticket(c.now().Raw, w.deadline)); err != nil {
			return nil, err
		}
		w.report(func() string { return blockedText(w.by) })
		return nil, nil
	})
}

// turnMayHaveCome checks without the mutex whether taking it is worthwhile. A
// single blocker is enough to keep waiting, and the nearest one is checked
// first. So in a long queue everybody waits for the one just ahead, and a
// waiter that leaves wakes only one other.
func turnMayHaveCome(c *call, k *claim, place *queue.Place, w *wait) (bool, error) {
	c.paths.Refill()
	if err := c.dir.Refresh(); err != nil {
		return false, err
	}
	nearest, kept, err := queue.Nearest(c.dir, place, func(t queue.Ticket) bool { return comesFirst(c, k, t) })
	if err != nil || !kept {
		return !kept, err // queue again
	}
	if nearest != nil {
		w.block(blockers{tickets: []queue.Ticket{*nearest}})
	} else if !stillBlocked(c, k, w) {
		read, err := c.listAnywhere()
		if err != nil {
			return false, err
		}
		b := judgeClaim(c, k, read, nil)
		if b.none() {
			return true, nil
		}
		w.block(b)
	}
	w.report(func() string { return blockedText(w.by) })
	return false, nil
}

// gaveUp returns the error for a wait that ended without a claim: why, and what
// blocked it.
func gaveUp(c *call, k *claim, place *queue.Place, w *wait) error {
	why, waited := w.why(), secondsText(w.waited())
	ended := fmt.Sprintf("stopped waiting after %s: %v", waited, why)
	if errors.Is(why, errDeadline) {
		ended = fmt.Sprintf("timed out after %s", waited)
	}
	if w.unasked {
		ended += ", and the remote does not answer any more"
	}
	c.ctx = w.asked
	if c.ctx.Err() != nil { // nobody is left to read the answer
		return &fault.Error{Code: fault.Timeout, Message: ended + "; nothing was claimed",
			Detail: Refusal{Code: fault.Timeout, Overlaps: []Summary{}}, Err: why}
	}
	b, err := findBlockers(c, k, place)
	if err != nil {
		c.warn("cannot tell what blocked the claim: %v", err)
	}
	e := blockedError(c, fault.Timeout, k, b)
	e.Message = fmt.Sprintf("%s; nothing was claimed: %s", ended, e.Message)
	again := "choose other files, or wait again: your place in the queue was given up"
	e.Hint = strings.Join(slices.Concat(otherBlockers(b), []string{again}, b.offline(c)), "\n") + ownHint(c, k, b)
	e.Err = why
	return e
}

// secondsText formats a duration in seconds and tenths.
func secondsText(d time.Duration) string {
	return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + "s"
}
