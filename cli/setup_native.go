package cli

import (
	"os"
	"path/filepath"
	"strings"
)

// native is where settings of the user's find this program: by its name on the
// PATH, where that leads to this very file (an upgrade keeps the name), else by
// the file. "": it is not there to stay, as in a temporary directory, or goes
// by another name, which removing it would not know.
func (a *app) native() string {
	self, err := a.Executable()
	if err != nil {
		return ""
	}
	if found, err := a.lookPath("agent-locks"); err == nil && filepath.IsAbs(found) && sameFile(found, self) {
		self = found
	}
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(self)), ".exe")
	if !filepath.IsAbs(self) || name != "agent-locks" || within(a.TempDir, self) {
		return ""
	}
	return self
}

// within reports whether a path lies below a directory, a link or not.
func within(dir, path string) bool {
	for _, d := range []string{dir, resolved(dir)} {
		if rel, err := filepath.Rel(d, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}
