package store

import (
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// A claim is what a caller asks for: a lock, but for its id and stamps, or
// only to know when it could have one.
type claim struct {
	lock    lockfile.Lock
	scope   overlap.Scope
	minutes float64 // the staleness threshold that others are judged by
	known   known   // what it has been compared with; nil: nothing is kept
}

// known are comparisons of one claim, by the ids of the locks. A look under the
// mutex that follows another one compares only what is new, so that others
// wait for the reading of the store and not for the comparing.
type known map[string]comparison

// A comparison is what of a lock's scope meets a claim, and what there was to
// warn of.
type comparison struct {
	scope    []string
	pairs    []overlap.Pair
	warnings []string
}

// pairs compares a claim's scope with an entry's.
func (c *call) pairs(k claim, e disk.Entry) []overlap.Pair {
	if old, ok := k.known[e.Lock.ID]; ok && slices.Equal(old.scope, e.Lock.Scope) {
		c.warnings = append(c.warnings, old.warnings...)
		return old.pairs
	}
	before := len(c.warnings)
	pairs := k.scope.Overlaps(c.storedScope(e))
	if k.known != nil {
		k.known[e.Lock.ID] = comparison{scope: e.Lock.Scope, pairs: pairs, warnings: slices.Clone(c.warnings[before:])}
	}
	return pairs
}

func (k claim) party() party {
	return party{agent: k.lock.AgentID, parent: k.lock.ParentAgentID, shared: k.lock.Mode == lockfile.Shared}
}

// An obstruction is who else was on a claim's files at one moment.
type obstruction struct {
	met      []meeting      // every lock that meets the claim
	blocking []meeting      // those of them that stand in its way
	tickets  []queue.Ticket // the live ones that come first, and do
}

func (o obstruction) none() bool { return len(o.blocking)+len(o.tickets) == 0 }

// file is the name of a file without whose change the way stays blocked.
func (o obstruction) file() string {
	if len(o.tickets) > 0 {
		return o.tickets[0].File()
	}
	return o.blocking[0].entry.Lock.ID + disk.Extension
}

// obstruction judges what was read of the store.
func (c *call) obstruction(k claim, entries []disk.Entry, before []queue.Ticket) obstruction {
	met := meetings(exclusiveTo(k.lock.Mode, entries), func(e disk.Entry) []overlap.Pair { return c.pairs(k, e) })
	o := obstruction{met: met, tickets: c.ahead(k, before)}
	for _, m := range o.met {
		if c.party(m.entry, k.minutes).blocks(k.party()) {
			o.blocking = append(o.blocking, m)
		}
	}
	return o
}

// summaries lists all that a claim meets, and says of each whether it blocks.
func (c *call) summaries(k claim, o obstruction) []Summary {
	out := c.overlapping(o.met, k.minutes)
	for i, m := range o.met {
		out[i].Blocks = c.party(m.entry, k.minutes).blocks(k.party())
	}
	return out
}

// claimIfFree writes the lock, or nothing where a lock blocks it or somebody
// waits for these files already: a caller who only asks again and again must
// not come before those who queue. Only one who has seen that nothing is in
// the way takes the mutex, to look again.
func (c *call) claimIfFree(k claim) (Created, error) {
	k.known = known{}
	warnings := len(c.warnings)
	o, err := c.look(k, &queue.Place{})
	if err != nil {
		return Created{}, err
	}
	if !o.none() {
		return Created{}, c.refusal(k, o)
	}
	c.forgetLook(warnings)
	return change(c, func(h *disk.Tx) (Created, error) {
		tickets, err := queue.Sweep(c.ctx, h)
		if err != nil {
			return Created{}, err
		}
		entries, err := c.list(disk.ActiveOnly)
		if err != nil {
			return Created{}, err
		}
		o := c.obstruction(k, entries, tickets)
		if !o.none() {
			return Created{}, c.refusal(k, o)
		}
		return c.grant(h, k, o)
	})
}

// grant writes the lock of a claim that nothing blocks.
func (c *call) grant(h *disk.Tx, k claim, o obstruction) (Created, error) {
	if err := c.ctx.Err(); err != nil {
		return Created{}, err
	}
	e, err := c.write(h, k.lock)
	if err != nil {
		return Created{}, err
	}
	c.warnPassed(o.met, k.minutes)
	return Created{ID: e.Lock.ID, FilePath: e.Path, Overlaps: c.summaries(k, o)}, nil
}

// warnPassed warns of what did not block a claim and yet might be somebody's
// work.
func (c *call) warnPassed(met []meeting, staleMinutes float64) {
	for _, m := range met {
		if c.stale(m.entry, staleMinutes) {
			c.warn("lock %q overlaps, but it is stale and blocks nobody: see whether its holder is really gone, then reap it", m.entry.Lock.ID)
		}
	}
	if c.unreadable > 0 {
		c.warn("a file that could not be read may hold a lock on these paths: it blocks nobody, so look at it")
	}
}
