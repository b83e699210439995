//go:build !unix && !windows

package atomicfile

import "os"

func SyncDir(*os.Root) error { return nil }

func transient(error) bool { return false }

func unknownRemoval(error) bool { return false }
