package store

import (
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A claim is a requested lock, without id and stamps. It is also used just to
// find out when the lock could be granted.
type claim struct {
	lock    lockfile.Lock
	scope   overlap.Scope
	minutes float64      // staleness threshold for other locks
	others  []disk.Entry // the active locks at the time of the grant
	on      []disk.Entry // those that overlap the claim
	// compared caches comparisons with other scopes, by lock id. A second read,
	// under the mutex, then compares only what is new, so others wait just for
	// reading the store.
	compared map[string]comparison
}

// A comparison is the overlap of a lock's scope with a claim.
type comparison struct {
	scope []string
	pairs []overlap.Pair
}

// take records the locks that the claim overlaps.
func (k *claim) take(found []overlapping) {
	for _, o := range found {
		k.on = append(k.on, o.entry)
	}
}

func (k *claim) party() rules.Party { return rules.PartyOf(&k.lock, false) }

// comparedPairs compares a claim's scope with a lock's, using the cache.
func comparedPairs(c *call, k *claim, e disk.Entry) []overlap.Pair {
	if old, ok := k.compared[e.Lock.ID]; ok && slices.Equal(old.scope, e.Lock.Scope) {
		return old.pairs
	}
	pairs := pairsWith(c, k.scope, e)
	if k.compared == nil {
		k.compared = map[string]comparison{}
	}
	k.compared[e.Lock.ID] = comparison{scope: e.Lock.Scope, pairs: pairs}
	return pairs
}

// blockers are the locks and waiters on a claim's files, from one read of the
// store.
type blockers struct {
	read     disk.Listing
	overlaps []overlapping  // all locks that overlap the claim
	locks    []overlapping  // those of them that block it
	tickets  []queue.Ticket // live tickets that are ahead of it and block it
}

func (b blockers) none() bool { return len(b.locks)+len(b.tickets) == 0 }

// file returns the name of a file that must change before the claim can be
// granted, or "" if none is known.
func (b blockers) file() string {
	switch {
	case len(b.tickets) > 0:
		return b.tickets[0].File()
	case len(b.locks) > 0:
		return b.locks[0].entry.Lock.ID + disk.Extension
	}
	return ""
}

// findBlockers reads the store without the mutex and returns what blocks the
// claim: locks, and the tickets ahead of the caller's place, if it has one. If
// the tickets cannot be read, it returns the error together with the locks.
func findBlockers(c *call, k *claim, place *queue.Place) (blockers, error) {
	c.paths.Refill()
	read, err := c.listAnywhere()
	if err != nil {
		return blockers{}, err
	}
	tickets, err := queue.Read(c.ctx, c.dir)
	return judgeClaim(c, k, read, place.Earlier(tickets)), err
}

// blockersUnderMutex is like findBlockers, within a transaction and for a
// caller without a place. It also sweeps the queue.
func blockersUnderMutex(c *call, k *claim, tx *disk.Tx) (blockers, error) {
	c.paths.Refill()
	tickets, err := queue.Sweep(c.ctx, tx)
	if err != nil {
		return blockers{}, err
	}
	read, err := c.listAnywhere()
	if err != nil {
		return blockers{}, err
	}
	return judgeClaim(c, k, read, tickets), nil
}

// judgeClaim applies the blocking rules to what was read.
func judgeClaim(c *call, k *claim, read disk.Listing, tickets []queue.Ticket) blockers {
	b := blockers{read: read}
	for _, e := range exclusiveTo(k.lock.Mode, read.Entries) {
		pairs := comparedPairs(c, k, e)
		if len(pairs) == 0 {
			continue
		}
		o := overlapping{e, pairs}
		b.overlaps = append(b.overlaps, o)
		if lockBlocks(c, k, e) {
			b.locks = append(b.locks, o)
		}
	}
	for _, t := range tickets {
		if comesFirst(c, k, t) {
			b.tickets = append(b.tickets, t)
		}
	}
	return b
}

// lockBlocks reports whether a lock that overlaps the claim blocks it.
func lockBlocks(c *call, k *claim, e disk.Entry) bool {
	return rules.PartyOf(&e.Lock, rules.Stale(&e.Lock, c.store.Now(), k.minutes)).Blocks(k.party())
}

// comesFirst reports whether an earlier ticket blocks the claim, by the same
// rule as for locks.
func comesFirst(c *call, k *claim, t queue.Ticket) bool {
	return ticketParty(t).Blocks(k.party()) && len(k.scope.Overlaps(c.paths.Stored(t.Scope, t.Worktree))) > 0
}

func ticketParty(t queue.Ticket) rules.Party {
	return rules.Party{Agent: t.AgentID, Parent: t.ParentAgentID, Shared: t.Mode == lockfile.Shared}
}

// blockerSummaries summarizes all locks that the claim overlaps, marking those
// that block it.
func blockerSummaries(c *call, k *claim, b blockers) []Summary {
	out := overlapSummaries(c, b.overlaps, k.minutes)
	for i, o := range b.overlaps {
		out[i].Blocks = lockBlocks(c, k, o.entry)
	}
	return out
}

// mustNotBeBlocked returns an error if a live lock or a waiter blocks the
// extension of a lock to a scope. what says what was not done.
func mustNotBeBlocked(c *call, tx *disk.Tx, l lockfile.Lock, scope overlap.Scope, what string) error {
	k := &claim{lock: l, scope: scope, minutes: c.foreignMinutes()}
	b, err := blockersUnderMutex(c, k, tx)
	if err != nil {
		return err
	}
	itself := func(o overlapping) bool { return o.entry.Lock.ID == l.ID } // it is not known whose lock it is
	b.locks, b.overlaps = slices.DeleteFunc(b.locks, itself), slices.DeleteFunc(b.overlaps, itself)
	if b.none() {
		return nil
	}
	e := blockedError(c, fault.Conflict, k, b)
	e.Message = what + ": " + e.Message
	e.Hint = waysOut(c, k, b, "")
	return e
}

// added returns the entries that are not in the scope yet.
func added(entries overlap.Scope, scope []string) overlap.Scope {
	return slices.DeleteFunc(slices.Clone(entries), func(e *overlap.Entry) bool {
		return slices.Contains(scope, e.String())
	})
}

// heldUp lists the waiters that a lock blocks, to inform its holder.
func heldUp(c *call, e disk.Entry, tickets []queue.Ticket, err error) []Waiter {
	if e.Done() {
		return nil
	}
	if err != nil {
		c.warn("cannot tell who waits for lock %q: %v", e.Lock.ID, err)
		return nil
	}
	if len(tickets) == 0 {
		return nil
	}
	mine := rules.PartyOf(&e.Lock, rules.Stale(&e.Lock, c.store.Now(), c.foreignMinutes()))
	scope := storedScope(c, e)
	return waiters(slices.DeleteFunc(slices.Clone(tickets), func(t queue.Ticket) bool {
		return !mine.Blocks(ticketParty(t)) || len(scope.Overlaps(c.paths.Stored(t.Scope, t.Worktree))) == 0
	}))
}

// agents returns the known agents among the blockers.
func (b blockers) agents() []string {
	var agents []string
	for _, o := range b.locks {
		if id := o.entry.Lock.AgentID; id != nil {
			agents = append(agents, *id)
		}
	}
	for _, t := range b.tickets {
		if t.AgentID != nil {
			agents = append(agents, *t.AgentID)
		}
	}
	return agents
}

// ticket returns the queue ticket of a claim.
func (k *claim) ticket(since string, deadline time.Time) queue.Ticket {
	return queue.Ticket{
		AgentID: k.lock.AgentID, ParentAgentID: k.lock.ParentAgentID, Mode: k.lock.Mode,
		Scope: k.lock.Scope, Worktree: k.lock.Worktree, Since: since, Deadline: deadline.UTC().Round(0),
	}
}
