// Package storetest is what the tests of the store and its parts share: other
// processes that play a role, and plain files.
package storetest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// The test binary is run again as another process: what the store promises, it
// promises between processes. The variable names what the process is to do.
const roleVariable = "AGENT_LOCKS_TEST_ROLE"

// A role is what a test binary does as another process.
type Role = func(args []string) error

// Main runs the tests or, in another process, a role.
func Main(m *testing.M, roles map[string]Role) {
	name := os.Getenv(roleVariable)
	if name == "" {
		os.Exit(gittest.InMemory{Tests: m}.Run())
	}
	play, ok := roles[name]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such role:", name)
		os.Exit(1)
	}
	if err := play(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Process is this test binary in that role.
func Process(t testing.TB, role string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// begin starts a process and returns its lines after the first one, which says
// that it is ready. It is killed when the test ends, if it still runs.
func Begin(t testing.TB, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Kill(cmd) })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the process %v said nothing: %v", cmd.Args, lines.Err())
	}
	return lines
}

// kill ends a process as kill -9 does; one that has ended already stays so.
func Kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// newCommon is an empty directory that stands for a common git directory.
func NewCommon(t testing.TB) string {
	t.Helper()
	common, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return common
}

// repoAt is a repository of which only the common directory matters.
func RepoAt(common string) *gitdir.Repo { return &gitdir.Repo{CommonDir: common} }

// patience is how long tests wait for the mutex: among many writers on a slow
// machine one may have to wait for long, and only a hanging test waits so long.
const Patience = 5 * time.Minute

// put writes a file by hand, and the directories that it needs.
func Put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tree is every name under a directory with its contents.
func Tree(t testing.TB, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.Walk(root, func(path string, fi os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)] = fi.Mode().String()
		if fi.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			files[filepath.ToSlash(name)] += " " + string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func CleanEnvironment() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "AGENT_LOCKS_") {
			env = append(env, kv)
		}
	}
	return append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
}

func Eventually(t testing.TB, what string, happens func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !happens(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not come to %s", what)
		}
	}
}

func NamesLike(t testing.TB, dir, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}
