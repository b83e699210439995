package state

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Put writes next as the present version of an entry. before is the version
// that it replaces, or nil. That one is saved among the past versions first, so
// a process killed in between leaves the entry unchanged.
func Put(tx *disk.Tx, before *Entry, next lockfile.State) (Entry, error) {
	f, err := fileOf(before, next)
	if err != nil {
		return Entry{}, fault.Input("%q cannot be written: %v", next.Name, err).
			WithHint("put long text into a file in the repository and name the file here")
	}
	folders, file := presentPlace(next.Name).folders()
	in, err := ensure(tx, folders)
	if err != nil {
		return Entry{}, err
	}
	defer func() { tx.Warn("close", in.Path, in.Close()) }()
	if before != nil {
		err = supersede(tx, in, file, before, f.Raw())
	} else if err = tx.Publish(f.Raw(), in, file); err != nil {
		err = disk.Unusable("write", in.File(file), err)
	}
	if err != nil {
		return Entry{}, err
	}
	tx.SyncFolder(in)
	if next.Version > KeptPast {
		trim(tx, next.Name)
	}
	return Entry{Says: f.State, Path: in.File(file), file: f}, nil
}

func fileOf(before *Entry, next lockfile.State) (*lockfile.StateFile, error) {
	if before == nil {
		return lockfile.NewState(next)
	}
	return before.file.Rewritten(next)
}

// ensure opens the innermost of nested directories of the store, creating any
// that are missing.
func ensure(tx *disk.Tx, names []string) (*disk.Folder, error) {
	in, err := tx.EnsureFolder(names[0])
	for _, name := range names[1:] {
		if err != nil {
			return nil, err
		}
		outer := in
		in, err = tx.EnsureInner(outer, name)
		tx.Warn("close", outer.Path, outer.Close())
	}
	return in, err
}
