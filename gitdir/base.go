package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const dotGit = ".git"

// dir is the directory that the query is about, absolute and symlink-free.
func (q Query) dir() (string, error) {
	if q.BaseDir == nil {
		return q.cwd()
	}
	base := *q.BaseDir
	if base == "" {
		return "", badBase("`base_dir` is empty: \"\"",
			"pass a directory inside the target repository, or omit `base_dir` for the working directory")
	}
	if base == "~" || strings.HasPrefix(base, "~/") || strings.HasPrefix(base, "~"+string(filepath.Separator)) {
		return "", badBase(fmt.Sprintf("`base_dir` %q: ~ is not expanded here", base),
			"write the home directory's path out, or ./~ for a directory of that name")
	}
	path := base
	if !filepath.IsAbs(base) {
		cwd, err := q.cwd()
		if err != nil {
			return "", err
		}
		path = under(cwd, base)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", badBase(fmt.Sprintf("`base_dir` %q does not exist", base)+resolvedAs(base, path),
			"pass an existing directory, or file, inside the target repository")
	case err != nil:
		return "", badBase(fmt.Sprintf("`base_dir` %q: %v", base, reason(err)),
			"pass a readable directory inside the target repository")
	case !info.IsDir():
		// The file's own directory, not the one that a symlink leads to: the
		// repository that it lies in is the one that is meant.
		path, _ = filepath.Split(path)
	}
	dir, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", badBase(fmt.Sprintf("`base_dir` %q: %v", base, reason(err)),
			"pass a readable directory inside the target repository")
	}
	return dir, nil
}

// cwd is the working directory, symlink-free.
func (q Query) cwd() (string, error) {
	const hint = "change to a directory that exists, or pass an absolute `base_dir` inside the target repository"
	wd, err := q.Getwd()
	if err != nil {
		return "", badBase(fmt.Sprintf("the working directory is gone or cannot be read: %v", reason(err)), hint)
	}
	dir, err := filepath.EvalSymlinks(wd)
	if err != nil {
		return "", badBase(fmt.Sprintf("the working directory %q is gone or cannot be read: %v", wd, reason(err)), hint)
	}
	return dir, nil
}

// under is the path relative to dir, spelled so that the system resolves a
// `..` after it has followed a symlink; filepath.Join would do so before.
func under(dir, path string) string {
	if os.IsPathSeparator(path[0]) {
		return Rooted(dir, path)
	}
	if filepath.VolumeName(path) != "" { // Windows: relative to another drive's directory
		return path
	}
	return dir + string(filepath.Separator) + path
}

// absolute is a path of git's, which is slash-separated and relative to dir, or
// absolute.
func absolute(dir, path string) string {
	if path = Rooted(dir, filepath.FromSlash(path)); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// resolvedAs tells what a relative name was taken for.
func resolvedAs(base, path string) string {
	if base == path {
		return ""
	}
	return fmt.Sprintf(" (looked for %q)", path)
}

// resolved is the path absolute and symlink-free, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// reason is a path error without the path, which the message names itself.
func reason(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

func badBase(message, hint string) error {
	return &Error{Kind: ErrBaseDir, Message: message, Hint: hint}
}

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
