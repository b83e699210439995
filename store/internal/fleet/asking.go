package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// askingName is a file that exists while the holder of fleet.lock waits for the remote;
// its modification time says since when. It tells processes that wait for fleet.lock
// whether the remote is the reason.
const askingName = "asking"

// silence is how long one call of the remote may take before the remote counts as not
// answering. Most calls take less than a second.
const silence = 5 * time.Second

// ask runs one call of the remote, marked by the file asking.
func (t *turn) ask(call func() error) error {
	folder := t.fleet.folder
	err := t.askedBefore()
	if err == nil {
		err = folder.Mark(askingName)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return TurnedOff()
	}
	if err != nil {
		return err
	}
	err = call()
	_ = folder.UnlinkNow(askingName) // the next turn removes it first if this fails
	return err
}

// askedBefore removes the file asking of a process that was killed.
func (t *turn) askedBefore() error {
	err := t.fleet.folder.UnlinkNow(askingName)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return disk.Unusable("remove", t.fleet.folder.File(askingName), err)
}

// unrecorded returns a failure that the state does not record: a look that could not write
// its result or, as of now, a call of the remote that has gone without an answer for a
// while. at is zero if there is none.
func unrecorded(folder *disk.Folder, now time.Time) (at time.Time, words string) {
	if info, err := folder.Lstat(unsaidName); err == nil {
		at, words = info.ModTime(), unsaid
	}
	if waited := silentFor(folder, now); waited > 0 {
		at, words = now, fmt.Sprintf("it has not answered yet, after %s", waited)
	}
	return at, words
}

// silentFor returns how long a process of this clone has waited for the remote's answer,
// or 0 if none has waited for long. A process that was killed leaves the file asking, but
// not the lock.
func silentFor(folder *disk.Folder, now time.Time) time.Duration {
	info, err := folder.Lstat(askingName)
	if err != nil || now.Sub(info.ModTime()) < silence {
		return 0
	}
	if held, err := isLocked(folder, lockName); err != nil || !held {
		return 0
	}
	return now.Sub(info.ModTime()).Round(time.Second)
}

// kept returns the error for a call that has waited for another process of this clone
// since the given time. If that process is waiting for the remote, or has done so in
// vain, the error says that the remote does not answer.
func (f *Fleet) kept(since time.Time) *fault.Error {
	t := turn{fleet: f, state: f.lastSeen()}
	if t.state.Failed.After(since) {
		return t.failedBefore()
	}
	now := f.dir.Now()
	if waited := silentFor(f.folder, now); waited > 0 {
		return t.unreachable(fmt.Sprintf("another process of this clone has waited for it for %s", waited))
	}
	return fault.New(fault.FleetBusy, "other processes of this clone have been talking to the remote %q for %s", f.Remote,
		now.Sub(since).Round(time.Second)).
		WithHint("try again, wait for longer, or claim with `local`, without the other clones")
}
