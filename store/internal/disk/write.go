package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/atomicfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Create creates a lock file under the first id (base, base-2, ...) that is
// free in both directories. render returns the file's content for an id.
func (tx *Tx) Create(base string, render func(id string) (*lockfile.File, error)) (Entry, error) {
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		switch taken, err := tx.taken(id); {
		case err != nil:
			return Entry{}, err
		case taken:
			continue
		}
		f, err := render(id)
		if err == nil {
			err = checkSize(f)
		}
		if err != nil {
			return Entry{}, err
		}
		err = tx.createFile(id, f)
		switch {
		case err == nil:
			return newEntry(tx.Dir.active, f, false), nil
		case !errors.Is(err, fs.ErrExist):
			return Entry{}, Unusable("create", tx.Dir.active.File(id+Extension), err)
		}
	}
}

// taken reports whether an id is in use in either directory.
func (tx *Tx) taken(id string) (bool, error) {
	done, err := tx.Dir.doneFolder()
	if err != nil {
		return false, err
	}
	if taken, err := done.holds(id); taken || err != nil {
		return taken, err
	}
	return tx.Dir.active.holds(id)
}

// createFile makes a new file appear whole, without ever replacing another
// (fs.ErrExist). It uses an exclusive link or, on file systems without links, a
// check followed by a rename.
func (tx *Tx) createFile(id string, f *lockfile.File) error {
	in := tx.Dir.active
	temporary := temporaryName()
	if err := atomicfile.Temporary(in.root, temporary, f.Bytes(), tx.newFiles()); err != nil {
		return err
	}
	err := tx.Dir.link(in.root, temporary, id+Extension)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		if err = tx.renameNew(temporary, in, id); err == nil {
			tx.SyncFolder(in)
			return nil
		}
	}
	tx.Warn("remove", in.File(temporary), in.Unlink(temporary))
	if err == nil {
		tx.SyncFolder(in)
	}
	return err
}

// replaceFile replaces an entry's file in place. Readers see either the old
// file or the new one.
func (tx *Tx) replaceFile(e Entry, f *lockfile.File) (Entry, error) {
	in := tx.Dir.active
	if e.Archived {
		in = tx.Dir.done
	}
	if err := tx.Publish(f.Bytes(), in, e.Lock.ID+Extension); err != nil {
		return Entry{}, Unusable("write", e.Path, err)
	}
	tx.SyncFolder(in)
	written := newEntry(in, f, e.Archived)
	written.Duplicate, written.Other = e.Duplicate, e.Other
	return written, nil
}

// Supersede replaces a file, whose content was old, with data. Before that, it
// keeps the old file under the name as in past, replacing any leftover of that
// name. Both are durable before the new file becomes visible; they are synced
// concurrently, since file systems combine the two.
func (tx *Tx) Supersede(data []byte, in *Folder, name string, old []byte, past *Folder, as string) error {
	if err := tx.keep(old, in, name, past, as); err != nil {
		return &fault.Error{Code: fault.StoreUnwritable, Err: err,
			Message: fmt.Sprintf("cannot write %q: %v", past.File(as), Cause(err)),
			Hint:    cmp.Or(wayOut(err), "move away what is there: a file of our own belongs there")}
	}
	kept := make(chan error, 1)
	go func() { kept <- tx.Dir.sync(past.root) }()
	root, temporary := tx.Dir.active.root, temporaryName()
	err := atomicfile.Temporary(root, temporary, data, tx.newFiles())
	tx.Warn("sync", past.Path, <-kept)
	if err == nil {
		if err = atomicfile.Rename(root, temporary, tx.within(in, name)); err != nil {
			err = errors.Join(err, tx.Dir.active.Unlink(temporary))
		}
	}
	if err != nil {
		return Unusable("write", in.File(name), err)
	}
	return nil
}

// keep gives a file with the given content a second name, as a hard link or, on
// file systems without links, as a copy.
func (tx *Tx) keep(data []byte, in *Folder, name string, past *Folder, as string) error {
	link := func() error { return tx.Dir.link(tx.Dir.active.root, tx.within(in, name), tx.within(past, as)) }
	err := link()
	if errors.Is(err, fs.ErrExist) {
		if err := past.Unlink(as); err != nil {
			return err
		}
		err = link()
	}
	if err != nil {
		return tx.Publish(data, past, as)
	}
	return nil
}

// Publish writes a file atomically, replacing any file of that name.
func (tx *Tx) Publish(data []byte, in *Folder, name string) error {
	return atomicfile.Write(tx.Dir.active.root, temporaryName(), tx.within(in, name), data, tx.newFiles())
}

// renameNew moves a lock's file to a name that must be free (else fs.ErrExist).
// Nothing can take the name between the check and the rename, because all
// writers hold the mutex.
func (tx *Tx) renameNew(from string, to *Folder, id string) error {
	taken, err := to.holds(id)
	switch {
	case err != nil:
		return err
	case taken:
		return fs.ErrExist
	}
	return atomicfile.Rename(tx.Dir.active.root, from, tx.within(to, id+Extension))
}

// within returns a file's path relative to the store.
func (tx *Tx) within(in *Folder, name string) string {
	if in == tx.Dir.active {
		return name
	}
	return filepath.Join(in.name, name)
}

// SyncFolder makes the names in a directory durable. A failure is only a
// warning, because the preceding rename has taken effect.
func (tx *Tx) SyncFolder(f *Folder) {
	tx.Warn("sync", f.Path, tx.Dir.sync(f.root))
}
