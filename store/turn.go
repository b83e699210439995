package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// claimInTurn waits for a claim's turn and writes its lock then (design,
// section 11). In every other case nothing is taken and no ticket is left.
func (c *call) claimInTurn(k claim, limit time.Duration) (Created, error) {
	v := c.vigil(limit)
	s := &spot{}
	k.known = known{}
	defer func() {
		c.ctx = v.call
		if err := errors.Join(s.leave(), v.end()); err != nil {
			c.warn("%v", err)
		}
	}()
	c.ctx = v.ctx
	var out *Created
	_, err := c.look(k, s) // compares ahead of the mutex
	if err == nil {
		c.forgetLook(v.warnings)
		out, err = c.takeTurn(k, s, v)
	}
	for out == nil {
		if v.over() {
			return Created{}, c.gaveUp(k, s, v)
		}
		if err != nil && !errors.Is(err, StoreBusy) {
			return Created{}, err
		}
		if !v.next() {
			return Created{}, c.gaveUp(k, s, v)
		}
		c.ctx = v.ctx
		c.forgetLook(v.warnings)
		clear(k.known)
		var come bool
		if come, err = c.turnMayHaveCome(k, s, v); come {
			out, err = c.takeTurn(k, s, v)
		}
	}
	return *out, nil
}

// takeTurn writes the lock if nothing is in its way, and else sees to it that
// the claim is in the queue: nil. Refusing, queueing and granting are each one
// step with the look that decides, under one hold of the mutex.
func (c *call) takeTurn(k claim, s *spot, v *vigil) (*Created, error) {
	return change(c, func(h *held) (*Created, error) {
		live, used, err := h.sweepTickets(c.ctx)
		if err != nil {
			return nil, err
		}
		if err := c.keepTurn(h, s); err != nil {
			return nil, err
		}
		entries, err := c.list(h, activeOnly)
		if err != nil {
			return nil, err
		}
		earlier := live
		if s.taken() {
			earlier = before(s.seq, live)
		}
		o := c.obstruction(k, entries, earlier)
		switch {
		case v.over():
			return nil, v.why()
		case o.none():
			out, err := c.grant(h, k, o)
			if err != nil {
				return nil, err
			}
			h.warnError(s.leave())
			return &out, nil
		case s.taken():
			return nil, nil
		}
		if through := c.circle(k, o, entries, live); through != "" {
			return nil, c.deadlock(k, o, through)
		}
		mine, err := h.join(k.ticket(c.stamp().Raw, v.deadline), used)
		if err != nil {
			return nil, err
		}
		*s = *mine
		v.tell(func() string { return c.inTheWay(k, o) })
		return nil, nil
	})
}

// keepTurn gives a ticket up that is in the queue no more, so that the claim
// queues anew.
func (c *call) keepTurn(h *held, s *spot) error {
	if !s.taken() {
		return nil
	}
	waiting, err := h.openQueue()
	if err != nil {
		return err
	}
	stands := s.stands(waiting)
	err = waiting.close()
	if !stands {
		err = errors.Join(err, s.leave())
	}
	return err
}

// before are the tickets that came earlier than seq.
func before(seq uint64, tickets []ticket) []ticket {
	i, _ := slices.BinarySearchFunc(tickets, seq, func(t ticket, seq uint64) int { return cmp.Compare(t.seq, seq) })
	return tickets[:i]
}

// turnMayHaveCome looks without the mutex, which is worth taking only when
// this says so. One thing in the way is enough to go on waiting for, and the
// nearest is looked for first: so that in a long queue everybody waits for the
// one before, and one who leaves wakes one.
func (c *call) turnMayHaveCome(k claim, s *spot, v *vigil) (bool, error) {
	v.on = ""
	if err := c.dir.reopen(); err != nil {
		return false, err
	}
	waiting, err := c.dir.openQueue()
	if err != nil {
		return false, err
	}
	stands := s.stands(waiting)
	var o obstruction
	if stands {
		o.tickets, err = c.nearest(k, s, waiting)
	}
	if err := errors.Join(err, waiting.close()); err != nil || !stands {
		return !stands, err // to queue anew
	}
	if o.none() {
		l, err := c.dir.list(c.ctx, activeOnly)
		if err != nil {
			return false, err
		}
		o = c.obstruction(k, l.entries, nil)
	}
	if o.none() {
		return true, nil
	}
	v.on = o.file()
	v.tell(func() string { return c.inTheWay(k, o) })
	return false, nil
}

// nearest is the last of the live tickets that come before the caller's and
// stand in its way, if there is one. No more of them are probed than it takes.
func (c *call) nearest(k claim, s *spot, waiting *place) ([]ticket, error) {
	published, _, err := waiting.numbers()
	if err != nil {
		return nil, err
	}
	for _, seq := range slices.Backward(published) {
		if seq >= s.seq {
			continue
		}
		t, ok := waiting.ticket(seq)
		if ok && !t.late(c.dir.now()) && c.comesBefore(t, k) && waiting.lives(seq) {
			return []ticket{t}, nil
		}
	}
	return nil, nil
}

// gaveUp says why a wait ended without a claim, and what was in the way.
func (c *call) gaveUp(k claim, s *spot, v *vigil) error {
	why, waited := v.why(), secondsText(v.waited())
	ended := fmt.Sprintf("stopped waiting after %s: %v", waited, why)
	if errors.Is(why, errDeadline) {
		ended = fmt.Sprintf("timed out after %s", waited)
	}
	c.ctx = v.call
	c.forgetLook(v.warnings)
	if c.ctx.Err() != nil { // whoever asked has gone
		return &Error{Code: Timeout, Message: ended + "; nothing was claimed", Detail: Refusal{Code: Timeout, Overlaps: []Summary{}}, Err: why}
	}
	o, err := c.look(k, s)
	if err != nil {
		c.warn("what was in the way is not known: %v", err)
	}
	e := c.obstructed(Timeout, k, o)
	e.Message = fmt.Sprintf("%s; nothing was claimed: %s", ended, e.Message)
	e.Hint = "choose other files, or wait again: your place in the queue was given up" + c.anonymous(k, o)
	e.Err = why
	return e
}

// secondsText is how long a wait took, in seconds and tenths.
func secondsText(d time.Duration) string {
	return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + "s"
}

// look is what is in the way of a claim, as it is without the mutex.
func (c *call) look(k claim, s *spot) (obstruction, error) {
	entries, err := c.list(c.dir, activeOnly)
	if err != nil {
		return obstruction{}, err
	}
	tickets, err := c.dir.liveTickets(c.ctx)
	if s.taken() {
		tickets = before(s.seq, tickets)
	}
	return c.obstruction(k, entries, tickets), err
}
