package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
)

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
	published, used, err := waiting.numbers()
	for _, seq := range published {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if t, ok := waiting.ticket(seq); ok {
			tickets = append(tickets, t)
		}
	}
	return tickets, used, err
}

// numbers lists, in order, the numbers of tickets and those of which any file
// is there.
func (p *place) numbers() (published, used []uint64, err error) {
	if p == nil {
		return nil, nil, nil
	}
	names, err := p.names()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		seq, suffix, ok := ticketNumber(name)
		if !ok {
			continue
		}
		used = append(used, seq)
		if suffix == ticketSuffix {
			published = append(published, seq)
		}
	}
	slices.Sort(published)
	slices.Sort(used)
	return published, slices.Compact(used), nil
}

// lives reports whether the process that a ticket belongs to still waits. The
// probe is a shared lock, so that two probes do not take each other for the
// owner, and opens without creating. What cannot be asked counts as alive: its
// deadline ends that.
func (p *place) lives(seq uint64) bool {
	probe := newFlock(filepath.Join(p.path, ticketName(seq, livingSuffix)))
	free, err := uninterrupted(probe.TryRLock)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || !free {
		return true
	}
	return probe.Unlock() != nil
}

// liveTickets are the tickets that count, for one who does not hold the mutex.
func (d *dir) liveTickets(ctx context.Context) ([]ticket, error) {
	waiting, err := d.openQueue()
	if waiting == nil || err != nil {
		return nil, err
	}
	tickets, _, err := d.tickets(ctx, waiting)
	tickets = slices.DeleteFunc(tickets, func(t ticket) bool { return t.late(d.now()) || !waiting.lives(t.seq) })
	return tickets, errors.Join(err, waiting.close())
}

// sweepTickets removes what dead tickets have left behind, and returns those
// that count, in order, and the numbers that are in use. Only holders of the
// mutex may: no ticket is being made meanwhile, so that one which nobody holds
// is dead.
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

// liveTickets are the tickets that count, once the dead ones are swept away.
func (h *held) liveTickets(ctx context.Context) ([]ticket, error) {
	live, _, err := h.sweepTickets(ctx)
	return live, err
}

// dropTicket removes the files of a dead ticket.
func (h *held) dropTicket(waiting *place, seq uint64) {
	for _, suffix := range []string{ticketSuffix, livingSuffix} {
		name := ticketName(seq, suffix)
		if err := remove(waiting.root, name); !errors.Is(err, fs.ErrNotExist) {
			h.warn("remove", filepath.Join(waiting.path, name), err)
		}
	}
}
