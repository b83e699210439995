package paths

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A Spelling is one name of a file: an existing directory without symlinks in
// its path, and the file's path under it.
type Spelling struct {
	Dir  string // absolute
	Rest string // relative to Dir; may include directories that do not exist
}

const maxLinks = 40 // the usual limit of operating systems

// maxPath returns the length limit of paths. Nothing exists at a longer path,
// so examining its parts, at quadratic cost, would be useless.
func maxPath() int {
	if runtime.GOOS == "windows" {
		return 32767
	}
	return 4096
}

// Spellings returns the names of a file: the path as given, and the path after
// following each symlink in it, up to the one without any. A lock may name any
// of them. The path must be absolute. The file and its parent directories need
// not exist. A path longer than the system allows is returned as it is.
func Spellings(path string) []Spelling {
	separator := string(filepath.Separator)
	volume := filepath.VolumeName(path)
	if len(path) > maxPath() {
		return []Spelling{{volume + separator, strings.TrimLeft(path[len(volume):], `/`+separator)}}
	}
	done, exists := volume+separator, volume+separator // without symlinks
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
		if exists != done { // the parent does not exist, so neither does this
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

// DotGitAbove returns the nearest directory, from dir upwards, that contains a
// .git. That is where to run git for a file in dir. It avoids running git for
// files outside any worktree, and it skips the plain files of another
// repository, such as a bare one brought by a clone.
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

// Slashed returns the path from a directory to one under it, with slashes.
func Slashed(from, to string) string {
	rest := strings.TrimPrefix(to, from)
	return strings.TrimPrefix(filepath.ToSlash(rest), "/")
}
