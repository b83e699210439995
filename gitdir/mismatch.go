package gitdir

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Inherited returns the value of a variable that locates a repository, such as
// GIT_DIR, from the caller's environment; "" if it does not apply to this repository.
func (r *Repo) Inherited(name string) string {
	if r.explicit {
		return ""
	}
	return Getenv(r.environ, name)
}

// Index returns the path of the index of the caller's worktree.
func (r *Repo) Index() string {
	if file := r.Inherited("GIT_INDEX_FILE"); file != "" {
		return absolute(r.Worktree, file)
	}
	return filepath.Join(r.GitDir, "index")
}

// Objects returns the directories with the repository's objects: its own, and
// those from the environment, such as the quarantine of a hook. Alternates that
// they name in turn are not included.
func (r *Repo) Objects() []string {
	dirs := []string{filepath.Join(r.CommonDir, "objects")}
	more := append([]string{r.Inherited("GIT_OBJECT_DIRECTORY")},
		filepath.SplitList(r.Inherited("GIT_ALTERNATE_OBJECT_DIRECTORIES"))...)
	for _, dir := range more {
		if at := absolute(r.Dir, dir); dir != "" && isDir(at) {
			dirs = append(dirs, at)
		}
	}
	return dirs
}

// Mismatch reports that the git directory and the worktree that git uses here
// do not belong together; "" if they do. Only variables such as GIT_DIR can
// cause this: a hook exports one and then changes to another worktree, or to a
// subdirectory, which git then takes for the root.
//
// A git directory without an existing worktree may be used with any files that
// belong to no other worktree of the repository: `--git-dir` and `--work-tree`
// with a bare one.
func (r *Repo) Mismatch() string {
	set := r.locating()
	switch {
	case set == "":
		return ""
	case !sameFile(commonOf(r.GitDir), r.CommonDir):
		return fmt.Sprintf("with %s, git takes %q for the common directory of %q, which it is not",
			set, r.CommonDir, r.GitDir)
	case r.Worktree == "":
		return ""
	case !isDir(r.Worktree):
		return fmt.Sprintf("with %s, git looks for the files of a worktree in %q, which is not a directory",
			set, r.Worktree)
	case !r.together():
		return fmt.Sprintf("with %s, git takes %q for the worktree of %q, which it is not",
			set, r.Worktree, r.GitDir)
	}
	return ""
}

// locating returns the variables that determine the git directory or the
// worktree, with their values.
func (r *Repo) locating() string {
	var set []string
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"} {
		if value := r.Inherited(name); value != "" {
			set = append(set, fmt.Sprintf("%s=%q", name, value))
		}
	}
	return strings.Join(set, " and ")
}

// together reports whether the git directory and the worktree may be used together.
func (r *Repo) together() bool {
	if home := r.home(); home != "" {
		return sameFile(home, r.Worktree)
	}
	for at := range parents(r.Worktree) {
		if gitDir, there := ledTo(at); there {
			_, here := r.leadsHere(at)
			return !here || at == r.Worktree && sameFile(gitDir, r.GitDir)
		}
	}
	return true
}

// home returns the existing worktree for which the git directory was created, or "".
func (r *Repo) home() string {
	root := r.Root
	switch {
	case r.GitDir != r.CommonDir:
		root, _ = recordedRoot(r.GitDir) // a record that cannot be read names none
	case !r.hasMain():
		return ""
	}
	if root == "" {
		return ""
	}
	if gitDir, _ := ledTo(root); gitDir == "" || !sameFile(gitDir, r.GitDir) {
		return ""
	}
	return root
}
