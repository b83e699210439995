//go:build !unix && !windows

package disk

import "time"

const (
	openNonblock = 0
	openNofollow = 0
)

func diskFull(error) bool { return false }

func writable(string) error { return nil }

// Origin is not supported on this system and returns 0.
func (f *Folder) Origin(string) (uint64, time.Time, error) { return 0, time.Time{}, nil }
