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
	done, err := h.archive()
	if err != nil {
		return entry{}, err
	}
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		if h.active.holds(id) || done.holds(id) {
			continue
		}
		f, err := render(id)
		if err != nil {
			return entry{}, err
		}
		err = h.appear(id, f)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return entry{}, unusable("create", h.active.file(id), err)
		}
		return *newEntry(h.active, f, false), nil
	}
}

// appear puts a new file in its place, whole, and never over another one: by
// an exclusive link or, where the file system has none, by a rename after a
// look. All who write hold the mutex, so nothing comes in between.
func (h *held) appear(id string, f *lockfile.File) error {
	name := id + extension
	tmp, err := h.temporary(f.Bytes())
	if err != nil {
		return err
	}
	err = h.link(h.active.root, tmp, name)
	switch {
	case err == nil:
		h.warn("remove", filepath.Join(h.path, tmp), h.active.root.Remove(tmp))
	case errors.Is(err, fs.ErrExist) || h.active.holds(id):
		return errors.Join(fs.ErrExist, h.active.root.Remove(tmp))
	default:
		if err := h.active.root.Rename(tmp, name); err != nil {
			return errors.Join(err, h.active.root.Remove(tmp))
		}
	}
	h.syncPlace(h.active)
	return nil
}

// rewrite replaces the file of an entry in place. Readers see the old file or
// the new one.
func (h *held) rewrite(e entry, f *lockfile.File) (entry, error) {
	p, name := h.active, e.ID+extension
	if e.archived {
		p, name = h.done, filepath.Join(doneName, name)
	}
	tmp, err := h.temporary(f.Bytes())
	if err != nil {
		return entry{}, unusable("write", e.path, err)
	}
	if err := h.active.root.Rename(tmp, name); err != nil {
		return entry{}, unusable("write", e.path, errors.Join(err, h.active.root.Remove(tmp)))
	}
	h.syncPlace(p)
	written := *newEntry(p, f, e.archived)
	written.dup, written.other = e.dup, e.other
	return written, nil
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
