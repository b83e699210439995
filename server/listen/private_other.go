//go:build !unix

package listen

import (
	"errors"
	"io/fs"
)

// checksModes: this system's files have no mode that says who may read them.
const checksModes = false

const openAtOnce = 0

func private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	return nil
}
