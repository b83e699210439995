package store

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// claimInTurn waits for a claim's turn and writes its lock then (design,
// section 11). In every other case nothing is taken and no ticket is left.
func (c *call) claimInTurn(k claim, limit time.Duration) (Created, error) {
	v := c.vigil(limit)
	s := &queue.Place{}
	k.known = known{}
	defer func() {
		c.ctx = v.call
		if err := errors.Join(s.Leave(), v.end()); err != nil {
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
		if err != nil && !errors.Is(err, fault.StoreBusy) {
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
func (c *call) takeTurn(k claim, s *queue.Place, v *vigil) (*Created, error) {
	return change(c, func(h *disk.Tx) (*Created, error) {
		live, err := queue.Sweep(c.ctx, h)
		if err != nil {
			return nil, err
		}
		if err := s.Keep(c.dir); err != nil {
			return nil, err
		}
		entries, err := c.list(disk.ActiveOnly)
		if err != nil {
			return nil, err
		}
		o := c.obstruction(k, entries, s.Earlier(live))
		switch {
		case v.over():
			return nil, v.why()
		case o.none():
			out, err := c.grant(h, k, o)
			if err != nil {
				return nil, err
			}
			if err := s.Leave(); err != nil {
				c.warn("%v", err)
			}
			return &out, nil
		case s.Taken():
			return nil, nil
		}
		if through := c.circle(k, o, entries, live); through != "" {
			return nil, c.deadlock(k, o, through)
		}
		if err := s.Join(h, k.ticket(c.stamp().Raw, v.deadline)); err != nil {
			return nil, err
		}
		v.tell(func() string { return c.inTheWay(k, o) })
		return nil, nil
	})
}

// turnMayHaveCome looks without the mutex, which is worth taking only when
// this says so. One thing in the way is enough to go on waiting for, and the
// nearest is looked for first: so that in a long queue everybody waits for the
// one before, and one who leaves wakes one.
func (c *call) turnMayHaveCome(k claim, s *queue.Place, v *vigil) (bool, error) {
	v.on = ""
	if err := c.dir.Refresh(); err != nil {
		return false, err
	}
	nearest, kept, err := queue.Nearest(c.dir, s, func(t queue.Ticket) bool { return c.comesBefore(t, k) })
	if err != nil || !kept {
		return !kept, err // to queue anew
	}
	var o obstruction
	if nearest != nil {
		o.tickets = []queue.Ticket{*nearest}
	}
	if o.none() {
		l, err := c.dir.List(c.ctx, disk.ActiveOnly)
		if err != nil {
			return false, err
		}
		o = c.obstruction(k, l.Entries, nil)
	}
	if o.none() {
		return true, nil
	}
	v.on = o.file()
	v.tell(func() string { return c.inTheWay(k, o) })
	return false, nil
}

// gaveUp says why a wait ended without a claim, and what was in the way.
func (c *call) gaveUp(k claim, s *queue.Place, v *vigil) error {
	why, waited := v.why(), secondsText(v.waited())
	ended := fmt.Sprintf("stopped waiting after %s: %v", waited, why)
	if errors.Is(why, errDeadline) {
		ended = fmt.Sprintf("timed out after %s", waited)
	}
	c.ctx = v.call
	c.forgetLook(v.warnings)
	if c.ctx.Err() != nil { // whoever asked has gone
		return &fault.Error{Code: fault.Timeout, Message: ended + "; nothing was claimed", Detail: Refusal{Code: fault.Timeout, Overlaps: []Summary{}}, Err: why}
	}
	o, err := c.look(k, s)
	if err != nil {
		c.warn("what was in the way is not known: %v", err)
	}
	e := c.obstructed(fault.Timeout, k, o)
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
func (c *call) look(k claim, s *queue.Place) (obstruction, error) {
	entries, err := c.list(disk.ActiveOnly)
	if err != nil {
		return obstruction{}, err
	}
	tickets, err := queue.Read(c.ctx, c.dir)
	return c.obstruction(k, entries, s.Earlier(tickets)), err
}

// ticket is what a claim puts into the queue.
func (k claim) ticket(since string, deadline time.Time) queue.Ticket {
	return queue.Ticket{
		AgentID: k.lock.AgentID, ParentAgentID: k.lock.ParentAgentID, Mode: k.lock.Mode,
		Scope: k.lock.Scope, Worktree: k.lock.Worktree, Since: since, Deadline: deadline.UTC().Round(0),
	}
}

func ticketParty(t queue.Ticket) party {
	return party{agent: t.AgentID, parent: t.ParentAgentID, shared: t.Mode == lockfile.Shared}
}

// ahead are the tickets that block a claim, by the rule for locks.
func (c *call) ahead(k claim, tickets []queue.Ticket) []queue.Ticket {
	var out []queue.Ticket
	for _, t := range tickets {
		if c.comesBefore(t, k) {
			out = append(out, t)
		}
	}
	return out
}

func (c *call) comesBefore(t queue.Ticket, k claim) bool {
	return ticketParty(t).blocks(k.party()) && len(k.scope.Overlaps(c.stored(t.Scope, t.Worktree))) > 0
}
