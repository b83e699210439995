package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
)

// temporary is the prefix of unfinished files. A name that begins with a dot
// never reads as a lock.
const temporary = ".tmp-"

// create links a new lock file under the first free id (base, base-2, ...),
// free in both places; render makes the file for an id.
func (h *held) create(base string, render func(id string) (*lockfile.File, error)) (entry, error) {
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		switch taken, err := h.taken(id); {
		case err != nil:
			return entry{}, err
		case taken:
			continue
		}
		f, err := render(id)
		if err != nil {
			return entry{}, err
		}
		err = h.appear(id, f)
		switch {
		case err == nil:
			return *newEntry(h.active, f, false), nil
		case !errors.Is(err, fs.ErrExist):
			return entry{}, unusable("create", h.active.file(id), err)
		}
	}
}

// taken reports whether an id is in use in either place.
func (h *held) taken(id string) (bool, error) {
	done, err := h.archive()
	if err != nil {
		return false, err
	}
	if taken, err := done.holds(id); taken || err != nil {
		return taken, err
	}
	return h.active.holds(id)
}

// appear puts a new file in its place, whole, and never over another one
// (fs.ErrExist): by an exclusive link or, where the file system has none, by a
// rename after a look. All who write hold the mutex, so nothing comes between.
func (h *held) appear(id string, f *lockfile.File) error {
	tmp, err := h.temporary(f.Bytes())
	if err != nil {
		return err
	}
	err = h.link(h.active.root, tmp, id+extension)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = h.renameNew(tmp, id)
		if err == nil {
			h.syncPlace(h.active)
			return nil
		}
	}
	h.warn("remove", filepath.Join(h.path, tmp), h.active.root.Remove(tmp))
	if err == nil {
		h.syncPlace(h.active)
	}
	return err
}

func (h *held) renameNew(tmp, id string) error {
	taken, err := h.active.holds(id)
	switch {
	case err != nil:
		return err
	case taken:
		return fs.ErrExist
	}
	return h.rename(tmp, id+extension)
}

// rewrite replaces the file of an entry in place. Readers see the old file or
// the new one.
func (h *held) rewrite(e entry, f *lockfile.File) (entry, error) {
	p, name := h.active, e.ID+extension
	if e.archived {
		p, name = h.done, inDone(e.ID)
	}
	tmp, err := h.temporary(f.Bytes())
	if err != nil {
		return entry{}, unusable("write", e.path, err)
	}
	if err := h.rename(tmp, name); err != nil {
		return entry{}, unusable("write", e.path, errors.Join(err, h.active.root.Remove(tmp)))
	}
	h.syncPlace(p)
	written := *newEntry(p, f, e.archived)
	written.dup, written.other = e.dup, e.other
	return written, nil
}

// rename moves a file within the store, over any file that has that name. A
// virus scanner or an indexer that has the file open for a moment makes this
// fail on Windows, so it is tried for a while.
func (h *held) rename(from, to string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := h.active.root.Rename(from, to)
		if err == nil || !passing(err) || wait > 256*time.Millisecond {
			return err
		}
		time.Sleep(wait)
	}
}

// inDone is the name, in the store, of a finished lock's file.
func inDone(id string) string { return filepath.Join(doneName, id+extension) }

// temporary writes a file of the store's own, durably, and returns its name;
// nothing is left where that fails. All lie in the active directory, so that
// one sweep finds those of a process that was killed.
func (h *held) temporary(data []byte) (string, error) {
	name := temporary + rand.Text()
	f, err := h.newFile(name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, h.active.root.Remove(name))
	}
	return name, nil
}

// syncPlace makes the names in a directory durable. What was renamed has
// happened, so that this failed is a warning.
func (h *held) syncPlace(p *place) {
	h.warn("sync", p.path, h.sync(p.root))
}
