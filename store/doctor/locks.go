package doctor

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// inside examines an opened store.
func (x *exam) inside() {
	x.usable()
	if !x.dir.Exists() {
		return
	}
	l, err := x.dir.List(x.ctx, disk.All)
	if err != nil {
		x.failed(CheckStore, x.dir.Path, err)
		return
	}
	active := 0
	for _, e := range l.Entries {
		if !e.Done() {
			active++
		}
	}
	x.okUnless(CheckStore, fmt.Sprintf("%q: %d active, %d done", x.dir.Path, active, len(l.Entries)-active))
	x.permissions(l.Entries)
	x.mutex()
	x.unreadables(l.Bad)
	x.leftovers()
	minutes := x.minutes()
	for _, e := range l.Entries {
		x.places(e)
		if !e.Done() {
			x.holder(e, minutes)
		}
	}
	x.okUnless(CheckDuplicates, "every lock is in one place")
	x.okUnless(CheckUnfinished, "every finish is complete")
	x.okUnless(CheckClock, "no lock was updated in the future")
	x.okUnless(CheckStale, "every active lock was seen recently")
}

func (x *exam) unreadables(faults []disk.BadFile) {
	for _, f := range faults {
		x.unreadable++
		x.add(Finding{
			Severity: SeverityProblem, Check: CheckUnreadable, Path: f.Path,
			Message: fmt.Sprintf("%q cannot be read as a lock: %s", f.Path, f.Reason),
			Fix:     "fix it by hand, or move it out of the store",
		})
	}
	strangers, err := queue.Strangers(x.dir)
	if err != nil {
		x.failed(CheckUnreadable, filepath.Join(x.dir.Path, disk.WaitingName), err)
	}
	for _, f := range strangers {
		x.add(Finding{
			Severity: SeverityNote, Check: CheckUnreadable, Path: f.Path,
			Message: fmt.Sprintf("%q is not a queue ticket, and is skipped: %s", f.Path, f.Reason),
			Fix:     "move it out of the store",
		})
	}
	x.shared()
	x.okUnless(CheckUnreadable, "every file in the store can be read")
}

// places checks that a lock is in exactly one directory, and in the right one.
func (x *exam) places(e disk.Entry) {
	switch {
	case e.Duplicate:
		active := e.Path
		if e.Archived {
			active = e.Other
		}
		x.failed(CheckDuplicates, active, e.TwoPlaces())
	case e.Other != "":
		x.unfinished(e.Other, fmt.Sprintf("the finish of %q was cut short: it is in %s already, and also at %q",
			e.Lock.ID, disk.DoneName, e.Other),
			"removed the copy, which was identical")
	case e.Done() && !e.Archived:
		x.unfinished(e.Path, fmt.Sprintf("the finish of %q was cut short: it still has to move into %s",
			e.Lock.ID, disk.DoneName), "moved it into "+disk.DoneName)
	}
}

func (x *exam) unfinished(path, message, remedy string) {
	x.add(Finding{
		Severity: SeverityNote, Check: CheckUnfinished, Path: path, Message: message, remedy: remedy,
		Fix: "agent-locks doctor --fix completes it; so does the next write",
	})
}

// minutes returns the configured staleness threshold.
func (x *exam) minutes() float64 {
	minutes, warning := rules.Configured(gitdir.Getenv(x.question.Query.Environ, rules.StaleVariable))
	if warning != "" {
		x.warn("%s", warning)
	}
	return minutes
}

// holder checks whether the holder of an active lock is still at work.
func (x *exam) holder(e disk.Entry, minutes float64) {
	if skew := rules.Skew(&e.Lock, x.question.Now); skew > 0 {
		x.add(Finding{
			Severity: SeverityProblem, Check: CheckClock, Path: e.Path,
			Message: fmt.Sprintf("lock %q was updated in the future (%s, %s from now): it counts as fresh until then",
				e.Lock.ID, e.Lock.Updated.Raw, rules.Age(skew)),
			Fix: "set the clock that is wrong, then: agent-locks heartbeat " + e.Lock.ID,
		})
	}
	if x.paths.MadeInGone(&e.Lock) {
		x.add(Finding{
			Severity: SeverityNote, Check: CheckWorktrees, Path: e.Path,
			Message: fmt.Sprintf("lock %q was made from the worktree %q, which is gone", e.Lock.ID, e.Lock.Worktree),
			Fix:     "if its work has ended: agent-locks finish " + e.Lock.ID + " --force",
		})
	}
	if rules.Stale(&e.Lock, x.question.Now, minutes) {
		x.add(Finding{
			Severity: SeverityNote, Check: CheckStale, Path: e.Path,
			Message: fmt.Sprintf("lock %q (%s) has been silent for %s",
				e.Lock.ID, e.Lock.Title, rules.Age(rules.Quiet(&e.Lock, x.question.Now))),
			Fix: "agent-locks reap " + e.Lock.ID,
		})
	}
}

// leftovers looks for the remains of killed processes.
func (x *exam) leftovers() {
	d := x.dir
	found, errs := d.Leftovers()
	for _, err := range errs {
		x.failed(CheckLeftovers, d.Path, err)
	}
	for _, l := range found {
		x.leftover(l.Path, fmt.Sprintf("%q is an unfinished file of %s ago", l.Path, rules.Age(int64(l.Age/time.Second))))
	}
	dead, err := queue.Dead(x.ctx, d)
	if err != nil {
		x.failed(CheckLeftovers, filepath.Join(d.Path, disk.WaitingName), err)
	}
	for _, path := range dead {
		x.leftover(path, fmt.Sprintf("%q is the queue ticket of a process that has ended", path))
	}
	x.okUnless(CheckLeftovers, "none")
}

func (x *exam) leftover(path, message string) {
	x.add(Finding{
		Severity: SeverityNote, Check: CheckLeftovers, Path: path, Message: message, remedy: "removed it",
		Fix: "agent-locks doctor --fix removes it; so does the next write",
	})
}
