//go:build unix

package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// Clones of all kinds of repositories can take part.
func TestKindsOfRepositories(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	commit := func(t *testing.T, dir string) {
		storetest.Put(t, filepath.Join(dir, "a.txt"), "x")
		git(t, dir, "add", "a.txt")
		git(t, dir, "commit", "-q", "-m", "x")
	}
	for name, arm := range map[string]func(t *testing.T, c *clone, bare string){
		"no commits": func(*testing.T, *clone, string) {},
		"core.bare over live worktrees": func(t *testing.T, c *clone, _ string) {
			commit(t, c.dir)
			git(t, c.dir, "config", "core.bare", "true")
		},
		"a linked worktree": func(t *testing.T, c *clone, _ string) {
			commit(t, c.dir)
			git(t, c.dir, "worktree", "add", "-q", c.dir+"-w")
			c.dir += "-w"
		},
		"worktreeConfig, with the remote there": func(t *testing.T, c *clone, bare string) {
			git(t, c.dir, "config", "extensions.worktreeConfig", "true")
			git(t, c.dir, "config", "--remove-section", "remote.origin")
			git(t, c.dir, "config", "--worktree", "remote.origin.url", bare)
		},
		"shallow": func(t *testing.T, c *clone, bare string) {
			commit(t, c.dir)
			commit2(t, c.dir)
			git(t, c.dir, "push", "-q", "origin", "HEAD:refs/heads/main")
			git(t, filepath.Dir(c.dir), "clone", "-q", "--depth=1", "--branch=main", "file://"+bare, c.dir+"-s")
			c.dir += "-s"
		},
		"partial": func(t *testing.T, c *clone, bare string) {
			commit(t, c.dir)
			git(t, c.dir, "push", "-q", "origin", "HEAD:refs/heads/main")
			git(t, bare, "config", "uploadpack.allowFilter", "true")
			git(t, filepath.Dir(c.dir), "clone", "-q", "--filter=blob:none", "--branch=main", "file://"+bare, c.dir+"-p")
			c.dir += "-p"
		},
		"a submodule": func(t *testing.T, c *clone, bare string) {
			commit(t, c.dir)
			git(t, c.dir, "push", "-q", "origin", "HEAD:refs/heads/main")
			git(t, bare, "symbolic-ref", "HEAD", "refs/heads/main")
			git(t, c.dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", bare, "sub")
			c.dir = filepath.Join(c.dir, "sub")
		},
		"a relative remote": func(t *testing.T, c *clone, bare string) {
			rel, err := filepath.Rel(c.dir, bare)
			if err != nil {
				t.Fatal(err)
			}
			git(t, c.dir, "config", "remote.origin.url", rel)
		},
		"no identity": func(t *testing.T, c *clone, _ string) {
			c.config.Environ = storetest.CleanEnvironment()
		},
		"settings that would be in the way": func(t *testing.T, c *clone, _ string) {
			commit(t, c.dir)
			git(t, c.dir, "tag", "-a", "-m", "x", "v1")
			trap := filepath.Join(realTemp(t), "hooks")
			for _, hook := range []string{"pre-push", "reference-transaction", "post-index-change"} {
				storetest.Put(t, filepath.Join(trap, hook), "#!/bin/sh\ntouch "+trap+"/ran\nexit 1\n")
				if err := os.Chmod(filepath.Join(trap, hook), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			for _, s := range []string{"core.hooksPath=" + trap, "push.followTags=true", "push.gpgSign=true",
				"push.pushOption=x", "push.negotiate=true",
				"push.recurseSubmodules=on-demand", "remote.origin.mirror=true", "remote.origin.prune=true",
				"fetch.prune=true", "fetch.pruneTags=true",
				"remote.origin.tagOpt=--tags", "remote.origin.push=refs/heads/*:refs/heads/*", "commit.gpgSign=true",
				"fetch.unpackLimit=5000",
				"core.logAllRefUpdates=always", "push.default=matching", "fetch.recurseSubmodules=true",
				"fetch.writeCommitGraph=true"} {
				key, value, _ := strings.Cut(s, "=")
				git(t, c.dir, "config", key, value)
			}
			t.Cleanup(func() {
				if _, err := os.Stat(filepath.Join(trap, "ran")); err == nil {
					t.Error("a hook ran")
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := newRemote(t)
			b := newClone(t, bare)
			c := newClone(t, bare)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			c.Fleet = nil
			arm(t, c, bare)
			refs := strings.Count(git(t, bare, "for-each-ref"), "\n")
			c.reopen()
			c.must(c.claim("2026-01-01T00-00-00-c", "src/**"))
			b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
			wantIDs(t, c.look(), "2026-01-01T00-00-00-b")
			wantIDs(t, b.look(), "2026-01-01T00-00-00-c")
			git(t, bare, "update-ref", "-d", DefaultRef)
			wantIDs(t, c.look(), "2026-01-01T00-00-00-b")
			c.must(c.claim("2026-01-01T00-00-00-d", "lib/**"))
			if n := strings.Count(git(t, bare, "for-each-ref"), "\n"); n > refs+1 {
				t.Errorf("other refs were pushed:\n%s", git(t, bare, "for-each-ref"))
			}
			who := git(t, bare, "log", "-1", "--format=%cn <%ce>", DefaultRef)
			if want := map[bool]string{true: "agent-locks <agent-locks@localhost>",
				false: "A <a@example.com>"}[name == "no identity"]; who != want {
				t.Errorf("the committer is %s, want %s", who, want)
			}
		})
	}
}

func commit2(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "y")
}

// SHA-256 repositories share through a SHA-256 remote.
func TestSHA256(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := filepath.Join(realTemp(t), "remote.git")
	git(t, filepath.Dir(bare), "init", "-q", "--bare", "--object-format=sha256", bare)
	var clones []*clone
	for range 2 {
		c := newClone(t, bare)
		for _, dir := range []string{".git"} {
			if err := os.RemoveAll(filepath.Join(c.dir, dir)); err != nil {
				t.Fatal(err)
			}
		}
		git(t, c.dir, "init", "-q", "--object-format=sha256")
		git(t, c.dir, "remote", "add", "origin", bare)
		c.reopen()
		clones = append(clones, c)
	}
	a, b := clones[0], clones[1]
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	if _, err := b.claim("2026-01-01T00-00-00-b", "src/**"); err == nil {
		t.Error("what is taken was claimed")
	}
	b.must(b.claim("2026-01-01T00-00-00-c", "docs/**"))
	wantIDs(t, a.look(), "2026-01-01T00-00-00-c")
	git(t, bare, "fsck", "--strict")
}
