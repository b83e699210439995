package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// inside examines an opened store.
func (x *exam) inside() {
	x.usable()
	if x.dir.active == nil {
		return
	}
	l, err := x.dir.list(x.ctx, all)
	if err != nil {
		x.failed(CheckStore, x.dir.path, err)
		return
	}
	active := 0
	for _, e := range l.entries {
		if !e.done {
			active++
		}
	}
	x.okUnless(CheckStore, fmt.Sprintf("%q: %d active, %d done", x.dir.path, active, len(l.entries)-active))
	x.permissions(l.entries)
	x.mutex(newMutex)
	x.unreadables(l.faults)
	x.leftovers()
	minutes := x.configuredMinutes()
	for _, e := range l.entries {
		x.places(e)
		if !e.done {
			x.holder(e, minutes)
		}
	}
	x.okUnless(CheckDuplicates, "every lock is in one place")
	x.okUnless(CheckUnfinished, "every finish is complete")
	x.okUnless(CheckClock, "no lock was updated in the future")
	x.okUnless(CheckStale, "every active lock shows signs of life")
}

func (x *exam) unreadables(faults []fault) {
	for _, f := range faults {
		x.unreadable++
		x.add(Finding{
			Severity: SeverityProblem, Check: CheckUnreadable, Path: f.path,
			Message: fmt.Sprintf("%q cannot be read as a lock: %s", f.path, f.reason),
			Fix:     "mend it by hand, or move it out of the store",
		})
	}
	if err := x.strangers(); err != nil {
		x.failed(CheckUnreadable, filepath.Join(x.dir.path, waitingName), err)
	}
	x.okUnless(CheckUnreadable, "every file in the store can be read")
}

// places looks at where a lock lies: in one directory, and the right one.
func (x *exam) places(e entry) {
	switch {
	case e.dup:
		active, done := e.path, e.other
		if e.archived {
			active, done = done, active
		}
		x.failed(CheckDuplicates, active, duplicate(e.ID, active, done))
	case e.other != "":
		x.unfinished(e.other, fmt.Sprintf("the finish of %q was cut short: it is in %s already, and as well at %q", e.ID, doneName, e.other),
			"removed the copy, which was equal byte for byte")
	case e.done && !e.archived:
		x.unfinished(e.path, fmt.Sprintf("the finish of %q was cut short: it still has to move into %s", e.ID, doneName), "moved it into "+doneName)
	}
}

func (x *exam) unfinished(path, message, mended string) {
	x.add(Finding{
		Severity: SeverityNote, Check: CheckUnfinished, Path: path, Message: message, mended: mended,
		Fix: "agent-locks doctor --fix completes it; so does the next write",
	})
}

// holder asks whether somebody still works under an active lock.
func (x *exam) holder(e entry, minutes float64) {
	if skew := secondsBetween(x.Now(), e.Updated.Time); skew > maxSkew {
		x.add(Finding{
			Severity: SeverityProblem, Check: CheckClock, Path: e.path,
			Message: fmt.Sprintf("lock %q was updated in the future (%s, %s from now): it counts as fresh until then", e.ID, e.Updated.Raw, Age(skew)),
			Fix:     "set the clock that is wrong, then: agent-locks heartbeat " + e.ID,
		})
	}
	if x.worktreeGone(e.Worktree) {
		x.add(Finding{
			Severity: SeverityNote, Check: CheckWorktrees, Path: e.path,
			Message: fmt.Sprintf("lock %q was made from the worktree %q, which is gone", e.ID, e.Worktree),
			Fix:     "if its work has ended: agent-locks finish " + e.ID + " --force",
		})
	}
	if x.stale(e, minutes) {
		x.add(Finding{
			Severity: SeverityNote, Check: CheckStale, Path: e.path,
			Message: fmt.Sprintf("lock %q (%s) has been silent for %s", e.ID, e.Title, Age(x.quiet(e))),
			Fix:     "agent-locks reap " + e.ID,
		})
	}
}

// leftovers looks for what processes that were killed have left.
func (x *exam) leftovers() {
	names, err := x.dir.active.names()
	if err != nil {
		x.failed(CheckLeftovers, x.dir.path, err)
		return
	}
	for _, name := range names {
		if !strings.HasPrefix(name, temporary) {
			continue
		}
		path := filepath.Join(x.dir.path, name)
		switch fi, err := x.dir.active.root.Lstat(name); {
		case errors.Is(err, fs.ErrNotExist): // its writer has come to the end
		case err != nil:
			x.failed(CheckLeftovers, path, unusable("look at", path, err))
		case x.dir.now().Sub(fi.ModTime()) > leftover:
			x.leftover(path, fmt.Sprintf("%q is an unfinished file of %s ago", path, ageOf(x.dir.now().Sub(fi.ModTime()))))
		}
	}
	if err := x.deadTickets(); err != nil {
		x.failed(CheckLeftovers, filepath.Join(x.dir.path, waitingName), err)
	}
	x.okUnless(CheckLeftovers, "none")
}

func (x *exam) leftover(path, message string) {
	x.add(Finding{
		Severity: SeverityNote, Check: CheckLeftovers, Path: path, Message: message, mended: "removed it",
		Fix: "agent-locks doctor --fix removes it; so does the next write",
	})
}
