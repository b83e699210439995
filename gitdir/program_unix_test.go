//go:build unix

package gitdir_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// script puts a shell script in git's place and returns the PATH that has it.
func (s *sandbox) script(text string) (path string) {
	s.Helper()
	s.mkdir("bin")
	s.executable("bin/git", text)
	return "PATH=" + s.path("bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
}

func realGit(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOneSpawnAnswersAll(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../w")
	path := s.script(fmt.Sprintf("echo \"$1\" >>%q\nexec %q \"$@\"\n", s.path("spawns"), realGit(t)))
	s.git(".", "init", "-q", "-b", "topic", "unborn")
	s.mkdir("unborn/sub")
	for dir, want := range map[string]string{
		"r": "rev-parse\n", "w": "rev-parse\n",
		// Without a commit, one more for the name of the branch.
		"unborn/sub": "rev-parse\nsymbolic-ref\n",
	} {
		s.write("spawns", "")
		repo := s.find(s.at(dir, path))
		if got := s.read("spawns"); got != want {
			t.Errorf("in %s, git ran as %q; want %q", dir, got, want)
		}
		if dir == "unborn/sub" && (repo.Branch != "topic" || repo.Head != "" || repo.Prefix != "sub") {
			t.Errorf("%+v", repo)
		}
	}
}

// git before 2.5 echoes --git-common-dir as it does any unknown word; before
// 2.13 its answer in a subdirectory is relative to the root.
func TestOldGits(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"2.4": "--git-common-dir", "2.12": ".git"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.repo("r")
			s.mkdir("r/a")
			want := s.find(s.at("r/a"))
			path := s.script(fmt.Sprintf("%q \"$@\" | sed '1s,.*,%s,'\n", realGit(t), answer))
			if diff := cmp.Diff(want, s.find(s.at("r/a", path)), cmpopts.IgnoreUnexported(gitdir.Repo{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Where git will not name the work tree of a linked worktree, its own git
// directory does.
func TestWorktreeThatGitWillNotName(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../w")
	s.mkdir("w/a")
	want := s.find(s.at("w/a"))
	path := s.script(fmt.Sprintf(`for arg; do
	case $arg in --show-toplevel)
		test $# -gt 2 && %[1]q rev-parse --git-common-dir --git-dir
		echo "fatal: this operation must be run in a work tree" >&2; exit 128;;
	esac
done
exec %[1]q "$@"
`, realGit(t)))
	if diff := cmp.Diff(want, s.find(s.at("w/a", path)), cmpopts.IgnoreUnexported(gitdir.Repo{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A git that is there and does not work is not a git that is missing: go-git
// must not answer in its place.
func TestBrokenGitIsNotAMissingGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	wantError(t, s.at("r", s.script("exit 3\n")), gitdir.ErrGitFailed, "exit status 3")
	wantError(t, s.at("r", s.script("exit 0\n")), gitdir.ErrGitFailed, "printed nothing")
	wantError(t, s.at("r", s.script("echo oh no >&2; exit 128\n")), gitdir.ErrGitFailed, "oh no")
	wantError(t, s.at("r", s.script("echo /no/such/place; echo /no/such/place\n")), gitdir.ErrGitFailed, "/no/such/place")
}

// A repository must not bring its own git.
func TestRelativePathEntriesAreIgnored(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.mkdir("r/bin")
	s.executable("r/bin/git", "exit 3\n")
	t.Chdir(s.path("r"))
	s.find(s.at("r", "PATH=bin"+string(filepath.ListSeparator)+os.Getenv("PATH")))
}

// One of git's messages is recognised, so they must come untranslated.
func TestMessagesAreNotTranslated(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.mkdir("plain")
	path := s.script(fmt.Sprintf("test \"$LC_ALL\" = C || { echo 'fatal: kein Git-Repository' >&2; exit 128; }\nexec %q \"$@\"\n", realGit(t)))
	wantError(t, s.at("plain", path, "LC_ALL=de_DE.UTF-8"), gitdir.ErrNotRepository)
}

// Looking must not write an index or start a monitor, which would hold up, or
// outlive, what others do.
func TestGitOnlyLooks(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	q := s.at("r", s.script(fmt.Sprintf("echo \"$GIT_OPTIONAL_LOCKS $*\" >>%q\nexec %q \"$@\"\n", s.path("runs"), realGit(t))))
	if _, err := s.find(q).Git(context.Background(), "status", "--short"); err != nil {
		t.Fatal(err)
	}
	runs := strings.Split(strings.TrimSpace(s.read("runs")), "\n")
	if len(runs) != 2 || !strings.HasPrefix(runs[0], "0 rev-parse ") || runs[1] != "0 -c core.fsmonitor=false status --short" {
		t.Errorf("git ran as %q", runs)
	}
}

func TestCancellingKillsGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.mkdir("r")
	path := s.script(fmt.Sprintf("echo $$ >%[1]q.new && mv %[1]q.new %[1]q\nexec sleep 3600\n", s.path("pid")))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := gitdir.Find(ctx, s.at("r", path))
		result <- err
	}()
	for {
		if _, err := os.Stat(s.path("pid")); err == nil {
			break
		}
		select {
		case err := <-result:
			t.Fatalf("Find ended before it was cancelled: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(s.read("pid")))
	if err != nil {
		t.Fatal(err)
	}
	// It was sent the signal; a busy machine may take its time to end it.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		err := syscall.Kill(pid, 0)
		if errors.Is(err, syscall.ESRCH) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("git (%d) still runs: %v", pid, err)
		}
	}
}

// What is made in the git directory must be as accessible as what git makes.
func TestModesAreGitsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range gittest.Some(4, []struct {
		shared, umask string
		zero          bool
	}{
		{"umask", "022", true},
		{"false", "022", true},
		{"group", "022", false},
		{"group", "027", false},
		{"true", "077", false},
		{"1", "022", false},
		{"all", "022", false},
		{"world", "077", false},
		{"everybody", "027", false},
		{"2", "022", false},
		{"0640", "022", false},
		{"0660", "022", false},
		{"0600", "002", false},
		{"0666", "077", false},
	}) {
		t.Run(c.shared+" umask "+c.umask, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			cmd := exec.Command("sh", "-c", `umask "$1" && git init -q --shared="$2" r && cd r &&
				git commit -q --allow-empty -m first && git update-ref refs/heads/new/branch HEAD`,
				"sh", c.umask, c.shared)
			cmd.Dir, cmd.Env = s.dir, s.env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			dir, file := s.find(s.at("r")).Modes()
			if c.zero {
				if dir != 0 || file != 0 {
					t.Errorf("modes %v and %v; want none", dir, file)
				}
				return
			}
			if want := s.mode("r/.git/refs/heads/new"); dir != want {
				t.Errorf("directory %v, git makes %v", dir, want)
			}
			if want := s.mode("r/.git/refs/heads/new/branch"); file != want {
				t.Errorf("file %v, git makes %v", file, want)
			}
		})
	}
}

// mode is the permission bits that os.Chmod would set.
func (s *sandbox) mode(name string) fs.FileMode {
	s.Helper()
	info, err := os.Stat(s.path(name))
	if err != nil {
		s.Fatal(err)
	}
	return info.Mode() & (fs.ModePerm | fs.ModeSetgid)
}

// A git that is there and does not work is named all the same.
func TestProgramThatFails(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	path, version, err := gitdir.Program(context.Background(), []string{s.script("#!/bin/sh\necho 'no licence' >&2\nexit 69\n")})
	if !errors.Is(err, gitdir.ErrGitFailed) || !strings.Contains(err.Error(), "no licence") || path != s.path("bin/git") || version != "" {
		t.Errorf("%q, version %q, %v", path, version, err)
	}
}

// A program is looked for on the PATH that was handed in, from where it is asked.
func TestLookPath(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for _, dir := range []string{"here/bin", "abs", "here/sub"} {
		s.mkdir(dir)
	}
	for _, name := range []string{"here/bin/a", "here/a", "abs/b"} {
		s.executable(name, "")
	}
	s.write("abs/text", "")
	path := []string{"PATH=bin::" + s.path("abs")}
	for _, c := range []struct{ dir, name, want string }{
		{"here", "a", "here/bin/a"},
		{"here/bin", "a", "here/bin/a"}, // the empty entry is where one stands
		{"here/sub", "a", ""},
		{"", "a", ""}, // nothing relative counts
		{"", "b", "abs/b"},
		{"here/sub", "b", "abs/b"},
		{"here", "./bin/a", "here/bin/a"},
		{"here/sub", "../a", "here/a"},
		{"here", s.path("abs/b"), "abs/b"},
		{"here", "text", ""},
		{"here", "sub", ""},
	} {
		got, err := gitdir.LookPath(path, s.path(c.dir), c.name)
		if got != s.path(c.want) || (err == nil) != (c.want != "") {
			t.Errorf("%q in %q: %q, %v", c.name, c.dir, got, err)
		}
	}
}
