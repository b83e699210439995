//go:build unix

package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) != "" {
		os.Exit(work(os.Args[len(os.Args)-1]))
	}
	os.Exit(gittest.InMemory{Tests: m}.Run())
}

// git runs git for a test, and returns its output.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, identified()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(stdout.String())
}

func identified() []string {
	return append(storetest.CleanEnvironment(), "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
}

// newRemote creates a bare repository that keeps the reflog of all its refs.
func newRemote(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(realTemp(t), "remote.git")
	git(t, filepath.Dir(dir), "init", "-q", "--bare", dir)
	git(t, dir, "config", "core.logAllRefUpdates", "always")
	return dir
}

func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A clone is a participating clone and what it wants published.
type clone struct {
	*Fleet
	t      testing.TB
	dir    string
	config Config
	wants  map[string]lockfile.Lock
	plan   Plan // the rest of the plan
}

func newClone(t testing.TB, url string, settings ...string) *clone {
	t.Helper()
	c := &clone{t: t, dir: filepath.Join(realTemp(t), "clone"), wants: map[string]lockfile.Lock{}}
	git(t, filepath.Dir(c.dir), "init", "-q", c.dir)
	git(t, c.dir, "remote", "add", "origin", url)
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		git(t, c.dir, "config", "--add", key, value)
	}
	c.config = Config{Environ: identified(), Remote: "origin", Label: "laptop", Now: time.Now}
	c.reopen()
	return c
}

// reopen opens the clone again, as its next call would.
func (c *clone) reopen() {
	c.t.Helper()
	if c.Fleet != nil {
		if err := c.Close(); err != nil {
			c.t.Fatal(err)
		}
	}
	f, err := openAt(c.dir, c.config)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Fleet = f
	c.t.Cleanup(func() { _ = f.Close() }) // it may be closed already
}

func openAt(dir string, config Config) (*Fleet, error) {
	var err error
	if config.Repo, err = gitdir.Find(context.Background(), gitdir.Query{BaseDir: &dir,
		Environ: config.Environ}); err != nil {
		return nil, err
	}
	return Open(context.Background(), config)
}

// newLock returns a lock that claims a scope.
func newLock(id, scope string) lockfile.Lock {
	now, err := lockfile.ParseStamp(lockfile.FormatStamp(time.Now()))
	if err != nil {
		panic(err)
	}
	agent := "agent-" + id
	return lockfile.Lock{ID: id, Title: "work on " + scope, AgentID: &agent, Status: lockfile.Active,
		Created: now, Updated: now, Scope: []string{scope}, Repository: "/home/me/app", Worktree: "/home/me/app",
		Notes: []string{"a secret"}}
}

var errTaken = errors.New("taken")

// judge returns a judge that refuses a claim if another clone's live lock has its scope.
func (c *clone) judge(claim string) Judge {
	return func(_ context.Context, v *View) (Plan, error) {
		plan := c.plan
		for id, l := range c.wants {
			_, stands := v.Mine[id]
			blocked := slices.ContainsFunc(v.Locks, func(o Lock) bool {
				return o.Lock.Scope[0] == l.Scope[0] && live(o,
					time.Now())
			})
			switch {
			case !blocked || stands:
				plan.Locks = append(plan.Locks, l)
			case id == claim:
				return Plan{}, fmt.Errorf("%w: %s", errTaken, l.Scope[0])
			}
		}
		return plan, nil
	}
}

func keyOf(l lockfile.Lock) Key { return Key{l.ID, l.Published.Nonce, Terms(&l)} }

// claim publishes a new, judged lock.
func (c *clone) claim(id, scope string) (Result, error) {
	l := newLock(id, scope)
	l.Published.Nonce = "nonce-" + id
	c.wants[id] = l
	r, err := c.Publish(context.Background(), Request{Judge: c.judge(id), Claims: []Key{keyOf(l)},
		Wait: 2 * time.Minute, Urgent: true})
	if err != nil {
		delete(c.wants, id)
	}
	return r, err
}

// sync publishes what the clone wants.
func (c *clone) sync() (Result, error) {
	return c.Publish(context.Background(), Request{Judge: c.judge(""), Wait: 2 * time.Minute, Fresh: true, Urgent: true})
}

func (c *clone) must(r Result, err error) Result {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// look looks at the remote right away.
func (c *clone) look() *View {
	c.t.Helper()
	v, err := c.Look(context.Background(), 20*time.Second, true)
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

// ids returns the ids of the other clones' locks in a view.
func ids(v *View) []string {
	names := []string{}
	for _, l := range v.Locks {
		names = append(names, l.Lock.ID)
	}
	slices.Sort(names)
	return names
}

func wantIDs(t testing.TB, v *View, want ...string) {
	t.Helper()
	if got := ids(v); !slices.Equal(got, want) {
		t.Errorf("the others' locks are %q, want %q", got, want)
	}
}

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("%v, want %s", err, code)
	}
}

func second(_ Result, err error) error { return err }
