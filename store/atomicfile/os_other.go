//go:build !unix && !windows

package atomicfile

import (
	"io/fs"
	"os"
)

func SyncDir(*os.Root) error { return nil }

func transient(error) bool { return false }

func unknownRemoval(error) bool { return false }

// KeepOwner does nothing: a new file gets its directory's permissions.
func KeepOwner(*os.File, fs.FileInfo) error { return nil }
