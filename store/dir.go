package store

import (
	"context"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
)

// A dir is the agents-locks directory of one repository, opened for one call.
// Reading through it creates nothing and needs no write permission; it may
// not exist, and then reads as empty.
type dir struct{ path string }

// An entry is one lock file as it was read.
type entry struct {
	*lockfile.File
	path     string // absolute
	archived bool   // lies in done/
	// A finish cut short (active directory, status done) reads as done; so
	// does anything in done/, whatever its status says.
	done bool
	dup  bool // the id was found in both places; path is the one that counts
}

// A fault is a file in the store that could not be read as a lock.
type fault struct {
	path   string
	reason string
}

// A listing is what the directory held.
type listing struct {
	entries []entry // sorted by id, no id twice
	faults  []fault
	notes   []string // warnings about the listing itself (ids in both places)
}

type which int

const (
	activeOnly which = iota
	doneOnly
	all
)

// openDir opens the store of a repository for reading; no mutex.
func openDir(repo *gitdir.Repo) (*dir, error) { panic("not yet") }

func (d *dir) close() { panic("not yet") }

// list reads the locks (section 5.5); it never fails for one bad file.
func (d *dir) list(ctx context.Context, w which) (listing, error) { panic("not yet") }

// get reads one lock by its exact id: at most a few opens, no scan (5.6).
// Errors: *Error with BadInput for an id that is none, LockNotFound, or the
// reason why the file is unreadable.
func (d *dir) get(ctx context.Context, id string) (entry, error) { panic("not yet") }

// lock takes the mutex (creating the store where it is missing), waits at
// most wait, and fails with StoreBusy or StoreUnwritable, writing nothing.
// All writing goes through the *held that it returns.
func (d *dir) lock(ctx context.Context) (*held, error) { panic("not yet") }

// A held is a dir whose mutex this call holds.
type held struct{ *dir }

func (h *held) unlock() error { panic("not yet") }

// create links a new lock file under the first free id (stamp-slug, -2, ...),
// free in both directories; render makes the file for an id.
func (h *held) create(base string, render func(id string) (*lockfile.File, error)) (entry, error) {
	panic("not yet")
}

// rewrite replaces the file of an entry in place.
func (h *held) rewrite(e entry, f *lockfile.File) (entry, error) { panic("not yet") }

// finish looks into done/ first, rewrites in place with f (status done), then
// renames into done/ (5.4).
func (h *held) finish(e entry, f *lockfile.File) (entry, error) { panic("not yet") }

// reopen renames back, then rewrites with f (status active).
func (h *held) reopen(e entry, f *lockfile.File) (entry, error) { panic("not yet") }
