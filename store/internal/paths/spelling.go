package paths

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A Spelling is one name of a file: a symlink-free directory that exists, and
// the file's path under it.
type Spelling struct {
	Dir  string // absolute
	Rest string // relative to dir; may lead through what does not exist
}

const maxLinks = 40 // as many as systems follow

// maxPath is how long a path any system takes: of a longer one nothing exists,
// so to look at its parts, which takes the square of their number, is useless.
func maxPath() int {
	if runtime.GOOS == "windows" {
		return 32767
	}
	return 4096
}

// Spellings are the names of a file: as it was given, and after each symbolic
// link on its way was followed, the last of them without any. A lock may name
// any of them. The path must be absolute; the file, and directories above it,
// need not exist, and a path too long to exist stays as it was given.
func Spellings(path string) []Spelling {
	separator := string(filepath.Separator)
	volume := filepath.VolumeName(path)
	if len(path) > maxPath() {
		return []Spelling{{volume + separator, strings.TrimLeft(path[len(volume):], `/`+separator)}}
	}
	done, exists := volume+separator, volume+separator // no symlinks in them
	todo := strings.Split(filepath.FromSlash(path[len(volume):]), separator)
	var out []Spelling
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			exists = shorter(exists, done)
			continue
		}
		at := filepath.Join(done, name)
		if exists != done { // nothing lies in what does not exist
			done = at
			continue
		}
		fi, err := os.Lstat(at)
		switch {
		case err != nil:
			done = at
		case fi.Mode()&os.ModeSymlink != 0 && len(out) < maxLinks:
			target, err := os.Readlink(at)
			if err != nil {
				done = at
				continue
			}
			out = append(out, Spelling{done, filepath.Join(append([]string{name}, todo...)...)})
			todo = append(strings.Split(filepath.FromSlash(target), separator), todo...)
			if filepath.IsAbs(target) {
				volume = filepath.VolumeName(target)
				todo[0] = strings.TrimPrefix(todo[0], volume)
				done, exists = volume+separator, volume+separator
			}
		default:
			done = at
			if fi.IsDir() {
				exists = at
			}
		}
	}
	rest, err := filepath.Rel(exists, done)
	if err != nil {
		return out
	}
	return append(out, Spelling{exists, rest})
}

func shorter(a, b string) string {
	if len(b) < len(a) {
		return b
	}
	return a
}

// DotGitAbove is the nearest directory from dir upwards that holds a .git, if
// any does: the one to ask git from about a file in dir. A file that lies in no
// worktree is found out without asking, and what lies under as the plain files of
// another repository (a bare one, as a clone can bring) is not asked.
func DotGitAbove(dir string) (root string, ok bool) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// Slashed is the path from a directory to one under it, as git spells it.
func Slashed(from, to string) string {
	rest := strings.TrimPrefix(to, from)
	return strings.TrimPrefix(filepath.ToSlash(rest), "/")
}
