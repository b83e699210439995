package disk

import (
	"errors"
	"syscall"
)

// Uninterrupted tries to lock until a signal no longer cuts the call short.
// Local file systems restart it themselves; FUSE and CIFS do not, and Go sends
// its own threads signals.
func Uninterrupted(try func() (bool, error)) (bool, error) {
	for {
		taken, err := try()
		if !errors.Is(err, syscall.EINTR) {
			return taken, err
		}
	}
}
