package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
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
	Since         string   `json:"since"` // a stamp, for people
	// Deadline is by the machine's clock, as all that is measured is.
	Deadline time.Time `json:"deadline"`

	seq uint64
}

func (t ticket) party() party {
	return party{agent: t.AgentID, parent: t.ParentAgentID, shared: t.Mode == lockfile.Shared}
}

// ahead are the tickets that stand in a claim's way, by the rule for locks.
func (c *call) ahead(k claim, tickets []ticket) []ticket {
	var out []ticket
	for _, t := range tickets {
		if t.party().blocks(k.party()) && len(k.scope.Overlaps(c.ticketScope(t))) > 0 {
			out = append(out, t)
		}
	}
	return out
}

func (c *call) ticketScope(t ticket) overlap.Scope { return c.stored(t.Scope) }

// openQueue opens waiting/ for one look; nil where it does not exist.
func (d *dir) openQueue() (*place, error) {
	if d.active == nil {
		return nil, nil
	}
	return openPlace(d.active.root, waitingName, filepath.Join(d.path, waitingName))
}

// tickets reads the queue in order, the dead ones with it, and tells which
// numbers are in use, by tickets or by what is left of some.
func (d *dir) tickets(ctx context.Context, waiting *place) (tickets []ticket, used []uint64, err error) {
	if waiting == nil {
		return nil, nil, nil
	}
	f, err := waiting.root.Open(".")
	if err != nil {
		return nil, nil, unusable("read", waiting.path, err)
	}
	names, err := f.Readdirnames(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, nil, unusable("read", waiting.path, err)
	}
	published := map[uint64]bool{}
	for _, name := range names {
		if seq, suffix, ok := ticketNumber(name); ok {
			published[seq] = published[seq] || suffix == ticketSuffix
		}
	}
	used = slices.Sorted(maps.Keys(published))
	for _, seq := range used {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if !published[seq] {
			continue
		}
		if t, ok := waiting.ticket(seq); ok {
			tickets = append(tickets, t)
		}
	}
	return tickets, used, nil
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

// lives reports whether the process that a ticket belongs to still waits. The
// probe is a shared lock, so that two probes do not take each other for the
// owner, and opens without creating. What cannot be asked counts as alive: its
// deadline ends that.
func (p *place) lives(seq uint64) bool {
	probe := flock.New(filepath.Join(p.path, ticketName(seq, livingSuffix)), flock.SetFlag(os.O_RDONLY|openNofollow|openNonblock))
	free, err := probe.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || !free {
		return true
	}
	return probe.Unlock() != nil
}

// late reports whether a ticket's process had its chance and did not take it.
func (t ticket) late(now time.Time) bool { return now.Sub(t.Deadline) > overdue }

// sweepTickets removes what dead tickets have left behind, and returns those
// that count, in order. Only holders of the mutex may: no ticket is being made
// meanwhile, so that one which nobody holds is dead.
func (c *call) sweepTickets(h *held) (live []ticket, err error) {
	live, _, err = h.sweepTickets(c.ctx)
	return live, err
}

func (h *held) sweepTickets(ctx context.Context) (live []ticket, used []uint64, err error) {
	waiting, err := h.openQueue()
	if waiting == nil || err != nil {
		return nil, nil, err
	}
	defer func() { h.warn("close", waiting.path, waiting.close()) }()
	tickets, used, err := h.tickets(ctx, waiting)
	if err != nil {
		return nil, nil, err
	}
	used = slices.DeleteFunc(used, func(seq uint64) bool {
		dead := !waiting.lives(seq)
		if dead {
			h.dropTicket(waiting, seq)
		}
		return dead
	})
	for _, t := range tickets {
		if _, alive := slices.BinarySearch(used, t.seq); alive && !t.late(h.now()) {
			live = append(live, t)
		}
	}
	return live, used, nil
}

// dropTicket removes the files of a dead ticket.
func (h *held) dropTicket(waiting *place, seq uint64) {
	for _, suffix := range []string{ticketSuffix, livingSuffix} {
		name := ticketName(seq, suffix)
		if err := waiting.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			h.warn("remove", filepath.Join(waiting.path, name), err)
		}
	}
}
