// Package queue is the queue of waiters for a claim: one ticket each in
// the directory waiting/ of the store, in the order in which they came.
//
// Joining and sweeping take the store's mutex; reading and leaving do not. A
// ticket is alive for as long as its process holds the kernel's lock on it, so
// a process that ends in any way leaves a dead ticket, which nobody waits for.
package queue

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// Read reads, in order, the tickets that count: the live ones whose process
// takes part. It needs no mutex.
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

// Sweep removes what dead tickets have left behind, and returns the tickets
// that count, in order. Only holders of the mutex may: no ticket is being made
// meanwhile, so that one which nobody holds is dead.
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

// TakeBack takes a ticket back, so that its process queues again.
func TakeBack(tx *disk.Tx, t Ticket) {
	waiting, err := tx.Dir.OpenFolder(disk.WaitingName)
	if waiting == nil || err != nil {
		return // with the queue, the ticket is gone
	}
	if err := waiting.Unlink(t.File()); !errors.Is(err, fs.ErrNotExist) {
		tx.Warn("take back", waiting.File(t.File()), err)
	}
	tx.Warn("close", waiting.Path, waiting.Close())
}

// Nearest is the last of the live tickets before the caller's place that
// blocks it, if there is one; no more of them are probed than it takes. kept
// is false where the place is no longer in the queue.
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

// numbers lists, in order, the numbers of tickets and those of which any file
// is there.
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

// alive reports whether the process that a ticket belongs to still waits. The
// probe is a shared lock, so that two probes do not take each other for the
// owner, and opens without creating. What cannot be asked counts as alive: its
// deadline ends that.
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
