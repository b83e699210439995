//go:build unix

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
)

func playOS(role string, args []string) error {
	switch role {
	case "unwritable":
		return playUnwritable(args[0])
	case "examine":
		return playExamine(args[0])
	case "limited":
		return playLimited(args[0])
	case "shared":
		return playShared(args[0])
	case "stopping":
		return playStopping(args[0])
	}
	return fmt.Errorf("no such role: %s", role)
}

// plantOS adds what only Unix has to the files that must not be read.
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
	d := at(t, newCommon(t))
	if err := os.Mkdir(d.path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(d.path, mutexName), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := d.lock(t.Context()); !errors.Is(err, StoreUnwritable) {
		t.Errorf("lock: %v, want %v", err, StoreUnwritable)
	}
}

// Between the look at the mutex and the open it may become anything.
func TestMutexIsOpenedWithoutFollowingOrWaiting(t *testing.T) {
	t.Parallel()
	store := newCommon(t)
	path := filepath.Join(store, mutexName)
	put(t, filepath.Join(store, "elsewhere"), "")
	if err := os.Symlink("elsewhere", path); err != nil {
		t.Fatal(err)
	}
	if taken, err := newMutex(store).TryLock(); taken || !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link: %v, %v", taken, err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	m := newMutex(store)
	if taken, err := m.TryLock(); err != nil || !taken { // at once: isMutex tells what it is
		t.Errorf("a fifo: %v, %v", taken, err)
	}
	if err := m.Unlock(); err != nil {
		t.Error(err)
	}
}

// playUnwritable reads a store that it may not write, and tries to write.
func playUnwritable(common string) error {
	d, err := openDir(repoAt(common))
	if err != nil {
		return err
	}
	l, err := d.list(context.Background(), all)
	if err != nil {
		return err
	}
	for _, e := range l.entries {
		if _, err := d.get(context.Background(), e.ID); err != nil {
			return err
		}
	}
	fmt.Println("read", len(l.entries), "with", len(l.faults), "faults")
	h, err := d.lock(context.Background())
	if err == nil {
		_, err = h.create(stamp+"-new", fresh)
	}
	var e *Error
	if !errors.Is(err, StoreUnwritable) || !errors.As(err, &e) || e.Hint == "" {
		return fmt.Errorf("writing: %w, want %w and a way out", err, StoreUnwritable)
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
			common := newCommon(t)
			for _, name := range c.files {
				id, isLock := strings.CutSuffix(filepath.Base(name), ".md")
				content := ""
				if isLock {
					content = text(id, lockfile.Active, 1)
				}
				put(t, filepath.Join(common, storeName, filepath.FromSlash(name)), content)
			}
			before := tree(t, common)
			setModes(t, common, 0o555)
			cmd := process(t, "unwritable", common)
			if os.Getuid() == 0 { // whom permission bits do not bind
				asNobody(t, cmd, common)
			}
			out, err := cmd.Output()
			if err != nil || string(out) != c.want {
				t.Errorf("it said %q (%v), want %q", out, err, c.want)
			}
			setModes(t, common, 0o777)
			after := tree(t, common)
			if len(after) != len(before) {
				t.Errorf("changed (-before +after):\n%s", cmp.Diff(before, after))
			}
		})
	}
}

// setModes gives all directories beneath root these permissions.
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

// asNobody makes cmd run as a user without rights, from a copy of the test
// binary that this user can reach, in a directory that it can reach.
func asNobody(t *testing.T, cmd *exec.Cmd, common string) {
	t.Helper()
	bin := t.TempDir()
	data, err := os.ReadFile(cmd.Path)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = filepath.Join(bin, "store.test")
	cmd.Dir = bin
	// A process that a parallel test starts meanwhile would inherit the open
	// file, and the system runs no file that is open for writing.
	syscall.ForkLock.RLock()
	err = os.WriteFile(cmd.Path, data, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{bin, filepath.Dir(bin), filepath.Dir(common)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	probe := exec.Command(cmd.Path, "-test.run=^$")
	probe.Dir, probe.SysProcAttr = cmd.Dir, cmd.SysProcAttr
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("cannot run as another user here: %v %s", err, out)
	}
}

// wantFull checks that a write that the system cannot take leaves nothing.
func wantFull(h *held, e, done entry, larger *lockfile.File) error {
	before, err := names(h.path)
	if err != nil {
		return err
	}
	for verb, write := range map[string]func() (entry, error){
		"create": func() (entry, error) {
			return h.create(stamp+"-new", func(string) (*lockfile.File, error) { return larger, nil })
		},
		"rewrite": func() (entry, error) { return h.rewrite(e, larger) },
		"finish":  func() (entry, error) { return h.finish(e, larger) },
		"reopen":  func() (entry, error) { return h.reopen(done, larger) },
	} {
		_, err := write()
		var failed *Error
		if !errors.Is(err, StoreUnwritable) || !errors.As(err, &failed) || !strings.Contains(failed.Hint, "space") {
			return fmt.Errorf("%s: %w, want %w and a word about space", verb, err, StoreUnwritable)
		}
	}
	after, err := names(h.path)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(before, after); diff != "" {
		return fmt.Errorf("left (-before +after):\n%s", diff)
	}
	for _, e := range []entry{e, done} {
		got, err := h.get(context.Background(), e.ID)
		if err != nil {
			return err
		}
		if _, err := whole(got.File); err != nil || got.path != e.path {
			return fmt.Errorf("%s is at %s, was at %s: %w", e.ID, got.path, e.path, err)
		}
	}
	return nil
}

// twoLocks are an active and a finished one.
func twoLocks(h *held) (active, done entry, err error) {
	if active, err = h.create(stamp+"-x", fresh); err != nil {
		return
	}
	if done, err = h.create(stamp+"-y", fresh); err != nil {
		return
	}
	f, err := parse(done.ID, lockfile.Done, 0)
	if err != nil {
		return
	}
	done, err = h.finish(done, f)
	return
}

func names(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	var names []string
	for _, e := range entries {
		if e.Name() != doneName { // finish may have created it, empty
			names = append(names, e.Name())
		}
	}
	return names, err
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	common := newCommon(t)
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", common).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system here: %v %s", err, out)
	}
	t.Cleanup(func() {
		// Lazily: a process that a parallel test is just starting may have
		// inherited a file there.
		if out, err := exec.Command("umount", "-l", common).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	d, err := openDir(repoAt(common))
	if err != nil {
		t.Fatal(err)
	}
	h, err := d.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(h.unlock(), d.close()); err != nil {
			t.Error(err)
		}
	}()
	e, done, err := twoLocks(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(common, "filler"), make([]byte, 1<<20), 0o666); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if err := wantFull(h, e, done, made(t, e.ID, lockfile.Done, 1)); err != nil {
		t.Error(err)
	}
}

// playLimited writes under a limit on the size of files, which ends a write in
// the middle as a full disk does.
func playLimited(common string) error {
	return under(common, func(h *held) error {
		e, done, err := twoLocks(h)
		if err != nil {
			return err
		}
		larger, err := parse(e.ID, lockfile.Done, 1) // some 8 KiB
		if err != nil {
			return err
		}
		signal.Ignore(syscall.SIGXFSZ)
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		limit.Cur = 4096
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		return wantFull(h, e, done, larger)
	})
}

func TestWriteCutShort(t *testing.T) {
	t.Parallel()
	if err := process(t, "limited", newCommon(t)).Run(); err != nil {
		t.Error(err)
	}
}

// playShared writes into a repository that a group shares, as a user whose
// umask shares nothing.
func playShared(base string) error {
	syscall.Umask(0o077)
	repo, err := gitdir.Find(context.Background(), gitdir.Query{BaseDir: &base, Environ: os.Environ()})
	if err != nil {
		return err
	}
	d, err := openDir(repo)
	if err != nil {
		return err
	}
	h, err := d.lock(context.Background())
	if err != nil {
		return err
	}
	for range 2 {
		e, err := h.create(stamp+"-x", fresh)
		if err != nil {
			return err
		}
		if e.ID == stamp+"-x" {
			if err := live(h, e); err != nil {
				return err
			}
		}
	}
	if len(h.warnings) > 0 {
		return fmt.Errorf("warnings: %q", h.warnings)
	}
	return errors.Join(h.unlock(), d.close())
}

func TestPermissionsFollowTheRepository(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]bool{"new store": false, "store of a process that was killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := newCommon(t)
			git := exec.Command("git", "init", "-q", "--shared=group", base)
			git.Env = cleanEnvironment()
			if out, err := git.CombinedOutput(); err != nil {
				t.Fatalf("git init: %v %s", err, out)
			}
			path := filepath.Join(base, ".git", storeName)
			if made {
				put(t, filepath.Join(path, mutexName), "")
				if err := os.Mkdir(filepath.Join(path, doneName), 0o700); err != nil {
					t.Fatal(err)
				}
				setModes(t, path, 0o700)
				if err := os.Chmod(filepath.Join(path, mutexName), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := process(t, "shared", base).Run(); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]fs.FileMode{
				".": 0o070, doneName: 0o070, mutexName: 0o060,
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

// A fifo that takes a file's place after the look must not hold the reader.
func TestAFifoPutInPlaceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	locked(t, d)
	path := d.active.file(stamp + "-x")
	put(t, path, text(stamp+"-x", lockfile.Active, 0))
	seen, err := d.active.look(stamp + "-x.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, _, err := d.active.bytesOf(stamp+"-x.md", seen)
		read <- err
	}()
	select {
	case err := <-read:
		if err == nil {
			t.Error("the fifo was read")
		}
	case <-time.After(time.Minute):
		t.Error("the reader waits for the fifo")
	}
}
