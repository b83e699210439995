package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ensureStore opens agents-locks, creating it if needed.
func (tx *Tx) ensureStore() (err error) {
	if d := tx.Dir; d.active == nil {
		d.active, err = tx.ensureFolder(d.common, Name, d.Path)
	}
	return err
}

// ensureDone opens done/, creating it if needed.
func (tx *Tx) ensureDone() (*Folder, error) {
	if tx.Dir.done != nil {
		return tx.Dir.done, nil
	}
	done, err := tx.EnsureFolder(DoneName)
	tx.Dir.done = done
	return done, err
}

// EnsureFolder opens a directory in the store, creating it if needed.
func (tx *Tx) EnsureFolder(name string) (*Folder, error) {
	in := tx.Dir.active
	return tx.ensureFolder(in.root, name, in.File(name))
}

// EnsureInner is like EnsureFolder, for a directory inside another one.
func (tx *Tx) EnsureInner(in *Folder, name string) (*Folder, error) {
	inner, err := tx.ensureFolder(in.root, name, in.File(name))
	if inner != nil {
		inner.name = filepath.Join(in.name, name)
	}
	return inner, err
}

// ensureFolder opens a directory. If it has to create it, it applies the git
// directory's permissions.
func (tx *Tx) ensureFolder(parent *os.Root, name, path string) (*Folder, error) {
	switch err := parent.Mkdir(name, 0o777); {
	case err == nil:
		if tx.dirMode != 0 {
			tx.Warn("set the permissions of", path, parent.Chmod(name, tx.dirMode))
		}
		tx.Warn("sync", filepath.Dir(path), tx.Dir.sync(parent))
	case !errors.Is(err, fs.ErrExist):
		return nil, Unusable("create", path, err)
	}
	f, err := openFolder(parent, name, path)
	if err == nil && f == nil {
		err = Unusable("open", path, errors.New("it was removed as soon as it was created"))
	}
	return f, err
}

// NewFile creates a file that must not exist yet, with the git directory's
// permissions.
func (tx *Tx) NewFile(in *Folder, name string) (*os.File, error) {
	f, err := in.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	tx.setMode(f)
	return f, nil
}

// setMode gives a new file the git directory's permissions.
func (tx *Tx) setMode(f *os.File) {
	if tx.fileMode != 0 {
		tx.Warn("set the permissions of", f.Name(), f.Chmod(tx.fileMode))
	}
}

// share adds missing permissions to the store, as the git directory's own
// require. They are missing if the process that created the store was killed
// too early, or if the repository became shared later.
func (tx *Tx) share() {
	if tx.dirMode == 0 {
		return
	}
	d := tx.Dir
	tx.grant(d.common, Name, d.Path, tx.dirMode)
	for _, name := range []string{DoneName, WaitingName, SessionsName, StateName} {
		tx.grant(d.active.root, name, d.active.File(name), tx.dirMode)
	}
	tx.grant(d.active.root, mutexName, d.active.File(mutexName), tx.fileMode)
}

// grant adds permissions. Only the owner can do so; any other user continues
// without: permissions that we lack will cause an error later, and those that
// others lack are the owner's business.
func (tx *Tx) grant(parent *os.Root, name, path string, want fs.FileMode) {
	fi, err := parent.Lstat(name)
	if err == nil && fi.Mode()&want != want && fi.Mode()&fs.ModeSymlink == 0 {
		err = parent.Chmod(name, want|fi.Mode()&fs.ModePerm)
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		tx.Warn("set the permissions of", path, err)
	}
}
