package disk

import (
	"fmt"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// An Entry is one lock file as it was read.
type Entry struct {
	Lock     lockfile.Lock  // what the file says; what lies in done/ is done, whatever its status says
	File     *lockfile.File // as it stands
	Path     string         // absolute
	Archived bool           // lies in done/
	// The other copy of an id that was found in both places; Path is the one
	// that counts. Both are done and equal, byte for byte, unless Duplicate.
	Other     string
	Duplicate bool
	// Elsewhere is whose it is where another clone of the repository published
	// it; such an entry lies in no store, and is never written.
	Elsewhere *Elsewhere
}

// An Elsewhere is the clone that published a lock, and as of when it stood. The
// entry's Lock.Updated is what its staleness is judged by; Seen is its heartbeat.
type Elsewhere struct {
	Clone, Label string
	AsOf, Seen   time.Time
}

func newEntry(in *Folder, f *lockfile.File, archived bool) Entry {
	e := Entry{Lock: f.Lock, File: f, Path: in.File(f.Lock.ID + Extension), Archived: archived}
	if archived {
		e.Lock.Status = lockfile.Done
	}
	return e
}

// Done reports whether the work has ended. A finish that was cut short, in the
// active directory, has.
func (e Entry) Done() bool { return e.Lock.Status == lockfile.Done }

// Unfinished reports whether a finish was cut short before its last step.
func (e Entry) Unfinished() bool {
	return !e.Duplicate && (e.Other != "" || e.Done() && !e.Archived)
}

// Edited is the lock's file with an edit applied. What grows the file must
// leave room for the writes that end a lock, unless the edit itself ends it: a
// lock that is reopened will end again.
func (e Entry) Edited(edit lockfile.Edit) (*lockfile.File, error) {
	f, err := e.File.With(edit)
	if err != nil {
		return nil, fault.Input("lock %q cannot be changed: %v", e.Lock.ID, err).
			WithHint(fmt.Sprintf("fix or shorten %q by hand", e.Path))
	}
	grows := len(edit.AddNotes)+len(edit.AddTasks) > 0
	if grows && (f.Lock.Status == e.File.Lock.Status || f.Lock.Status == lockfile.Active) {
		return f, checkSize(f)
	}
	return f, nil
}

// checkSize keeps room for the writes that end a lock.
func checkSize(f *lockfile.File) error {
	if n, limit := len(f.Bytes()), lockfile.MaxFile-lockfile.Reserve; n > limit {
		return fault.Input("the lock file would have %d bytes, more than %d", n, limit).
			WithHint("put long text into a file in the repository and name it in a note")
	}
	return nil
}

// TwoPlaces is the error of an entry whose id is in both places, each with a
// word of its own; nil where it is not.
func (e Entry) TwoPlaces() error {
	switch {
	case !e.Duplicate:
		return nil
	case e.Archived:
		return duplicate(e.Lock.ID, e.Other, e.Path)
	default:
		return duplicate(e.Lock.ID, e.Path, e.Other)
	}
}

// duplicate refuses to put a file where there is one already.
func duplicate(id, active, done string) error {
	return fault.New(fault.DuplicateID, "%q is in two places: %q and %q", id, active, done).
		WithHint(fmt.Sprintf("read both, then move one of them out of the store: %q, if you want to keep the other",
			done))
}

// A BadFile is a file in the store that could not be read as a lock.
type BadFile struct {
	Path   string
	Reason string
}

// err is the error for such a file where the lock was asked for by its id.
func (f BadFile) err() error {
	return fault.Input("%q cannot be read as a lock: %s", f.Path, f.Reason).
		WithHint("fix the file by hand, or move it away")
}

// A Listing is what the directory held.
type Listing struct {
	Entries []Entry // sorted by id, no id twice
	Bad     []BadFile
	Notes   []string // warnings about the listing itself (ids in both places)
}

// Which locks are meant.
type Which int

const (
	ActiveOnly Which = iota
	DoneOnly
	All
)

func (w Which) excludes(e Entry) bool {
	return w != All && e.Done() != (w == DoneOnly)
}
