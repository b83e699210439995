package gitdir

import (
	"os"
	"path/filepath"
)

// Rooted completes a path that begins with a separator and names no drive, as
// Windows has it: it lies on the drive of dir. Git Bash spells drives as
// directories, so /c/src is C:\src. Any other path, and where paths have no
// drives every one, stays as it is.
func Rooted(dir, path string) string {
	drive := filepath.VolumeName(dir)
	switch {
	case drive == "" || path == "" || !os.IsPathSeparator(path[0]) || filepath.VolumeName(path) != "":
		return path
	case spellsDrive(path):
		return path[1:2] + ":" + string(filepath.Separator) + path[min(len(path), 3):]
	}
	return drive + path
}

// spellsDrive knows /c and what begins with /c/.
func spellsDrive(path string) bool {
	if len(path) < 2 || len(path) > 2 && !os.IsPathSeparator(path[2]) {
		return false
	}
	letter := path[1] | 0x20
	return 'a' <= letter && letter <= 'z'
}
