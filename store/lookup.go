package store

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Ref names one lock.
type Ref struct {
	LockID string `json:"lock_id"`
	Short  bool   `json:"-"` // an unambiguous prefix of the id or its slug will do (the command line)
}

const (
	minShortID   = 4  // characters of an id's or slug's beginning
	maxCandidate = 10 // ids that an ambiguous beginning lists
	titleRunes   = 60 // of their titles
)

// findLock reads the lock that r names, exactly or, where r allows it, by an
// unambiguous beginning of its id or slug; where r does not, the error names the
// lock that such a beginning means. first says where to look first.
func findLock(c *call, r Ref, first disk.Which) (disk.Entry, error) {
	if strings.TrimSpace(r.LockID) == "" {
		return disk.Entry{}, fault.Input("`lock_id` %q is empty", r.LockID).WithHint("see `lock_query` for the ids")
	}
	e, err := c.dir.Get(c.ctx, r.LockID)
	if !errors.Is(err, fault.LockNotFound) {
		return e, err
	}
	id, rerr := expandID(c, r.LockID, first)
	switch {
	case !r.Short && rerr == nil && id != "":
		return e, fault.New(fault.LockNotFound, "no lock %q", r.LockID).WithHint(fmt.Sprintf("did you mean %q? give the whole id", id))
	case !r.Short:
		return e, err
	case rerr != nil:
		return e, rerr
	case id == "":
		return e, tooShort(r.LockID, err)
	}
	return c.dir.Get(c.ctx, id)
}

// findActiveLock is find for the operations that only an active lock allows.
func findActiveLock(c *call, r Ref) (disk.Entry, error) {
	e, err := findLock(c, r, disk.ActiveOnly)
	if err == nil && e.Done() {
		err = notActive(&e.Lock)
	}
	return e, err
}

// tooShort is the error for what no lock goes by; it says so where a lock may
// yet begin like that.
func tooShort(short string, notFound error) error {
	e, ok := errors.AsType[*fault.Error](notFound)
	if !ok || utf8.RuneCountInString(short) >= minShortID {
		return notFound
	}
	err := *e
	err.Message += fmt.Sprintf(", and %q is shorter than the %d characters that a shortened id needs", short, minShortID)
	return &err
}

// expandID is the id whose slug is short or, from minShortID characters on, that
// begins, or whose slug begins, with it: "" where there is none, an error that
// lists them where there are several.
func expandID(c *call, short string, first disk.Which) (string, error) {
	long := utf8.RuneCountInString(short) >= minShortID
	for _, w := range lookOrder(first) {
		ids, err := c.dir.IDs(c.ctx, w)
		if err != nil {
			return "", err
		}
		var found, exact []string
		for _, id := range ids {
			slug := lockfile.SlugOf(id)
			if slug == short {
				exact = append(exact, id)
			}
			if long && (strings.HasPrefix(id, short) || strings.HasPrefix(slug, short)) {
				found = append(found, id)
			}
		}
		if len(exact) > 0 {
			found = exact
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return "", ambiguous(c, short, found)
		}
	}
	return "", nil
}

func lookOrder(first disk.Which) []disk.Which {
	if first == disk.All {
		return []disk.Which{disk.All}
	}
	return []disk.Which{disk.ActiveOnly, disk.All}
}

// ambiguous lists the candidates, a line each, with what tells them apart.
func ambiguous(c *call, short string, ids []string) *fault.Error {
	fits, more := len(ids), ""
	if n := fits - maxCandidate; n > 0 {
		ids, more = ids[:maxCandidate], fmt.Sprintf("\n  and %d more", n)
	}
	shown := make([]string, len(ids))
	for i, id := range ids {
		shown[i] = "\n  " + id
		if e, err := c.dir.Get(c.ctx, id); err == nil { // what cannot be read has its id only
			shown[i] += fmt.Sprintf(" (%s, %s)", e.Lock.Status, legible.Quote(rules.FirstLine(e.Lock.Title, titleRunes)))
		}
	}
	return fault.Input("lock id %q is ambiguous: it fits %d locks", short, fits).
		WithHint("give more of the id:" + strings.Join(shown, "") + more)
}

// notActive is the refusal of an operation on a lock that has ended. It distinguishes
// a lock reaped for inactivity from one that was finished, and names who ended
// it and the way back.
func notActive(l *lockfile.Lock) *fault.Error {
	err := &fault.Error{Code: fault.LockNotActive, Hint: "claim again to go on working on its scope, or reopen it with a reason"}
	switch l.FinishedBy {
	case reapedBy:
		err.Message = fmt.Sprintf("lock %q was reaped for inactivity %s", l.ID, stamped(l.Finished))
		if !l.Finished.IsZero() && l.Finished.After(l.Updated.Time) {
			err.Message += fmt.Sprintf(", after %s without a heartbeat", rules.Age(rules.SecondsBetween(l.Updated.Time, l.Finished.Time)))
		}
		err.Message += lastNoteLike(l, reapedPrefix)
		err.Hint = "its scope is no longer yours: check for conflicts, then reopen it or claim again before you go on editing"
	case forcedBy:
		err.Message = fmt.Sprintf("lock %q was finished by force %s%s", l.ID, stamped(l.Finished), lastNoteLike(l, endedPrefix))
		err.Hint = "its scope is no longer yours: check for conflicts, then reopen it with a reason or claim again before you go on editing"
	case "":
		err.Message = fmt.Sprintf("lock %q is already done: finished %s", l.ID, stamped(l.Finished))
	default:
		err.Message = fmt.Sprintf("lock %q is already done: finished by %s %s", l.ID, l.FinishedBy, stamped(l.Finished))
	}
	return err
}

// lastNoteLike quotes the newest note that begins so, and the one after it,
// which is the summary: together they say who ended the lock and why.
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

// stamped names a time for a message.
func stamped(s lockfile.Stamp) string {
	if s.IsZero() {
		return "at an unknown time"
	}
	return "at " + s.String()
}
