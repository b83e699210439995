package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A spot is one's own place in the queue; the zero value is none. Its handle
// on the .lock file stays open for as long as the wait: however the process
// ends, the kernel then lets go of it, and the ticket is dead.
type spot struct {
	seq   uint64
	lock  *flock.Flock
	place *place // waiting/, through a handle that outlives what the call's dir holds
}

func (s *spot) taken() bool { return s.lock != nil }

// join puts a ticket at the end of the queue, behind the numbers in use.
func (h *held) join(t ticket, used []uint64) (*spot, error) {
	path := filepath.Join(h.path, waitingName)
	place, err := h.ensurePlace(h.active.root, waitingName, path)
	if err != nil {
		return nil, err
	}
	mine := &spot{place: place}
	if len(used) > 0 {
		mine.seq = used[len(used)-1]
	}
	if err := h.number(mine); err != nil {
		return nil, errors.Join(unusable("queue in", path, err), place.close())
	}
	data, err := json.Marshal(t)
	if err == nil {
		err = h.publish(append(data, '\n'), filepath.Join(waitingName, ticketName(mine.seq, ticketSuffix)))
	}
	if err != nil {
		return nil, errors.Join(unusable("queue in", path, err), mine.leave())
	}
	return mine, nil
}

// number finds and holds the next free number. Somebody who leaves without the
// mutex may still be removing files of a number that was given up, so one
// which does not hold still is passed over.
func (h *held) number(mine *spot) error {
	for range 10 {
		mine.seq++
		name := ticketName(mine.seq, livingSuffix)
		f, err := h.newFile(filepath.Join(waitingName, name))
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		lock := newFlock(filepath.Join(mine.place.path, name))
		ok, err := uninterrupted(lock.TryLock)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !ok {
			continue
		}
		if mine.lock = lock; mine.holds() {
			return nil
		}
		mine.lock = nil
		if err := lock.Unlock(); err != nil {
			return err
		}
	}
	return errors.New("no number could be held")
}

// publish makes a file of the store's appear whole.
func (h *held) publish(data []byte, name string) error {
	tmp, err := h.temporary(data)
	if err != nil {
		return err
	}
	if err := h.rename(tmp, name); err != nil {
		return errors.Join(err, remove(h.active.root, tmp))
	}
	return nil
}

// holds reports whether the locked file still has the ticket's name.
func (s *spot) holds() bool { return s.holdsIn(s.place) }

func (s *spot) holdsIn(waiting *place) bool {
	held, err := hasLocked(s.lock, waiting.root, ticketName(s.seq, livingSuffix))
	return held && err == nil
}

// stands reports whether the ticket is still in the queue: somebody may have
// cleaned up by hand.
func (s *spot) stands(waiting *place) bool {
	if !s.taken() || waiting == nil || !s.holdsIn(waiting) {
		return false
	}
	_, err := waiting.root.Lstat(ticketName(s.seq, ticketSuffix))
	return err == nil
}

// leave gives the place up, or back when it was used. It needs no mutex: the
// .lock goes last, and a crash in between leaves a dead ticket.
func (s *spot) leave() error {
	if !s.taken() {
		return nil
	}
	var errs []error
	if s.holds() { // else the names are somebody else's by now
		errs = append(errs, s.remove(ticketSuffix))
		living := ticketName(s.seq, livingSuffix)
		if removeNow(s.place.root, living) == nil {
			errs = append(errs, s.lock.Unlock())
		} else { // Windows removes no file that is open
			errs = append(errs, s.lock.Unlock(), s.remove(livingSuffix))
		}
	} else {
		errs = append(errs, s.lock.Unlock())
	}
	errs = append(errs, s.place.close())
	*s = spot{}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("leaving the queue: %w", err)
	}
	return nil
}

func (s *spot) remove(suffix string) error {
	err := remove(s.place.root, ticketName(s.seq, suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
