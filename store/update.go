package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// An UpdateRequest records progress or amends the claim.
type UpdateRequest struct {
	Target
	Ref
	TaskText *string `json:"task_text"`
	Done     *bool   `json:"done"` // nil means true if TaskText is set
	Note     *string `json:"note"`

	AddScope     []string `json:"add_scope"`
	RemoveScope  []string `json:"remove_scope"`
	AddTasks     []string `json:"add_tasks"`
	LeaseMinutes *float64 `json:"lease_minutes"`
	HandTo       *string  `json:"hand_to"` // the next holder's id

	IfFree bool `json:"if_free"` // widen only if nothing blocks; otherwise Conflict

	AgentID *string `json:"agent_id"` // nil means AGENT_LOCKS_AGENT_ID
	Force   bool    `json:"force"`    // even if somebody else holds the lock
	Tell    bool    `json:"-"`        // the note is addressed to the holder, even from its own worktree
}

// An Updated is the answer to an update.
type Updated struct {
	ID              string `json:"id"`
	PercentComplete int    `json:"percentComplete"`
	TaskCount       int    `json:"-"` // as Summary.TaskCount
	Done            bool   `json:"-"` // the lock had already ended
	// Locks that overlap the entries of add_scope, and locks granted to others
	// while this one was stale; nil if no entries were added and it was not
	// stale.
	Overlaps []Summary `json:"overlaps,omitzero"`
	Waiting  []Waiter  `json:"waiting,omitempty"` // waiters that the lock blocks
	NewNotes           // others' notes, if the caller is the holder

	WaitingLeftOut int `json:"waitingLeftOut,omitempty"` // count omitted from a shortened answer
}

// Update ticks a task, adds a note or amends the claim. Everything is validated
// before anything is applied.
//
// An update by the holder counts as a heartbeat; others' notes do not, since
// they must not make a dead holder's lock block again. Handing over a lock, by
// any caller, starts the new holder's time. On a finished lock, Update only
// completes the record (task, note); on a reaped one it fails.
//
// The answer lists the locks that new entries overlap and, if a stale lock
// becomes live again, even by a longer lease, the locks granted meanwhile.
func (s *Store) Update(ctx context.Context, r UpdateRequest) (Answer[Updated], error) {
	return answer(ctx, s, r.Target, func(c *call) (Updated, error) {
		a, err := parseAmendment(c, r)
		if err != nil {
			return Updated{}, err
		}
		u := updating{call: c, amendment: &a, request: r}
		u.compareAhead()
		out, err := change(c, u.write)
		if err != nil {
			return Updated{}, err
		}
		if len(a.add)+len(a.remove) > 0 {
			publishSoon(c)
		} else {
			publishAlive(c, u.entry)
		}
		u.compare(&out) // after releasing the mutex, so that nobody waits for that
		return out, nil
	})
}

// An updating is an update in progress. It keeps what is compared after its
// transaction.
type updating struct {
	call      *call
	amendment *amendment
	request   UpdateRequest

	claim      claim // for the added entries
	entry      disk.Entry
	others     []disk.Entry // read if entries are added, which may overlap them
	back       *comeback
	tickets    []queue.Ticket
	ticketsErr error
}

// compareAhead compares the added entries before taking the mutex. Under it,
// only locks written since then have to be read and compared, so that nobody
// waits for long.
func (u *updating) compareAhead() {
	c := u.call
	u.claim = claim{scope: u.amendment.add, minutes: c.foreignMinutes()}
	if len(u.claim.scope) == 0 {
		return
	}
	read, err := c.dir.List(c.ctx, disk.ActiveOnly)
	if err != nil {
		return // write will report it
	}
	for _, e := range read.Entries {
		comparedPairs(c, &u.claim, e)
	}
}

// write is the transaction.
func (u *updating) write(tx *disk.Tx) (Updated, error) {
	c, a := u.call, u.amendment
	e, err := findToUpdate(c, u.request.Ref, *a)
	if err != nil {
		return Updated{}, err
	}
	edit, err := u.changes(&e.Lock, e.Done())
	if err != nil {
		return Updated{}, err
	}
	if len(a.add) > 0 {
		if u.others, err = c.atWorkAnywhere(); err != nil {
			return Updated{}, err
		}
		edit.Remove = append(edit.Remove, confirmation(&e.Lock)...)
		if e.Lock.Published.Fleet == fleetConfirmed {
			c.warn("lock %q is no longer confirmed by the remote, which was not asked about the addition", e.Lock.ID)
		}
		if u.yields(&e.Lock) {
			edit.Set = append(edit.Set, lockfile.KeyValue{Key: "live_since", Value: c.now().Raw})
		}
	}
	if u.request.IfFree {
		if err := mustNotBeBlocked(c, tx, e.Lock, added(a.add, e.Lock.Scope), "not widened"); err != nil {
			return Updated{}, err
		}
	}
	mayHold := a.who.From(&e.Lock, a.tell) == ""
	if !e.Done() && (a.handTo != "" || mayHold) {
		edit = stillAtWork(c, edit)
	}
	var news NewNotes
	known := 1 // the last note tells the new holder about the handover; all others are new to it
	if a.handTo == "" {
		known = ownNotes(a.who, &e.Lock, edit, a.tell)
		if mayHold {
			news = showNewNotes(c, a.who, &e.Lock, newNotesRoom)
		}
	}
	edit = withSeen(&e.Lock, edit, known)
	if e, u.back, err = rewriteLock(c, tx, e, edit, u.others); err != nil {
		return Updated{}, err
	}
	if len(a.add) > 0 || a.handTo != "" {
		breakDeadlocks(c, tx, e.Lock.AgentID)
	}
	u.entry = e
	u.tickets, u.ticketsErr = queue.Sweep(c.ctx, tx)
	return Updated{ID: e.Lock.ID, PercentComplete: e.Lock.PercentComplete(), TaskCount: len(e.Lock.Tasks),
		Done: e.Done(), NewNotes: news}, nil
}

// changes returns the update's edit of the lock. It is an error if nothing
// would change, or if more than the record of a finished lock would.
func (u *updating) changes(l *lockfile.Lock, done bool) (lockfile.Edit, error) {
	if done && (l.FinishedBy == reapedBy || u.amendment.amends()) {
		return lockfile.Edit{}, notActive(l)
	}
	edit, err := u.amendment.edit(l, u.call.now())
	if err != nil {
		return lockfile.Edit{}, orGone(u.call, l, err)
	}
	if len(edit.Set)+len(edit.Tick)+len(edit.AddTasks)+len(edit.AddNotes) == 0 {
		return lockfile.Edit{}, fault.Input("nothing would change: lock %q has all of that already", l.ID).
			WithHint("to keep the lock fresh use `lock_heartbeat`")
	}
	return edit, nil
}

// yields reports, and warns, that added entries had been granted to others
// after the lock was made. The lock must not have precedence there, so it loses
// its precedence altogether.
func (u *updating) yields(l *lockfile.Lock) bool {
	c, k := u.call, &u.claim
	k.lock = *l
	if rules.Stale(l, c.store.Now(), k.minutes) {
		return false // it has no precedence, nor will it when it comes back
	}
	scope := c.paths.Stored(l.Scope, c.paths.WorktreeOf(l))
	isNew := func(p overlap.Pair) bool {
		covered, _ := rules.Covering(scope, p.Example)
		return !covered && !slices.Contains(l.Scope, p.Yours)
	}
	yields := false
	for _, o := range u.others {
		their := &o.Lock
		if their.ID == l.ID || their.Mode == lockfile.Shared || their.LiveFrom().Before(l.LiveFrom().Time) ||
			!lockBlocks(c, k, o) || !slices.ContainsFunc(comparedPairs(c, k, o), isNew) {
			continue
		}
		yields = true
		c.warn("%q was granted to %s at %s, and comes first in what was added: leave these files alone, or agree with "+
			"its holder", their.ID, rules.Named(their.AgentID), their.LiveFrom())
	}
	return yields
}

// compare adds to the answer the waiters that the lock blocks and the locks
// that it overlaps. For a lock that has ended, it warns if its holder may miss
// a note.
func (u *updating) compare(out *Updated) {
	c, a, e := u.call, u.amendment, u.entry
	out.Waiting = heldUp(c, e, u.tickets, u.ticketsErr)
	if e.Done() && a.note != "" && a.who.From(&e.Lock, a.tell) != "" {
		warnTooLate(c, a.who, e)
	}
	if len(a.add) > 0 {
		others := slices.DeleteFunc(u.others, func(o disk.Entry) bool { return o.Lock.ID == e.Lock.ID })
		found := overlappingWith(c, a.add, exclusiveTo(e.Lock.Mode, others))
		out.Overlaps = overlapSummaries(c, found, c.foreignMinutes())
	}
	for _, s := range u.back.overlaps(c, e) {
		if !slices.ContainsFunc(out.Overlaps, func(o Summary) bool { return o.ID == s.ID }) {
			out.Overlaps = append(out.Overlaps, s)
		}
	}
}

// taskIndex finds a task by its exact text, or else by its number, counted from
// 1. If another tool wrote the same text twice, it finds the first task not yet
// in the desired state.
func taskIndex(l *lockfile.Lock, text string, done bool) (int, error) {
	found := -1
	for i, t := range l.Tasks {
		if t.Text == text && (found < 0 || l.Tasks[found].Done == done && t.Done != done) {
			found = i
		}
	}
	if found >= 0 {
		return found, nil
	}
	n, err := strconv.Atoi(text)
	isNumber := err == nil && strconv.Itoa(n) == text
	if isNumber && n >= 1 && n <= len(l.Tasks) {
		return n - 1, nil
	}
	e := fault.New(fault.TaskNotFound, "lock %q has no task %q", l.ID, text).
		WithHint("it has no tasks at all: add a note instead")
	if len(l.Tasks) > 0 {
		texts := make([]string, len(l.Tasks))
		for i, t := range l.Tasks {
			texts[i] = t.Text
		}
		e.Hint = "its tasks are: " + fault.Quoted(texts)
		if isNumber {
			e.Hint = fmt.Sprintf("they are numbered from 1 to %d: %s", len(texts), fault.Quoted(texts))
		}
	}
	return -1, e
}
