package forecast

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
)

// Everything that a forecast writes goes into a bare repository of its own in
// a temporary directory, which borrows the objects of the user's: indices,
// trees, commits, merged files.

const (
	scratchPrefix = "agent-locks-forecast-"
	leftoverAge   = time.Hour // a scratch directory of a process that was killed
)

// A scratch is that repository.
type scratch struct {
	dir  string
	git  writer // without the user's configuration
	full atomic.Bool
}

// newScratch makes a scratch repository that borrows from r, whose refs are given;
// close removes it.
func newScratch(r *gitdir.Repo, temp string, sha256 bool, settings []string, refs []ref) (*scratch, error) {
	dir, err := makeTemp(temp, memory)
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: dir}
	if err = s.fill(r, sha256); err == nil {
		err = s.borrowHistory(r, refs)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	sweep(dir)
	s.git = writer{r.Apart(dir, s.path("nothing"), settings), &s.full}
	return s, nil
}

// makeTemp makes a directory in temp; where that is "", in memory if there is
// room, else in the system's temporary directory.
func makeTemp(temp, memory string) (string, error) {
	if in := fast(memory); temp == "" && in != "" {
		if dir, err := os.MkdirTemp(in, scratchPrefix); err == nil {
			return dir, nil
		}
	}
	if temp == "" {
		temp = os.TempDir()
	}
	temp, err := filepath.Abs(temp) // git runs in other directories than this process
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(temp, scratchPrefix)
}

func (s *scratch) path(name string) string { return filepath.Join(s.dir, name) }

func (s *scratch) close() error { return os.RemoveAll(s.dir) }

// write makes a file of the scratch directory.
func (s *scratch) write(name, text string) error {
	return os.WriteFile(s.path(name), []byte(text), 0o600)
}

func (s *scratch) fill(r *gitdir.Repo, sha256 bool) error {
	config := "[core]\n\trepositoryformatversion = 0\n"
	if sha256 {
		config = "[extensions]\n\tobjectformat = sha256\n[core]\n\trepositoryformatversion = 1\n"
	}
	config += "\tbare = true\n\tcompression = 0\n\tcreateObject = rename\n" +
		"[advice]\n\tgraftFileDeprecated = false\n"
	var borrowed strings.Builder
	for _, dir := range r.Objects() {
		borrowed.WriteString(quoted(dir) + "\n")
	}
	for _, dir := range []string{"objects/info", "refs", "info"} {
		if err := os.MkdirAll(s.path(dir), 0o700); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"HEAD": "ref: refs/heads/none\n", "config": config,
		"objects/info/alternates": borrowed.String(), "nothing": "",
	} {
		if err := s.write(name, text); err != nil {
			return err
		}
	}
	return nil
}

// quoted is a path as a line of that file: as it is, or between quotes where
// git would not read it so (gitrepository-layout(5)).
func quoted(path string) string {
	path = filepath.ToSlash(path)
	if !strings.ContainsAny(path, "\n\r") && path[0] != '"' && path[0] != '#' {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(path) + `"`
}

// open opens a regular file; what else has its name could be waited for.
func open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%q is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// copyFile copies a regular file with its time of modification: by that of an
// index git knows which entries may have been edited in the same moment.
func copyFile(from, to string) error {
	in, info, err := open(from)
	if err != nil {
		return err
	}
	defer in.Close() // nothing was written
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// sweep removes what killed processes left beside dir, which is new: its time
// is the present by the clock of the file system. What it may not remove is
// somebody else's.
func sweep(dir string) {
	info, err := os.Stat(dir)
	if err != nil {
		return
	}
	beside, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return
	}
	for _, old := range beside {
		if !strings.HasPrefix(old.Name(), scratchPrefix) || !old.IsDir() {
			continue
		}
		if is, err := old.Info(); err == nil && info.ModTime().Sub(is.ModTime()) > leftoverAge {
			_ = os.RemoveAll(filepath.Join(filepath.Dir(dir), old.Name()))
		}
	}
}

// catFile reads objects, in the order asked for; a missing one is nil.
func (s *scratch) catFile(ctx context.Context, ids []string) ([][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := s.git.Run(ctx, []byte(strings.Join(ids, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	return objects(out, len(ids))
}
