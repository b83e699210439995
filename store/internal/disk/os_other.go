//go:build !unix && !windows

package disk

import "os"

const (
	openNonblock = 0
	openNofollow = 0
)

func syncDir(*os.Root) error { return nil }

func transient(error) bool { return false }

func unknownRemoval(error) bool { return false }

func diskFull(error) bool { return false }

func writable(string) error { return nil }
