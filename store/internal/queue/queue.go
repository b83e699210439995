// Package queue is the queue of waiters for a claim. Each waiter has a ticket
// in the store's directory waiting/; tickets are numbered in order of arrival.
//
// Joining and sweeping need the store's mutex; reading and leaving do not. A
// ticket is alive as long as its process holds the kernel lock on it. So
// however a process ends, it leaves a dead ticket, which nobody waits for.
package queue

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// Read returns, in order, the tickets that count: those that are alive and not
// inactive. It needs no mutex.
func Read(ctx context.Context, d *disk.Dir) (live []Ticket, err error) {
	waiting, err := d.OpenFolder(disk.WaitingName)
	if waiting == nil || err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, waiting.Close()) }()
	published, _, err := numbers(waiting)
	if err != nil {
		return nil, err
	}
	for _, seq := range published {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if t, ok := readTicket(waiting, seq); ok && !t.inactive(d.Now()) && alive(waiting, seq) {
			live = append(live, t)
		}
	}
	return live, nil
}

// Sweep removes the files of dead tickets and returns the tickets that count,
// in order. It needs the mutex: no ticket is being created meanwhile, so every
// ticket without a lock is dead.
func Sweep(ctx context.Context, tx *disk.Tx) ([]Ticket, error) {
	d := tx.Dir
	waiting, err := d.OpenFolder(disk.WaitingName)
	if waiting == nil || err != nil {
		return nil, err
	}
	defer func() { tx.Warn("close", waiting.Path, waiting.Close()) }()
	_, used, err := numbers(waiting)
	if err != nil {
		return nil, err
	}
	var live []Ticket
	for _, seq := range used {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !alive(waiting, seq) {
			drop(tx, waiting, seq)
		} else if t, ok := readTicket(waiting, seq); ok && !t.inactive(d.Now()) {
			live = append(live, t)
		}
	}
	return live, nil
}

// drop removes the files of a dead ticket.
func drop(tx *disk.Tx, waiting *disk.Folder, seq uint64) {
	for _, suffix := range []string{ticketSuffix, aliveSuffix} {
		name := fileName(seq, suffix)
		if err := waiting.Unlink(name); !errors.Is(err, fs.ErrNotExist) {
			tx.Warn("remove", waiting.File(name), err)
		}
	}
}

// TakeBack removes a ticket, so that its process queues again.
func TakeBack(tx *disk.Tx, t Ticket) {
	waiting, err := tx.Dir.OpenFolder(disk.WaitingName)
	if waiting == nil || err != nil {
		return // the queue is gone, and the ticket with it
	}
	if err := waiting.Unlink(t.File()); !errors.Is(err, fs.ErrNotExist) {
		tx.Warn("take back", waiting.File(t.File()), err)
	}
	tx.Warn("close", waiting.Path, waiting.Close())
}

// Nearest returns the last live ticket ahead of mine that blocks it, or nil. It
// probes no more tickets than necessary. kept is false if mine is no longer in
// the queue.
func Nearest(d *disk.Dir, mine *Place, blocks func(Ticket) bool) (nearest *Ticket, kept bool, err error) {
	waiting, err := d.OpenFolder(disk.WaitingName)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, waiting.Close()) }()
	if !mine.keptIn(waiting) {
		return nil, false, nil
	}
	published, _, err := numbers(waiting)
	for _, seq := range slices.Backward(published) {
		if seq >= mine.seq {
			continue
		}
		if t, ok := readTicket(waiting, seq); ok && !t.inactive(d.Now()) && blocks(t) && alive(waiting, seq) {
			return &t, true, nil
		}
	}
	return nil, true, err
}

// numbers returns, in order, the numbers that have a ticket file (published)
// and the numbers that have any file (used).
func numbers(waiting *disk.Folder) (published, used []uint64, err error) {
	names, err := waiting.Names()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		seq, suffix, ok := parseName(name)
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

// alive reports whether the process of a ticket is still waiting. It probes
// with a shared lock, so that two probes do not mistake each other for the
// owner, and creates no file. A ticket that cannot be probed counts as alive
// until its deadline.
func alive(waiting *disk.Folder, seq uint64) bool {
	probe := waiting.OpenLock(fileName(seq, aliveSuffix))
	free, err := disk.Uninterrupted(probe.TryRLock)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || !free {
		return true
	}
	return probe.Unlock() != nil
}
