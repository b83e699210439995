package doctor

import (
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/shell"
)

// git reports which git program is used. The other checks continue without one,
// because some repositories can be read anyway.
func (x *exam) git() {
	path, version, err := gitdir.Program(x.ctx, x.question.Query.Environ)
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
			Message: fmt.Sprintf("git's config could not be read (%v): names are compared case-insensitively",
				x.repo.ConfigErr),
			Fix: "fix the config file, or its permissions",
		})
		return
	}
	x.ok(CheckRepository, x.repo.Root, "%q", x.repo.Root)
}

// worktrees counts the worktrees. Git still lists those deleted by hand.
func (x *exam) worktrees() {
	roots, err := x.repo.Worktrees()
	if err != nil {
		x.failed(CheckWorktrees, x.repo.CommonDir, err)
		return
	}
	for _, root := range roots {
		if x.paths.Gone(root) {
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

// usable checks whether the store's directories are writable.
func (x *exam) usable() {
	wrong := x.dir.CheckWritable()
	for _, p := range wrong {
		x.failed(CheckStore, p.Path, p.Err)
	}
	if path := x.dir.Path; !x.dir.Exists() && len(wrong) == 0 {
		x.ok(CheckStore, path, "no locks yet: the first claim creates %q", path)
	}
}

// permissions compares the store's permissions with core.sharedRepository: what
// another user lacks does not affect this one, who would never notice.
func (x *exam) permissions(entries []disk.Entry) {
	if dirMode, _ := x.repo.Modes(); dirMode == 0 || runtime.GOOS == "windows" {
		x.ok(CheckPermissions, "", "the repository is not shared with other users (core.sharedRepository)")
		return
	}
	own, locks := x.dir.Lacking(entries)
	for _, l := range own {
		f := lacking(l)
		if l.Granted {
			f.remedy = "granted the permissions"
		}
		x.add(f)
	}
	if len(locks) > 0 {
		x.add(unshared(locks))
	}
	x.okUnless(CheckPermissions, "as core.sharedRepository asks")
}

// unshared combines all lock files that others cannot read into one finding.
func unshared(locks []disk.Lack) Finding {
	f := lacking(locks[0])
	switch n := len(locks) - 1; n {
	case 0:
		return f
	case 1:
		f.Message += "; so does 1 other lock file"
	default:
		f.Message += fmt.Sprintf("; so do %d other lock files", n)
	}
	f.Fix += ", and the same for the others"
	return f
}

func lacking(l disk.Lack) Finding {
	return Finding{
		Severity: SeverityProblem, Check: CheckPermissions, Path: l.Path,
		Message: fmt.Sprintf("%q has the permissions %04o and lacks some of %04o, which core.sharedRepository asks for",
			l.Path, octal(l.Mode), octal(l.Want)),
		Fix: fmt.Sprintf("its owner runs: chmod %04o %s", octal(l.Mode|l.Want), shell.Word(l.Path)),
	}
}

// octal converts a mode to chmod's notation.
func octal(m fs.FileMode) uint32 {
	n := uint32(m.Perm())
	if m&fs.ModeSetgid != 0 {
		n |= 0o2000
	}
	return n
}

// mutex checks that the kernel lock really excludes others here. Not every
// network file system ensures that.
func (x *exam) mutex() {
	path, state, err := x.dir.TryMutex(x.ctx)
	if err != nil {
		x.failed(CheckMutex, path, err)
		return
	}
	x.add(mutexFinding(path, state, network(path), x.dir.MutexTrial()))
}

// mutexFinding interprets the result of testing the mutex. network is the
// network file system that it is on, if any.
func mutexFinding(path string, state disk.MutexState, network string, trial time.Duration) Finding {
	ok := Finding{Severity: SeverityOK, Check: CheckMutex, Path: path}
	switch {
	case state == disk.MutexMissing:
		ok.Message = fmt.Sprintf("not tried: the next write creates %q", path)
	case state == disk.MutexBusy:
		return Finding{
			Severity: SeverityNote, Check: CheckMutex, Path: path,
			Message: fmt.Sprintf("another process has held %q for %s, so writers wait", path, trial),
			Fix: "if that continues, look for an agent-locks process that was stopped (ctrl-z, a debugger): " +
				"continue or end it",
		}
	case state == disk.MutexUseless:
		return Finding{
			Severity: SeverityProblem, Check: CheckMutex, Path: path,
			Message: fmt.Sprintf("two locks on %q were granted at once: locks do not exclude on this file system, so agents "+
				"can overwrite each other's work on a lock", path),
			Fix: "keep the repository on a local disk, or mount the file system with locking",
		}
	case network != "":
		return Finding{
			Severity: SeverityNote, Check: CheckMutex, Path: path,
			Message: fmt.Sprintf("%q is on a network file system (%s): locks exclude within this machine; across "+
				"machines this cannot be tested from here", path, network),
			Fix: "let only the agents of one machine use it, or keep the repository on a local disk",
		}
	default:
		ok.Message = fmt.Sprintf("a second lock on %q was refused, as it must be", path)
	}
	return ok
}
