package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/shell"
)

// git says which program answers. Without one some repositories can be read
// all the same, so the checks go on.
func (x *exam) git(environ []string) {
	path, version, err := gitdir.Program(x.ctx, environ)
	if err != nil {
		x.failed(CheckGit, path, err)
		return
	}
	x.ok(CheckGit, path, "git %s, %q", version, path)
}

func (x *exam) repository() {
	if x.repo.ConfigErr != nil {
		x.add(Finding{
			Severity: SeverityProblem, Check: CheckRepository, Path: x.repo.CommonDir,
			Message: fmt.Sprintf("git's config could not be read (%v): letter case is ignored in comparing names", x.repo.ConfigErr),
			Fix:     "mend the config file, or its permissions",
		})
		return
	}
	x.ok(CheckRepository, x.repo.Root, "%q", x.repo.Root)
}

// worktrees counts them. One that was deleted by hand stays on git's list.
func (x *exam) worktrees() {
	roots, err := x.repo.Worktrees()
	if err != nil {
		x.failed(CheckWorktrees, x.repo.CommonDir, err)
		return
	}
	for _, root := range roots {
		if x.worktreeGone(root) {
			x.add(Finding{
				Severity: SeverityNote, Check: CheckWorktrees, Path: root,
				Message: fmt.Sprintf("git lists the worktree %q, which is gone", root),
				Fix:     "git worktree prune; if it was moved: git worktree repair <its new path>",
			})
		}
	}
	if len(roots) == 1 {
		x.okUnless(CheckWorktrees, "1 worktree")
		return
	}
	x.okUnless(CheckWorktrees, fmt.Sprintf("%d worktrees", len(roots)))
}

// usable asks whether the store's directories can be written.
func (x *exam) usable() {
	if x.dir.active == nil {
		if err := writable(x.repo.CommonDir); err != nil {
			x.failed(CheckStore, x.repo.CommonDir, unusable("create "+storeName+" in", x.repo.CommonDir, err))
			return
		}
		x.ok(CheckStore, x.dir.path, "no locks yet: the first claim creates %q", x.dir.path)
		return
	}
	for _, name := range []string{".", doneName, waitingName} {
		path := filepath.Join(x.dir.path, name)
		fi, err := x.dir.active.root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && !fi.IsDir():
			err = notDirectory(path, fi.Mode())
		case err == nil:
			if err = writable(path); err != nil {
				err = unusable("write in", path, err)
			}
		default:
			err = unusable("look at", path, err)
		}
		if err != nil {
			x.failed(CheckStore, path, err)
		}
	}
}

// permissions holds the store against core.sharedRepository: what another user
// of the repository lacks, this one does not notice.
func (x *exam) permissions(entries []entry) {
	dirMode, fileMode := x.repo.Modes()
	switch {
	case x.dir.active == nil:
		return
	case dirMode == 0 || runtime.GOOS == "windows":
		x.ok(CheckPermissions, "", "the repository is not shared with other users (core.sharedRepository)")
		return
	}
	for _, p := range []struct {
		name string
		want fs.FileMode
		ours bool // the next writer grants it, if it is the owner
	}{{".", dirMode, true}, {doneName, dirMode, true}, {mutexName, fileMode, true}, {waitingName, dirMode, false}} {
		f, lacks := x.lacking(p.name, p.want)
		if !lacks {
			continue
		}
		if p.ours {
			f.mended = "granted the permissions"
		}
		x.add(f)
	}
	x.unshared(entries, fileMode)
	x.okUnless(CheckPermissions, "as core.sharedRepository asks")
}

// unshared tells of the lock files that others may not read, in one finding.
func (x *exam) unshared(entries []entry, want fs.FileMode) {
	var first Finding
	n := 0
	for _, e := range entries {
		name, err := filepath.Rel(x.dir.path, e.path)
		if err != nil {
			continue // not beneath the store: cannot be
		}
		if f, lacks := x.lacking(name, want); lacks {
			if n++; n == 1 {
				first = f
			}
		}
	}
	switch {
	case n == 2:
		first.Message += "; so does 1 other lock file"
	case n > 2:
		first.Message += fmt.Sprintf("; so do %d other lock files", n-1)
	}
	if n > 1 {
		first.Fix += ", and the same for the others"
	}
	if n > 0 {
		x.add(first)
	}
}

// lacking compares what a file of the store grants with what it should.
func (x *exam) lacking(name string, want fs.FileMode) (Finding, bool) {
	fi, err := x.dir.active.root.Lstat(name)
	if err != nil || fi.Mode()&want == want || fi.Mode()&fs.ModeSymlink != 0 {
		return Finding{}, false // what is missing or no file of ours is another check's
	}
	path := filepath.Join(x.dir.path, name)
	return Finding{
		Severity: SeverityProblem, Check: CheckPermissions, Path: path,
		Message: fmt.Sprintf("%q has the permissions %04o and lacks some of %04o, which core.sharedRepository asks for", path, octal(fi.Mode()), octal(want)),
		Fix:     fmt.Sprintf("its owner runs: chmod %04o %s", octal(fi.Mode()|want), shell.Word(path)),
	}, true
}

// octal is a mode as chmod takes it.
func octal(m fs.FileMode) uint32 {
	n := uint32(m.Perm())
	if m&fs.ModeSetgid != 0 {
		n |= 0o2000
	}
	return n
}

// patience is how long the probe waits for whoever writes at the moment: long
// for a write, and less than a writer waits.
func (x *exam) patience() time.Duration { return min(x.dir.wait, 2*time.Second) }

// mutex tries whether the kernel's lock really excludes here: not every
// network file system sees to that. Two handles of one process stand for two
// processes, since such a lock belongs to the open file. Locking an existing
// file writes nothing.
func (x *exam) mutex(open func(store string) *flock.Flock) {
	path := filepath.Join(x.dir.path, mutexName)
	fi, err := x.dir.active.root.Lstat(mutexName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.ok(CheckMutex, path, "not tried: the next write creates %q", path)
		return
	case err != nil:
		x.failed(CheckMutex, path, unusable("open", path, err))
		return
	case !fi.Mode().IsRegular():
		x.failed(CheckMutex, path, notMutex(path, fi.Mode()))
		return
	}
	first, second := open(x.dir.path), open(x.dir.path)
	taken, err := x.take(first)
	if err == nil && !taken {
		x.add(Finding{
			Severity: SeverityNote, Check: CheckMutex, Path: path,
			Message: fmt.Sprintf("another process has held %q for %s, so writers wait", path, x.patience()),
			Fix:     "if that goes on, look for an agent-locks process that was stopped (ctrl-z, a debugger): continue or end it",
		})
		return
	}
	both := false
	if err == nil {
		both, err = uninterrupted(second.TryLock)
	}
	if err = errors.Join(err, second.Unlock(), first.Unlock()); err != nil {
		x.failed(CheckMutex, path, unusable("lock", path, err))
		return
	}
	if both {
		x.add(Finding{
			Severity: SeverityProblem, Check: CheckMutex, Path: path,
			Message: fmt.Sprintf("two locks on %q were granted at once: this file system does not exclude, so agents can overwrite each other's work on a lock", path),
			Fix:     "keep the repository on a local disk, or mount the file system with locking",
		})
		return
	}
	if name := network(path); name != "" {
		x.add(Finding{
			Severity: SeverityNote, Check: CheckMutex, Path: path,
			Message: fmt.Sprintf("%q lies on a network file system (%s): locks exclude within this machine; between machines that cannot be tried from here", path, name),
			Fix:     "let the agents on one machine only use it, or keep the repository on a local disk",
		})
		return
	}
	x.ok(CheckMutex, path, "a second lock on %q was refused, as it must be", path)
}

// take locks as soon as nobody else does.
func (x *exam) take(m *flock.Flock) (bool, error) {
	for end := time.Now().Add(x.patience()); ; {
		taken, err := uninterrupted(m.TryLock)
		if taken || err != nil || time.Now().After(end) {
			return taken, err
		}
		if err := pause(x.ctx, 5*time.Millisecond+rand.N(10*time.Millisecond)); err != nil {
			return false, err
		}
	}
}
