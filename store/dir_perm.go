package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ensureStore creates and opens agents-locks.
func (h *held) ensureStore() error {
	if h.active != nil {
		return nil
	}
	p, err := h.ensurePlace(h.common, storeName, h.path)
	h.active = p
	return err
}

// ensureArchive creates and opens done/.
func (h *held) ensureArchive() (*place, error) {
	if h.done != nil {
		return h.done, nil
	}
	p, err := h.ensurePlace(h.active.root, doneName, filepath.Join(h.path, doneName))
	h.done = p
	return p, err
}

// ensurePlace creates the directory where it is missing, gives it the git
// directory's own permissions, and opens it.
func (h *held) ensurePlace(parent *os.Root, name, path string) (*place, error) {
	switch err := parent.Mkdir(name, 0o777); {
	case err == nil:
		if h.dirMode != 0 {
			h.warn("set the permissions of", path, parent.Chmod(name, h.dirMode))
		}
		h.warn("sync", filepath.Dir(path), h.sync(parent))
	case !errors.Is(err, fs.ErrExist):
		return nil, unusable("create", path, err)
	}
	p, err := openPlace(parent, name, path)
	if err == nil && p == nil {
		err = unusable("open", path, errors.New("it was removed as soon as it was created"))
	}
	return p, err
}

// newFile creates a file that must not exist yet, with the git directory's own
// permissions.
func (h *held) newFile(name string) (*os.File, error) {
	f, err := h.active.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if h.fileMode != 0 {
		h.warn("set the permissions of", f.Name(), f.Chmod(h.fileMode))
	}
	return f, nil
}

// share grants what the git directory's permissions ask for where it is
// missing: the process that created the store was killed before it came to
// that, or the repository became a shared one later.
func (h *held) share() {
	if h.dirMode == 0 {
		return
	}
	h.grant(h.common, storeName, h.path, h.dirMode)
	h.grant(h.active.root, doneName, filepath.Join(h.path, doneName), h.dirMode)
	h.grant(h.active.root, waitingName, filepath.Join(h.path, waitingName), h.dirMode)
	h.grant(h.active.root, mutexName, filepath.Join(h.path, mutexName), h.fileMode)
}

// grant adds permissions. Only the owner can, and whoever cannot may go on:
// what is missing for us will show, and what is missing for others is theirs.
func (h *held) grant(parent *os.Root, name, path string, want fs.FileMode) {
	fi, err := parent.Lstat(name)
	if err == nil && fi.Mode()&want != want && fi.Mode()&fs.ModeSymlink == 0 {
		err = parent.Chmod(name, want|fi.Mode()&fs.ModePerm)
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		h.warn("set the permissions of", path, err)
	}
}

// warn notes an error that does not undo what was done.
func (h *held) warn(verb, path string, err error) {
	if err != nil {
		h.warnings = append(h.warnings, fmt.Sprintf("cannot %s %q: %v", verb, path, cause(err)))
	}
}

// warnError notes one that says itself what could not be done.
func (h *held) warnError(err error) {
	if err != nil {
		h.warnings = append(h.warnings, err.Error())
	}
}
