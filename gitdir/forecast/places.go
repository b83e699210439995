package forecast

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// A directory is what was found out about one of a worktree.
type directory struct {
	link       bool // or below one
	repository string
}

// places remembers the directories of a worktree that were looked at.
type places struct {
	root string
	seen map[string]directory
}

// behindLink reports whether a file's directory is reached through a link.
func (p places) behindLink(name string) bool { return p.at(path.Dir(name)).link }

// repository is the directory of a worktree, ended by a slash, that holds a
// name and has a `.git` of its own, whether or not that leads anywhere. git
// lists a repository by a name that ends in a slash.
func (p places) repository(name string) (dir string, inside bool) {
	if name[len(name)-1] == '/' {
		return name, true
	}
	dir = p.at(path.Dir(name)).repository
	return dir, dir != ""
}

func (p places) at(dir string) directory {
	if dir == "." {
		return directory{}
	}
	at, ok := p.seen[dir]
	if ok {
		return at
	}
	at = p.at(path.Dir(dir))
	full := filepath.Join(p.root, filepath.FromSlash(dir))
	if info, err := os.Lstat(full); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		at.link = true
	}
	if _, err := os.Lstat(filepath.Join(full, ".git")); err == nil && at.repository == "" {
		at.repository = dir + "/"
	}
	p.seen[dir] = at
	return at
}
