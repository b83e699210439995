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

// dir returns the directory that the query is about, absolute and symlink-free.
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
		// Use the directory that contains the file's name, not the target of a
		// symlink: the repository there is the one meant.
		path, _ = filepath.Split(path)
	}
	dir, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", badBase(fmt.Sprintf("`base_dir` %q: %v", base, reason(err)),
			"pass a readable directory inside the target repository")
	}
	return dir, nil
}

// cwd returns the working directory, symlink-free.
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

// under joins dir and path so that the system resolves a ".." after following
// symlinks; filepath.Join would remove it before.
func under(dir, path string) string {
	if os.IsPathSeparator(path[0]) {
		return Rooted(dir, path)
	}
	if filepath.VolumeName(path) != "" { // Windows: relative to the current directory of another drive
		return path
	}
	return dir + string(filepath.Separator) + path
}

// absolute makes a path printed by git absolute; it is slash-separated, and may
// be relative to dir.
func absolute(dir, path string) string {
	if path = Rooted(dir, filepath.FromSlash(path)); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// resolvedAs says how a relative name was resolved, for a message.
func resolvedAs(base, path string) string {
	if base == path {
		return ""
	}
	return fmt.Sprintf(" (looked for %q)", path)
}

// resolved returns path without symlinks, or a clean path if it does not exist.
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

// reason returns the cause of a path error without the path, which the message
// already names.
func reason(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

func badBase(message, hint string) error {
	return &Error{Kind: ErrBaseDir, Message: message, Hint: hint}
}

// Rooted completes a Windows path that begins with a separator but names no
// drive: it is on the drive of dir. Git Bash spells drives as directories, so
// /c/src becomes C:\src. Any other path is returned unchanged, and so is every
// path on systems without drives.
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

// spellsDrive reports whether path is /c or begins with /c/, for any letter.
func spellsDrive(path string) bool {
	if len(path) < 2 || len(path) > 2 && !os.IsPathSeparator(path[2]) {
		return false
	}
	letter := path[1] | 0x20
	return 'a' <= letter && letter <= 'z'
}
