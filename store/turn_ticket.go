package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
)

// Those who wait for a claim queue in waiting/. A ticket is two files, since
// Windows hides the bytes of a file that is locked: <seq>.json says who waits
// for what, and the kernel's lock on <seq>.lock, held for as long as its
// process waits, says that somebody still does. seq is a place in the queue
// and nothing else; clocks have no part in the order.
const (
	waitingName   = "waiting"
	ticketSuffix  = ".json"
	livingSuffix  = ".lock"
	ticketDigits  = 20
	highestTicket = 1 << 62 // beyond that a name was made by somebody else
	// overdue is how long after its deadline a ticket may still stand in
	// others' way: its process has been stopped and takes no part.
	overdue = 5 * time.Second
)

// A ticket is one place in the queue.
type ticket struct {
	AgentID       *string  `json:"agent_id"`
	ParentAgentID *string  `json:"parent_agent_id"`
	Mode          string   `json:"mode,omitempty"`
	Scope         []string `json:"scope"`
	Worktree      string   `json:"worktree,omitempty"`
	Since         string   `json:"since"` // a stamp, for people
	// Deadline is by the machine's clock, as all that is measured is.
	Deadline time.Time `json:"deadline"`

	seq uint64
}

// ticket is what a claim puts into the queue.
func (k claim) ticket(since string, deadline time.Time) ticket {
	return ticket{
		AgentID: k.lock.AgentID, ParentAgentID: k.lock.ParentAgentID, Mode: k.lock.Mode,
		Scope: k.lock.Scope, Worktree: k.lock.Worktree, Since: since, Deadline: deadline.UTC().Round(0),
	}
}

func (t ticket) party() party {
	return party{agent: t.AgentID, parent: t.ParentAgentID, shared: t.Mode == lockfile.Shared}
}

// late reports whether a ticket's process had its chance and did not take it.
func (t ticket) late(now time.Time) bool { return now.Sub(t.Deadline) > overdue }

// ahead are the tickets that stand in a claim's way, by the rule for locks.
func (c *call) ahead(k claim, tickets []ticket) []ticket {
	var out []ticket
	for _, t := range tickets {
		if c.comesBefore(t, k) {
			out = append(out, t)
		}
	}
	return out
}

func (c *call) comesBefore(t ticket, k claim) bool {
	return t.party().blocks(k.party()) && len(k.scope.Overlaps(c.stored(t.Scope, t.Worktree))) > 0
}

// ticket reads one ticket; one that says nothing we understand counts as none.
func (p *place) ticket(seq uint64) (ticket, bool) {
	data, _, err := p.bytes(ticketName(seq, ticketSuffix))
	if err != nil {
		return ticket{}, false
	}
	t := ticket{seq: seq}
	return t, json.Unmarshal(data, &t) == nil
}

func ticketName(seq uint64, suffix string) string {
	return fmt.Sprintf("%0*d%s", ticketDigits, seq, suffix)
}

// ticketNumber takes a name in waiting/ apart.
func ticketNumber(name string) (seq uint64, suffix string, ok bool) {
	for _, suffix := range []string{ticketSuffix, livingSuffix} {
		digits, found := strings.CutSuffix(name, suffix)
		if !found || len(digits) != ticketDigits {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 64)
		return n, suffix, err == nil && n < highestTicket
	}
	return 0, "", false
}
