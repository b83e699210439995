package forecast

import "syscall"

// git writes thousands of small files for a forecast, one for each object. On a
// disk they cost several times what git does besides.

const (
	memory    = "/dev/shm"
	minMemory = 1 << 30    // bytes that must be free there: a container's usual 64 MiB are not enough
	minFiles  = 1 << 16    // and so many files
	tmpfs     = 0x01021994 // TMPFS_MAGIC (statfs(2))
)

// fast is a directory in memory that has room for a scratch repository; "" where
// there is none. That it may be written to is found out by trying.
func fast(dir string) string {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil || int64(s.Type) != tmpfs {
		return ""
	}
	if s.Bavail*uint64(s.Bsize) < minMemory || s.Ffree < minFiles {
		return ""
	}
	return dir
}
