package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// A Place is the caller's own place in the queue; the zero value means none.
// It keeps a handle on the .lock file open for as long as the caller waits.
// However the process ends, the kernel then releases the lock, and the ticket
// is dead.
type Place struct {
	seq    uint64
	lock   *flock.Flock
	folder *disk.Folder // waiting/, through a handle that outlives the call's disk.Dir

	stopRenewing func() error // nil until there is a ticket
}

// Taken reports whether the caller is in the queue.
func (p *Place) Taken() bool { return p.lock != nil }

// Earlier returns those of the ordered tickets that are ahead of p. If p is not
// taken, it returns all of them.
func (p *Place) Earlier(tickets []Ticket) []Ticket {
	if !p.Taken() {
		return tickets
	}
	for i, t := range tickets {
		if t.Seq >= p.seq {
			return tickets[:i]
		}
	}
	return tickets
}

// Join adds a ticket to the end of the queue.
func (p *Place) Join(tx *disk.Tx, t Ticket) error {
	folder, err := tx.EnsureFolder(disk.WaitingName)
	if err != nil {
		return err
	}
	*p = Place{folder: folder}
	if err := p.number(tx); err != nil {
		return errors.Join(disk.Unusable("queue in", folder.Path, err), folder.Close())
	}
	data, err := json.Marshal(t)
	if err == nil {
		err = tx.Publish(append(data, '\n'), folder, fileName(p.seq, ticketSuffix))
	}
	if err != nil {
		return errors.Join(disk.Unusable("queue in", folder.Path, err), p.Leave())
	}
	p.stopRenewing = renew(folder, fileName(p.seq, ticketSuffix), tx.Dir.Now)
	return nil
}

// renew keeps a ticket from being skipped, until stop is called. stop returns
// the error if that failed. Renewing runs in the background, because the caller
// may itself wait for long.
func renew(folder *disk.Folder, name string, now func() time.Time) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		var failed error
		for disk.Pause(ctx, renewEvery) == nil {
			// If it was removed by hand, the caller queues again.
			if err := folder.Touch(name, now()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				failed = fmt.Errorf("a ticket that cannot be renewed is skipped after %s: %w", silence, err)
			}
		}
		ended <- failed
	}()
	return func() error {
		cancel()
		return <-ended
	}
}

// number finds and locks the next free number. Callers leave the queue without
// the mutex, so one of them may still be removing the files of a number that
// was given up; such a number is skipped.
func (p *Place) number(tx *disk.Tx) error {
	_, used, err := numbers(p.folder)
	if err != nil {
		return err
	}
	if len(used) > 0 {
		p.seq = used[len(used)-1]
	}
	for range 10 {
		p.seq++
		name := fileName(p.seq, aliveSuffix)
		f, err := tx.NewFile(p.folder, name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		lock := p.folder.OpenLock(name)
		ok, err := disk.Uninterrupted(lock.TryLock)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !ok {
			continue
		}
		if p.lock = lock; p.heldIn(p.folder) {
			return nil
		}
		p.lock = nil
		if err := lock.Unlock(); err != nil {
			return err
		}
	}
	return errors.New("no ticket number could be locked")
}

// heldIn reports whether the locked file still has the ticket's name.
func (p *Place) heldIn(waiting *disk.Folder) bool {
	held, err := waiting.IsLocked(fileName(p.seq, aliveSuffix), p.lock)
	return held && err == nil
}

// keptIn reports whether the ticket is still in the queue. Somebody may have
// cleaned up by hand.
func (p *Place) keptIn(waiting *disk.Folder) bool {
	if !p.Taken() || waiting == nil || !p.heldIn(waiting) {
		return false
	}
	_, err := waiting.Lstat(fileName(p.seq, ticketSuffix))
	return err == nil
}

// Keep gives up the place if its ticket is no longer in the queue, so that the
// caller queues again.
func (p *Place) Keep(d *disk.Dir) error {
	if !p.Taken() {
		return nil
	}
	waiting, err := d.OpenFolder(disk.WaitingName)
	if err != nil {
		return err
	}
	kept := p.keptIn(waiting)
	err = waiting.Close()
	if !kept {
		err = errors.Join(err, p.Leave())
	}
	return err
}

// Leave gives up the place. It needs no mutex: the .lock file is removed last,
// and a crash in between leaves a dead ticket.
func (p *Place) Leave() error {
	if !p.Taken() {
		return nil
	}
	var errs []error
	if p.stopRenewing != nil {
		errs = append(errs, p.stopRenewing())
	}
	if p.heldIn(p.folder) { // otherwise another process uses the names by now
		errs = append(errs, p.remove(ticketSuffix))
		if p.folder.UnlinkNow(fileName(p.seq, aliveSuffix)) == nil {
			errs = append(errs, p.lock.Unlock())
		} else { // Windows cannot remove an open file
			errs = append(errs, p.lock.Unlock(), p.remove(aliveSuffix))
		}
	} else {
		errs = append(errs, p.lock.Unlock())
	}
	errs = append(errs, p.folder.Close())
	*p = Place{}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("leaving the queue: %w", err)
	}
	return nil
}

func (p *Place) remove(suffix string) error {
	err := p.folder.Unlink(fileName(p.seq, suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
