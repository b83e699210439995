package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

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
// rename after a look.
func (h *held) appear(id string, f *lockfile.File) error {
	tmp, err := h.temporary(f.Bytes())
	if err != nil {
		return err
	}
	err = h.link(h.active.root, tmp, id+extension)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		if err = h.renameNew(tmp, h.active, id); err == nil {
			h.syncPlace(h.active)
			return nil
		}
	}
	h.warn("remove", filepath.Join(h.path, tmp), remove(h.active.root, tmp))
	if err == nil {
		h.syncPlace(h.active)
	}
	return err
}

// rewrite replaces the file of an entry in place. Readers see the old file or
// the new one.
func (h *held) rewrite(e entry, f *lockfile.File) (entry, error) {
	p := h.active
	if e.archived {
		p = h.done
	}
	tmp, err := h.temporary(f.Bytes())
	if err != nil {
		return entry{}, unusable("write", e.path, err)
	}
	if err := h.rename(tmp, h.name(p, e.ID)); err != nil {
		return entry{}, unusable("write", e.path, errors.Join(err, remove(h.active.root, tmp)))
	}
	h.syncPlace(p)
	written := *newEntry(p, f, e.archived)
	written.dup, written.other = e.dup, e.other
	return written, nil
}

// rename moves a file within the store, over any file that has that name.
func (h *held) rename(from, to string) error {
	return persist(func() error { return h.active.root.Rename(from, to) })
}

// renameNew moves a file to where nothing is yet (else fs.ErrExist). Nothing
// comes between the look and the rename: all who write hold the mutex.
func (h *held) renameNew(from string, to *place, id string) error {
	taken, err := to.holds(id)
	switch {
	case err != nil:
		return err
	case taken:
		return fs.ErrExist
	}
	return h.rename(from, h.name(to, id))
}

// name is what the store's own root calls a lock's file.
func (h *held) name(p *place, id string) string {
	if p == h.active {
		return id + extension
	}
	return filepath.Join(doneName, id+extension)
}

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
		err = h.syncFile(f)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, remove(h.active.root, name))
	}
	return name, nil
}

// syncPlace makes the names in a directory durable. What was renamed has
// happened, so that this failed is a warning.
func (h *held) syncPlace(p *place) {
	h.warn("sync", p.path, h.sync(p.root))
}
