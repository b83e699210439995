package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// leftover is the age from which an unfinished file is nobody's any more.
const leftover = time.Hour

// sweep removes the unfinished files of processes that were killed. It never
// stands in the way of the work that the mutex was taken for.
func (h *held) sweep() {
	names, err := h.active.names()
	h.warnError(err)
	for _, name := range names {
		if !strings.HasPrefix(name, temporary) {
			continue
		}
		fi, err := h.active.root.Lstat(name)
		if err == nil && h.now().Sub(fi.ModTime()) > leftover {
			err = remove(h.active.root, name)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			h.warn("remove", filepath.Join(h.path, name), err)
		}
	}
}
