//go:build unix

package gitdir_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

func (s *sandbox) fifo(name string) {
	s.Helper()
	if err := os.Remove(s.path(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.Fatal(err)
	}
	if err := syscall.Mkfifo(s.path(name), 0o666); err != nil {
		s.Fatal(err)
	}
}

// The words of MERGE_HEAD become git's arguments, so only ids are taken.
func TestMerging(t *testing.T) {
	t.Parallel()
	id, long := strings.Repeat("0a", 20), strings.Repeat("9f", 32)
	for name, tc := range gittest.SomeOf(8, map[string]struct {
		build func(s *sandbox, path string)
		want  string
		says  string // of the error, if there is to be one
	}{
		"no merge":            {func(s *sandbox, path string) {}, "", ""},
		"one":                 {func(s *sandbox, path string) { s.write(path, id+"\n") }, id, ""},
		"several":             {func(s *sandbox, path string) { s.write(path, id+"\n"+long+"\n") }, id + " " + long, ""},
		"through a symlink":   {func(s *sandbox, path string) { s.write("ids", id+"\n"); s.symlink(s.path("ids"), path) }, id, ""},
		"an option":           {func(s *sandbox, path string) { s.write(path, "--output=x\n") }, "", `"--output=x" is not an object id`},
		"an option behind":    {func(s *sandbox, path string) { s.write(path, id+"\n--output=x\n") }, "", "--output=x"},
		"a name":              {func(s *sandbox, path string) { s.write(path, "main\n") }, "", "main"},
		"a shortened id":      {func(s *sandbox, path string) { s.write(path, id[:39]+"\n") }, "", "not an object id"},
		"more than an id":     {func(s *sandbox, path string) { s.write(path, id+"^\n") }, "", "not an object id"},
		"a fifo":              {func(s *sandbox, path string) { s.fifo(path) }, "", "not a regular file"},
		"a symlink to a fifo": {func(s *sandbox, path string) { s.fifo("f"); s.symlink(s.path("f"), path) }, "", "not a regular file"},
		"a directory":         {func(s *sandbox, path string) { s.mkdir(path) }, "", "not a regular file"},
		"a device":            {func(s *sandbox, path string) { s.symlink("/dev/zero", path) }, "", "not a regular file"},
		"without end":         {func(s *sandbox, path string) { s.write(path, strings.Repeat(id+"\n", 2000)) }, "", "too long"},
		"one long word":       {func(s *sandbox, path string) { s.write(path, strings.Repeat("x", 60000)) }, "", "xxx..."},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.repo("r")
			tc.build(s, "r/.git/MERGE_HEAD")
			got, err := s.find(s.at("r")).Merging()
			if tc.says == "" {
				if err != nil || strings.Join(got, " ") != tc.want {
					t.Errorf("%q, %v; want %q", got, err, tc.want)
				}
				return
			}
			var e *gitdir.Error
			if len(got) != 0 || !errors.As(err, &e) || !strings.Contains(e.Message, tc.says) || !strings.Contains(e.Message, "MERGE_HEAD") ||
				!strings.Contains(e.Hint, "--abort") || len(e.Message) > 500 {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// What git does not read itself is read here without waiting for anything.
func TestFifosHoldNothingUp(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../w")
	s.git("r", "worktree", "add", "-q", "../v")
	s.fifo("r/.git/worktrees/v/gitdir")
	roots, err := s.find(s.at("w")).Worktrees()
	if err == nil || !strings.Contains(err.Error(), "not a regular file") || len(roots) != 2 {
		t.Errorf("%q, %v; want the worktrees that can be read and an error", roots, err)
	}
}

// An option that git does not know is one that came later.
func TestOldGitsAreTold(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	_, err := s.find(s.at("r")).Git(context.Background(), "status", "--no-such-option")
	var e *gitdir.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "no-such-option") || strings.Contains(e.Message, "usage:") || !strings.Contains(e.Hint, "2.11") {
		t.Errorf("%v", err)
	}
}
