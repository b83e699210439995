package disk

import (
	"fmt"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// An Entry is a lock file as it was read.
type Entry struct {
	Lock     lockfile.Lock  // as parsed, except that everything in done/ has status done
	File     *lockfile.File // the unmodified file
	Path     string         // absolute
	Archived bool           // in done/
	// Other is the path of the second copy of an id that exists in both the
	// active directory and done/; Path is the copy that counts. Unless
	// Duplicate is set, both copies are done and identical.
	Other     string
	Duplicate bool
	// Elsewhere identifies the clone that published the lock; nil for a lock of
	// this store. A published entry is not in the store and is never written.
	Elsewhere *Elsewhere
}

// An Elsewhere identifies the clone that published a lock. AsOf is the time of
// that report, and Seen is the lock's last heartbeat; staleness is judged by
// Entry.Lock.Updated instead.
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

// Done reports whether the lock is finished. That includes a finish that was
// cut short and left the file in the active directory.
func (e Entry) Done() bool { return e.Lock.Status == lockfile.Done }

// Unfinished reports whether a finish was cut short before its last step.
func (e Entry) Unfinished() bool {
	return !e.Duplicate && (e.Other != "" || e.Done() && !e.Archived)
}

// Edited returns the lock's file with an edit applied. An edit that grows the
// file must leave room for the writes that end a lock, unless it ends the lock
// itself. An edit that reopens a lock must leave room too, because the lock
// will end again.
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

// checkSize reports an error if the file leaves too little room for the writes
// that end a lock.
func checkSize(f *lockfile.File) error {
	if n, limit := len(f.Bytes()), lockfile.MaxFile-lockfile.Reserve; n > limit {
		return fault.Input("the lock file would have %d bytes, more than %d", n, limit).
			WithHint("put long text into a file in the repository and name it in a note")
	}
	return nil
}

// TwoPlaces returns the error for an entry whose id has two differing copies,
// and nil for any other entry.
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

// duplicate returns the DuplicateID error that names both copies of an id.
func duplicate(id, active, done string) error {
	return fault.New(fault.DuplicateID, "%q is in two places: %q and %q", id, active, done).
		WithHint(fmt.Sprintf("read both, then move one of them out of the store: %q, if you want to keep the other",
			done))
}

// A BadFile is a file in the store that cannot be read as a lock.
type BadFile struct {
	Path   string
	Reason string
}

// err returns the error for a lock that was requested by id and cannot be read.
func (f BadFile) err() error {
	return fault.Input("%q cannot be read as a lock: %s", f.Path, f.Reason).
		WithHint("fix the file by hand, or move it away")
}

// A Listing is the content of the store.
type Listing struct {
	Entries []Entry // sorted by id, no id twice
	Bad     []BadFile
	Notes   []string // warnings about the listing itself, such as an id in both places
}

// Which selects locks by status.
type Which int

const (
	ActiveOnly Which = iota
	DoneOnly
	All
)

func (w Which) excludes(e Entry) bool {
	return w != All && e.Done() != (w == DoneOnly)
}
