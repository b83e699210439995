package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Ref names a lock by its id, its whole slug, or an unambiguous prefix of
// either.
type Ref struct {
	LockID string `json:"lock_id"`
}

const (
	minShortID   = 4   // minimum length of a prefix, in characters
	maxCandidate = 10  // maximum number of ids listed for an ambiguous prefix
	maxJudged    = 100 // maximum number of locks read to find out whose they are
	titleRunes   = 60  // maximum length of their titles
)

// findLock reads the lock named by r, preferring active ones.
func findLock(c *call, r Ref) (disk.Entry, error) {
	return findLockAmong(c, r, disk.ActiveOnly, nil)
}

// findOwnLock is findLock for operations of a holder: a short name refers to
// the caller's own locks. Another agent's lock must be named by its whole id,
// so that nobody ends others' work by a name that happens to match. first
// selects where to look first.
func findOwnLock(c *call, r Ref, who rules.Caller, first disk.Which) (disk.Entry, error) {
	return findLockAmong(c, r, first, func(id string) bool {
		e, err := c.dir.Get(c.ctx, id)
		return err != nil || who.MayHold(&e.Lock) // report unreadable files rather than skip them
	})
}

// findLockAmong resolves a short name among the locks for which mine returns
// true, or among all if it is nil.
func findLockAmong(c *call, r Ref, first disk.Which, mine func(id string) bool) (disk.Entry, error) {
	if strings.TrimSpace(r.LockID) == "" {
		return disk.Entry{}, fault.Input("`lock_id` %q is empty", r.LockID).WithHint("see `lock_query` for the ids")
	}
	e, err := c.dir.Get(c.ctx, r.LockID)
	if !errors.Is(err, fault.LockNotFound) {
		return e, err
	}
	if there, ok, terr := findElsewhere(c, r.LockID); terr != nil {
		return e, terr
	} else if ok {
		return e, notHere(there)
	}
	id, rerr := expandID(c, r.LockID, first, mine)
	switch {
	case rerr != nil:
		return e, rerr
	case id == "":
		return e, meantElsewhere(c, r.LockID, tooShort(r.LockID, err))
	}
	return c.dir.Get(c.ctx, id)
}

// findActiveLock is findLock for operations that require an active lock.
func findActiveLock(c *call, r Ref) (disk.Entry, error) {
	return unlessDone(findLock(c, r))
}

// unlessDone returns an error if the lock has ended.
func unlessDone(e disk.Entry, err error) (disk.Entry, error) {
	if err == nil && e.Done() {
		err = notActive(&e.Lock)
	}
	return e, err
}

// tooShort completes the not-found error if the name was too short to be a
// prefix.
func tooShort(short string, notFound error) error {
	e, ok := errors.AsType[*fault.Error](notFound)
	if !ok || utf8.RuneCountInString(short) >= minShortID {
		return notFound
	}
	err := *e
	err.Message += fmt.Sprintf(", and %q is shorter than the %d characters that a shortened id needs", short, minShortID)
	return &err
}

// expandID returns the id that a short name refers to, among the locks for
// which mine returns true, or "" if there is none. It returns an error with the
// candidates if there are several, or if only other agents' locks match. A
// prefix counts only if no lock at all, even an ended one, has it as its whole
// slug: otherwise a second `finish fix-login` would end fix-login-page.
func expandID(c *call, short string, first disk.Which, mine func(id string) bool) (string, error) {
	for _, fits := range []func(id, short string) bool{hasSlug, beginsWith} {
		var others []string // including the caller's own
		for _, w := range lookOrder(first) {
			ids, err := c.dir.IDs(c.ctx, w)
			if err != nil {
				return "", err
			}
			ids = slices.DeleteFunc(ids, func(id string) bool { return !fits(id, short) })
			if mine != nil {
				if len(ids) > maxJudged {
					return "", ambiguous(c, short, ids)
				}
				others = slices.Clone(ids)
				ids = slices.DeleteFunc(ids, func(id string) bool { return !mine(id) })
			}
			switch len(ids) {
			case 0:
			case 1:
				if len(others) > 1 && byTime(ids[0], short) {
					return "", ambiguous(c, short, others)
				}
				return ids[0], nil
			default:
				return "", ambiguous(c, short, ids)
			}
		}
		if len(others) > 0 {
			return "", notYours(c, short, others)
		}
	}
	return "", nil
}

// hasSlug reports whether short is the whole slug of an id.
func hasSlug(id, short string) bool { return lockfile.SlugOf(id) == short }

// beginsWith reports whether short is a prefix of an id or its slug, of at
// least minShortID characters.
func beginsWith(id, short string) bool {
	return utf8.RuneCountInString(short) >= minShortID &&
		(strings.HasPrefix(id, short) || strings.HasPrefix(lockfile.SlugOf(id), short))
}

// byTime reports whether short is a prefix of only the stamp of an id. Many
// locks may share that, so it is accepted for the caller's own lock only if no
// other lock matches.
func byTime(id, short string) bool {
	slug := lockfile.SlugOf(id)
	return len(short) <= len(id)-len(slug) && !strings.HasPrefix(slug, short)
}

func lookOrder(first disk.Which) []disk.Which {
	if first == disk.All {
		return []disk.Which{disk.All}
	}
	return []disk.Which{disk.ActiveOnly, disk.All}
}

// ambiguous returns the error for a name that matches several locks.
func ambiguous(c *call, short string, ids []string) *fault.Error {
	return fault.Input("lock id %q is ambiguous: it fits %d locks", short, len(ids)).
		WithHint("give more of the id:" + candidates(c, ids))
}

// notYours returns the error for a short name that matches only others' locks.
func notYours(c *call, short string, ids []string) *fault.Error {
	return fault.New(fault.NotHolder, "none of your own locks is called %q", short).
		WithHint("a short name means one of your own here; for somebody else's give the whole id:" + candidates(c, ids))
}

// orGone extends a NotHolder error if the holder's worktree is gone. It returns
// any other err unchanged, even nil.
func orGone(c *call, l *lockfile.Lock, err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Code == fault.NotHolder && c.paths.MadeInGone(l) {
		e.Hint += "; the worktree of its holder is gone, so perhaps nobody works on it any longer"
	}
	return err
}

// candidates lists locks, one per line, with status and title.
func candidates(c *call, ids []string) string {
	more := ""
	if n := len(ids) - maxCandidate; n > 0 {
		ids, more = ids[:maxCandidate], fmt.Sprintf("\n  and %d more", n)
	}
	shown := make([]string, len(ids))
	for i, id := range ids {
		shown[i] = "\n  " + id
		if e, err := c.dir.Get(c.ctx, id); err == nil { // an unreadable lock has only its id
			shown[i] += fmt.Sprintf(" (%s, %s)", e.Lock.Status, legible.Quote(rules.FirstLine(e.Lock.Title, titleRunes)))
		}
	}
	return strings.Join(shown, "") + more
}

// notActive returns the error for an operation on a lock that has ended. It
// distinguishes a lock reaped for inactivity from a finished one, and names who
// ended it and the way back.
func notActive(l *lockfile.Lock) *fault.Error {
	err := &fault.Error{Code: fault.LockNotActive,
		Hint: "claim again to keep working on its scope, or reopen it with a reason"}
	switch l.FinishedBy {
	case reapedBy:
		err.Message = fmt.Sprintf("lock %q was reaped for inactivity %s", l.ID, stamped(l.Finished))
		if !l.Finished.IsZero() && l.Finished.After(l.Updated.Time) {
			err.Message += fmt.Sprintf(", after %s without a heartbeat",
				rules.Age(rules.SecondsBetween(l.Updated.Time, l.Finished.Time)))
		}
		err.Message += lastNoteLike(l, reapedPrefix)
		err.Hint = "its scope is no longer yours: check for conflicts, then reopen it or claim again before you keep editing"
	case forcedBy:
		err.Message = fmt.Sprintf("lock %q was finished by force %s%s",
			l.ID, stamped(l.Finished), lastNoteLike(l, endedPrefix))
		err.Hint = "its scope is no longer yours: check for conflicts, then reopen it with a reason or claim again before " +
			"you keep editing"
	case "":
		err.Message = fmt.Sprintf("lock %q is already done: finished %s", l.ID, stamped(l.Finished))
	default:
		err.Message = fmt.Sprintf("lock %q is already done: finished by %s %s", l.ID, l.FinishedBy, stamped(l.Finished))
	}
	return err
}

// lastNoteLike quotes the newest note with the prefix and the note after it,
// which is the summary: together they tell who ended the lock and why.
func lastNoteLike(l *lockfile.Lock, prefix string) string {
	for i := len(l.Notes) - 1; i >= 0; i-- {
		if !strings.HasPrefix(l.Notes[i], prefix) {
			continue
		}
		text := fmt.Sprintf(" (%s", rules.FirstLine(l.Notes[i], lastNoteRunes))
		if i+1 < len(l.Notes) {
			text += "; " + rules.FirstLine(l.Notes[i+1], lastNoteRunes)
		}
		return text + ")"
	}
	return ""
}

// stamped formats a time for a message.
func stamped(s lockfile.Stamp) string {
	if s.IsZero() {
		return "at an unknown time"
	}
	return "at " + s.String()
}
