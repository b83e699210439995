//go:build unix

package forecast_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

func (s *sandbox) fifo(name string) {
	s.Helper()
	s.remove(name)
	if err := syscall.Mkfifo(s.path(name), 0o600); err != nil {
		s.Fatal(err)
	}
}

// logged is a PATH with a git that notes its process id, and what returns those of
// them that still run, whatever they have become.
func (s *sandbox) logged() (path string, running func() []string) {
	git, err := exec.LookPath("git")
	if err != nil {
		s.Fatal(err)
	}
	s.script("logged/git", "echo $$ >>'"+s.path("pids")+"'\nexec '"+git+"' \"$@\"\n")
	return "PATH=" + s.path("logged") + ":" + os.Getenv("PATH"), func() (left []string) {
		pids, err := os.ReadFile(s.path("pids"))
		if err != nil {
			s.Fatal(err)
		}
		for _, text := range strings.Fields(string(pids)) {
			var pid int
			if _, err := fmt.Sscan(text, &pid); err != nil {
				s.Fatal(err)
			}
			for end := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) { // a zombie takes a while
					left = append(left, text)
					break
				}
			}
		}
		return left
	}
}

// Worktrees in which git hangs are not assessed, and hold up no other, however
// many they are. Nothing is left running.
func TestWorktreesThatHang(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	path, running := s.logged()
	var want []string
	many, limit := 7, 24*time.Second
	for i := range many {
		name := fmt.Sprintf("hangs%d", i)
		s.git("main", "worktree", "add", "-q", "--detach", "../"+name)
		s.fifo(name + "/.gitattributes")
		want = append(want, fmt.Sprintf(`main %s: "DIR/%s": git did not answer within %v`, name, name, limit/2))
	}
	s.conflicting() // in the last of the list
	begun := time.Now()
	res := s.ask("main", forecast.Request{Limit: limit}, path)
	if took := time.Since(begun); took > limit {
		t.Errorf("it took %v", took)
	}
	s.wants(s.told(res), append(want, conflictInF)...)
	if left := running(); len(left) > 0 {
		t.Errorf("left running: %q", left)
	}
}

// Where one's own worktree hangs nothing is known, and where the repository does
// there is no answer.
func TestOwnWorktreeHangs(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.conflicting()
	s.fifo("main/.gitattributes")
	res := s.ask("main", forecast.Request{Limit: 10 * time.Second})
	s.wants(s.told(res), `main w: "DIR/main": git did not answer within 5s`)
	s.remove("main/.gitattributes")
	repo := s.find("main")
	s.fifo("main/.git/config")
	_, err := forecast.Of(t.Context(), repo, forecast.Request{Limit: time.Second, Temp: s.temp})
	if !errors.Is(err, gitdir.ErrGitFailed) || !strings.Contains(err.Error(), "did not answer within 1s") {
		t.Errorf("%v", err)
	}
}

// What takes too long once the worktrees were read is not assessed, nor clean.
func TestMergeThatHangs(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, command := range []string{"merge-tree", "diff-tree", "merge-base", "check-attr"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			s.write("main/.gitattributes", "* merge=union\n")
			s.commit("main")
			s.git("main", "config", "merge.union.driver", "true")
			s.edit("main/g", 1, "mine")
			s.edit("w/f", 19, "theirs")
			git, err := exec.LookPath("git")
			if err != nil {
				t.Fatal(err)
			}
			s.script("slow/git", "case \" $* \" in *' "+command+" '*) exec sleep 60;; esac\nexec '"+git+"' \"$@\"\n")
			res := s.ask("main", forecast.Request{Limit: 10 * time.Second}, "PATH="+s.path("slow")+":"+os.Getenv("PATH"))
			told := s.told(res)
			if len(told) != 1 || !strings.Contains(told[0], "git did not answer within 10s") {
				t.Errorf("%q", told)
			}
		})
	}
}

// That git did not answer is said once, of however many files it was asked.
func TestSaidOnce(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("main", "config", "filter.slow.clean", "test %f != a && sleep 100; false")
	s.git("main", "config", "filter.slow.required", "true")
	s.write("main/.git/info/attributes", "[a-d] filter=slow\n")
	for _, name := range []string{"a", "b", "c", "d"} {
		s.write("w/"+name, "x\n")
	}
	told := s.told(s.ask("main", forecast.Request{Limit: 6 * time.Second}))
	if len(told) != 1 || strings.Count(told[0], "git did not answer") != 1 {
		t.Errorf("%q", told)
	}
}

// A call that is given up ends at once, with every git and filter, and leaves
// nothing.
func TestCancelled(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	path, running := s.logged()
	s.git("main", "config", "filter.slow.clean", "echo $$ >>'"+s.path("pids")+"'; touch '"+s.path("started")+"'; sleep 100; cat")
	s.write("main/.git/info/attributes", "f filter=slow\n")
	s.conflicting()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Lstat(s.path("started")); err == nil {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := forecast.Of(ctx, s.find("main", path), forecast.Request{Temp: s.temp})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(s.temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if left := running(); len(left) > 0 {
		t.Errorf("left running: %q", left)
	}
}
