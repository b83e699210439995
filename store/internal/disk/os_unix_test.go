//go:build unix

package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// plantOS adds Unix-only kinds of files that must not be read.
func plantOS(t *testing.T, path string, wanted map[string]string) {
	t.Helper()
	if err := syscall.Mkfifo(filepath.Join(path, "fifo.md"), 0o666); err != nil {
		t.Fatal(err)
	}
	wanted["fifo.md"] = "a named pipe"
	if err := os.Symlink("fifo.md", filepath.Join(path, "pipe.md")); err != nil {
		t.Fatal(err)
	}
	wanted["pipe.md"] = "a symbolic link"
	socket, err := net.Listen("unix", filepath.Join(path, "socket.md"))
	if err != nil {
		t.Logf("no socket here: %v", err) // the path may be too long for one
		return
	}
	t.Cleanup(func() {
		if err := socket.Close(); err != nil {
			t.Error(err)
		}
	})
	wanted["socket.md"] = "a socket"
}

func TestMutexThatIsAFifoIsRefused(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	if err := os.Mkdir(d.Path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(d.Path, mutexName), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := d.lock(t.Context()); !errors.Is(err, fault.StoreUnwritable) {
		t.Errorf("lock: %v, want %v", err, fault.StoreUnwritable)
	}
}

// Between the check of the mutex and its open, it may be replaced by anything.
func TestMutexIsOpenedWithoutFollowingOrWaiting(t *testing.T) {
	t.Parallel()
	store := &Folder{Path: storetest.NewCommon(t)}
	path := store.File(mutexName)
	storetest.Put(t, store.File("elsewhere"), "")
	if err := os.Symlink("elsewhere", path); err != nil {
		t.Fatal(err)
	}
	if taken, err := store.OpenLock(mutexName).TryLock(); taken || !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link: %v, %v", taken, err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	m := store.OpenLock(mutexName)
	if taken, err := m.TryLock(); err != nil || !taken { // at once; IsLocked tells what it is
		t.Errorf("a fifo: %v, %v", taken, err)
	}
	if err := m.Unlock(); err != nil {
		t.Error(err)
	}
}

// playUnwritable reads a store without write permission, and tries to write.
func playUnwritable(common string) error {
	d, err := Open(storetest.RepoAt(common))
	if err != nil {
		return err
	}
	l, err := d.List(context.Background(), All)
	if err != nil {
		return err
	}
	for _, e := range l.Entries {
		if _, err := d.Get(context.Background(), e.Lock.ID); err != nil {
			return err
		}
	}
	fmt.Println("read", len(l.Entries), "with", len(l.Bad), "faults")
	tx, err := d.lock(context.Background())
	if err == nil {
		_, err = tx.Create(stamp+"-new", fresh)
	}
	var e *fault.Error
	if !errors.Is(err, fault.StoreUnwritable) || !errors.As(err, &e) || e.Hint == "" {
		return fmt.Errorf("writing: %w, want %w and a way out", err, fault.StoreUnwritable)
	}
	fmt.Println("refused")
	return nil
}

func TestReadOnlyGitDirectory(t *testing.T) {
	t.Parallel()
	id := stamp + "-x"
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"without a store":   {nil, "read 0 with 0 faults\nrefused\n"},
		"never written to":  {[]string{id + ".md"}, "read 1 with 0 faults\nrefused\n"},
		"with all there is": {[]string{id + ".md", mutexName, "done/" + id + "-2.md"}, "read 2 with 0 faults\nrefused\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			common := storetest.NewCommon(t)
			for _, name := range c.files {
				id, isLock := strings.CutSuffix(filepath.Base(name), ".md")
				content := ""
				if isLock {
					content = text(id, lockfile.Active, 1)
				}
				storetest.Put(t, filepath.Join(common, Name, filepath.FromSlash(name)), content)
			}
			before := storetest.Tree(t, common)
			setModes(t, common, 0o555)
			cmd := storetest.Process(t, "unwritable", common)
			if os.Getuid() == 0 { // not subject to permission bits
				storetest.AsNobody(t, cmd, common)
			}
			out, err := cmd.Output()
			if err != nil || string(out) != c.want {
				t.Errorf("it said %q (%v), want %q", out, err, c.want)
			}
			setModes(t, common, 0o777)
			after := storetest.Tree(t, common)
			if len(after) != len(before) {
				t.Errorf("changed (-before +after):\n%s", cmp.Diff(before, after))
			}
		})
	}
}

// setModes sets the permissions of all directories under root.
func setModes(t *testing.T, root string, mode fs.FileMode) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, mode)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func names(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	var names []string
	for _, e := range entries {
		if e.Name() != DoneName { // a finish may have created it, empty
			names = append(names, e.Name())
		}
	}
	return names, err
}

// playShared writes into a repository shared by a group, as a user with a
// restrictive umask.
func playShared(base string) error {
	syscall.Umask(0o077)
	repo, err := gitdir.Find(context.Background(), gitdir.Query{BaseDir: &base, Environ: os.Environ()})
	if err != nil {
		return err
	}
	d, err := Open(repo)
	if err != nil {
		return err
	}
	tx, err := d.lock(context.Background())
	if err != nil {
		return err
	}
	for range 2 {
		e, err := tx.Create(stamp+"-x", fresh)
		if err != nil {
			return err
		}
		if e.Lock.ID == stamp+"-x" {
			if err := live(tx, e); err != nil {
				return err
			}
		}
	}
	if len(tx.warnings) > 0 {
		return fmt.Errorf("warnings: %q", tx.warnings)
	}
	return errors.Join(tx.unlock(), d.Close())
}

func TestPermissionsFollowTheRepository(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]bool{"new store": false, "store of a process that was killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := storetest.NewCommon(t)
			git := exec.Command("git", "init", "-q", "--shared=group", base)
			git.Env = storetest.CleanEnvironment()
			if out, err := git.CombinedOutput(); err != nil {
				t.Fatalf("git init: %v %s", err, out)
			}
			path := filepath.Join(base, ".git", Name)
			if made {
				storetest.Put(t, filepath.Join(path, mutexName), "")
				if err := os.Mkdir(filepath.Join(path, DoneName), 0o700); err != nil {
					t.Fatal(err)
				}
				setModes(t, path, 0o700)
				if err := os.Chmod(filepath.Join(path, mutexName), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := storetest.Process(t, "shared", base).Run(); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]fs.FileMode{
				".": 0o070, DoneName: 0o070, mutexName: 0o060,
				stamp + "-x-2.md": 0o060, "done/" + stamp + "-x.md": 0o060,
			} {
				fi, err := os.Stat(filepath.Join(path, filepath.FromSlash(name)))
				if err != nil {
					t.Error(err)
				} else if fi.Mode().Perm()&0o070 != want {
					t.Errorf("%s has mode %v, want %v for the group", name, fi.Mode(), want)
				}
			}
		})
	}
}

// A fifo in place of a file must not block the reader, however it is opened.
func TestAFifoPutInPlaceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	locked(t, d)
	name := stamp + "-x.md"
	if err := syscall.Mkfifo(d.active.File(name), 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		file, err := d.active.openPlain(name)
		if err == nil {
			err = file.Close()
		}
		_, readErr := d.active.ReadFile(name)
		if readErr == nil {
			err = errors.New("the fifo was read")
		}
		read <- err
	}()
	select {
	case err := <-read:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the reader waits for the fifo")
	}
}

func osRoles() map[string]storetest.Role {
	return map[string]storetest.Role{
		"unwritable": func(args []string) error { return playUnwritable(args[0]) },
		"limited":    func(args []string) error { return playLimited(args[0]) },
		"shared":     func(args []string) error { return playShared(args[0]) },
	}
}
