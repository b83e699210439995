package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// worktreeGone reports whether the worktree that a lock was made from has
// been removed since; a path that cannot be looked at is not called gone, nor
// one of another system's, as WSL and Windows record in a store they share.
// The path may be as the lock file records it.
func (c *call) worktreeGone(path string) bool {
	if !filepath.IsAbs(filepath.FromSlash(path)) {
		return false
	}
	gone, known := c.gone[path]
	if !known {
		gone = missing(path) && !c.escaped(path)
		c.gone[path] = gone
	}
	return gone
}

// escaped reports whether a path stands for a worktree whose name is no plain
// text (see recordable).
func (c *call) escaped(path string) bool {
	if !strings.Contains(path, "%") {
		return false
	}
	roots, err := c.repo.Worktrees()
	return err != nil || slices.ContainsFunc(roots, func(root string) bool {
		return recordable(root) == path && !missing(root)
	})
}

func missing(path string) bool {
	_, err := os.Lstat(filepath.FromSlash(path))
	return errors.Is(err, fs.ErrNotExist)
}

// recordable is a path as a lock file can hold it: bytes that are no UTF-8
// and control characters are percent-escaped.
func recordable(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, isControl) {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); {
		r, n := utf8.DecodeRuneInString(path[i:])
		if (r == utf8.RuneError && n == 1) || isControl(r) {
			for _, c := range []byte(path[i : i+n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(path[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }
