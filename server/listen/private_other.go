//go:build !unix

package listen

import (
	"errors"
	"io/fs"
)

// checksModes: file modes on this system do not say who may read a file.
const checksModes = false

const openAtOnce = 0

func private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	return nil
}
