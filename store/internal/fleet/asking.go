package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// askingName is a file that stands while the process that has fleet.lock waits for the
// remote, since when it was made. Who waits for that process learns from it whether the
// remote is why.
const askingName = "asking"

// silence is how long a remote may take to answer one call before it counts as one that
// does not: most answer within a second.
const silence = 5 * time.Second

// ask runs one call of the remote.
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
	_ = folder.UnlinkNow(askingName) // else the next turn does so before anything else
	return err
}

// askedBefore removes the file of a process that was killed.
func (t *turn) askedBefore() error {
	err := t.fleet.folder.UnlinkNow(askingName)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return disk.Unusable("remove", t.fleet.folder.File(askingName), err)
}

// kept is the error of a call that another process of this clone has kept waiting since
// then: the remote's, where that one waits for it, or has done so in vain.
func (f *Fleet) kept(since time.Time) *fault.Error {
	t := turn{fleet: f, state: f.lastSeen()}
	if t.state.Failed.After(since) {
		return t.failedBefore()
	}
	now := f.dir.Now()
	if info, err := f.folder.Lstat(askingName); err == nil && now.Sub(info.ModTime()) >= silence {
		return t.unreachable(fmt.Sprintf("another process of this clone has waited for it for %s",
			now.Sub(info.ModTime()).Round(time.Second)))
	}
	return fault.New(fault.FleetBusy, "other processes of this clone have been talking to the remote %q for %s", f.Remote,
		now.Sub(since).Round(time.Second)).
		WithHint("try again, wait for longer, or claim with `local`, without the other clones")
}
