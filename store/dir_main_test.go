package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
)

// The test binary is run again as another process: what the store promises, it
// promises between processes. The variable names what the process is to do.
const roleVariable = "AGENT_LOCKS_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := play(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, role+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(role string, args []string) error {
	switch role {
	case "agent":
		return playAgent(context.Background(), args[0])
	case "stress":
		return playStress(args[0], args[1], args[2])
	case "hold":
		return playHold(args[0])
	case "count":
		return playCount(args[0], args[1])
	case "churn":
		return playChurn(args[0])
	case "crash":
		return playCrash(args[0], args[1], args[2])
	case "rewrite":
		return playRewrite(args[0])
	case "commute":
		return playCommute(args[0])
	}
	return playOS(role, args)
}

// process is this test binary in that role.
func process(t testing.TB, role string, args ...string) *exec.Cmd {
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
func begin(t testing.TB, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the process %v said nothing: %v", cmd.Args, lines.Err())
	}
	return lines
}

// kill ends a process as kill -9 does; one that has ended already stays so.
func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// newCommon is an empty directory that stands for a common git directory.
func newCommon(t testing.TB) string {
	t.Helper()
	common, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return common
}

// repoAt is a repository of which only the common directory matters.
func repoAt(common string) *gitdir.Repo { return &gitdir.Repo{CommonDir: common} }

// patience is how long tests wait for the mutex: among many writers on a slow
// machine one may have to wait for long, and only a hanging test waits so long.
const patience = 5 * time.Minute

// opened opens the store in a common directory.
func opened(common string) (*dir, error) {
	d, err := openDir(repoAt(common))
	if err == nil {
		d.wait = patience
	}
	return d, err
}

// at opens the store in a common directory until the test ends.
func at(t testing.TB, common string) *dir {
	t.Helper()
	d, err := opened(common)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// locked is a dir whose mutex the test holds until it ends or unlocks.
func locked(t testing.TB, d *dir) *held {
	t.Helper()
	h, err := d.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.unlock(); err != nil {
			t.Error(err)
		}
	})
	return h
}

const stamp = "2026-07-17T18-45-12"

// text is a lock file whose notes tell whether it is whole, and how often it
// was written; its length changes with that.
func text(id, status string, serial int) string {
	return fmt.Sprintf(`---
id: %s
agent_id: null
parent_agent_id: null
status: %s
created: %s
updated: %s
scope:
  - src/**
---

# A title

- [ ] one

## Notes
- begin %d
- %s
- end %d
`, id, status, stamp, stamp, serial, strings.Repeat("x", 1+serial*7919%9000), serial)
}

// whole returns the serial of a file, or says that it was never written so.
func whole(f *lockfile.File) (int, error) {
	var serial int
	if len(f.Notes) != 3 {
		return 0, fmt.Errorf("%s has %d notes", f.ID, len(f.Notes))
	}
	if _, err := fmt.Sscanf(f.Notes[0], "begin %d", &serial); err != nil {
		return 0, err
	}
	if want := text(f.ID, f.Status, serial); string(f.Bytes()) != want {
		return 0, fmt.Errorf("%s is not as it was written: %q", f.ID, f.Bytes())
	}
	return serial, nil
}

func parse(id, status string, serial int) (*lockfile.File, error) {
	return lockfile.Parse(id, []byte(text(id, status, serial)))
}

// made is a parsed file for a test's own goroutine.
func made(t testing.TB, id, status string, serial int) *lockfile.File {
	t.Helper()
	f, err := parse(id, status, serial)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// fresh renders a new lock.
func fresh(id string) (*lockfile.File, error) { return parse(id, lockfile.Active, 0) }

// put writes a file by hand, and the directories that it needs.
func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tree is every name beneath a directory with its contents.
func tree(t testing.TB, root string) map[string]string {
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

// ids are the ids of a listing, which must be whole and without faults.
func ids(t testing.TB, l listing) []string {
	t.Helper()
	var got []string
	for _, e := range l.entries {
		if _, err := whole(e.File); err != nil {
			t.Error(err)
		}
		got = append(got, e.ID)
	}
	if len(l.faults) > 0 {
		t.Errorf("faults: %v", l.faults)
	}
	return got
}

// listed lists and fails the test on errors.
func listed(t testing.TB, in interface {
	list(context.Context, which) (listing, error)
}, w which) listing {
	t.Helper()
	l, err := in.list(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
