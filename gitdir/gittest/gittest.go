// Package gittest has what tests with repositories share: temporary directories
// in memory, copies of repositories that git has created once, which takes a
// tenth of the time, and the selection of test cases under -short.
package gittest

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// InMemory runs tests under -short with temporary directories in memory, if
// Linux provides some from which programs can be run: half of the time goes to
// the disk, since each lock is synced. It also runs more tests at once, since
// many of them wait.
type InMemory struct{ Tests *testing.M }

// Run runs the tests and returns their exit code.
func (m InMemory) Run() int {
	flag.Parse()
	if !testing.Short() {
		return m.Tests.Run()
	}
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		flag.Set(f.Name, strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	}
	if os.Getenv("TMPDIR") != "" {
		return m.Tests.Run()
	}
	dir, err := os.MkdirTemp("/dev/shm", "agent-locks-test-")
	if err != nil {
		return m.Tests.Run() // there is none
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "true")
	if os.WriteFile(script, []byte("#!/bin/sh\n"), 0o777) == nil && exec.Command(script).Run() == nil {
		os.Setenv("TMPDIR", dir)
	}
	return m.Tests.Run()
}

// Git runs git commands one after another in a directory.
func Git(dir string, env []string, commands ...[]string) error {
	for _, args := range commands {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %q: %w\n%s", args, err, out)
		}
	}
	return nil
}

// A Template is a directory with repositories and worktrees that can be copied.
// Its zero value is ready to use.
type Template struct {
	once  sync.Once
	err   error
	dir   string // where it was created
	files []file // directories come before their contents
}

type file struct {
	name string
	mode fs.FileMode
	text string
}

// Copy fills dir with a copy of what make creates in the first call.
func (m *Template) Copy(dir string, make func(dir string) error) error {
	m.once.Do(func() { m.err = m.read(make) })
	if m.err != nil {
		return m.err
	}
	// Hooks are among the files, and the system does not run a file that is
	// open for writing. No process may be started meanwhile, since it would
	// inherit the descriptor.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for _, f := range m.files {
		path := filepath.Join(dir, f.name)
		if f.mode.IsDir() {
			if err := os.MkdirAll(path, 0o777); err != nil {
				return err
			}
			continue
		}
		// A worktree and its repository contain each other's paths.
		text := strings.ReplaceAll(f.text, filepath.ToSlash(m.dir), filepath.ToSlash(dir))
		if err := os.WriteFile(path, []byte(text), f.mode.Perm()); err != nil {
			return err
		}
	}
	return nil
}

func (m *Template) read(make func(dir string) error) (err error) {
	if m.dir, err = os.MkdirTemp("", "template"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(m.dir)) }()
	if m.dir, err = filepath.EvalSymlinks(m.dir); err != nil {
		return err
	}
	if err := make(m.dir); err != nil {
		return err
	}
	err = filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(path, ".sample") { // sample hooks
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(m.dir, path)
		f := file{name: name, mode: info.Mode()}
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = os.ReadFile(path)
			f.text = string(text)
		}
		m.files = append(m.files, f)
		return err
	})
	slices.SortStableFunc(m.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return err
}
