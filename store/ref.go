package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/lockfile"
)

const (
	minShortID   = 4  // characters of an id's or slug's beginning
	maxCandidate = 10 // ids that an ambiguous beginning lists
	titleRunes   = 60 // of their titles
)

// A reader is a dir, or a held, which completes the finishes that it meets
// cut short.
type reader interface {
	get(ctx context.Context, id string) (entry, error)
	list(ctx context.Context, w which) (listing, error)
	ids(ctx context.Context, w which) ([]string, error)
}

// find reads the lock that r names, exactly or, where r allows it, by an
// unambiguous beginning of its id or slug. first says where to look first.
func (c *call) find(in reader, r Ref, first which) (entry, error) {
	if strings.TrimSpace(r.LockID) == "" {
		e := badInput("`lock_id` %q is empty", r.LockID)
		e.Hint = "see `lock_query` for the ids"
		return entry{}, e
	}
	e, err := in.get(c.ctx, r.LockID)
	if !r.Short || !errors.Is(err, LockNotFound) {
		return e, err
	}
	id, rerr := c.expand(in, r.LockID, first)
	if rerr != nil {
		return e, rerr
	}
	if id == "" {
		return e, tooShort(r.LockID, err)
	}
	return in.get(c.ctx, id)
}

// findActive is find for the operations that only an active lock allows.
func (c *call) findActive(in reader, r Ref) (entry, error) {
	e, err := c.find(in, r, activeOnly)
	if err == nil && e.done {
		err = notActive(e)
	}
	return e, err
}

// tooShort is the error for what no lock goes by; it says so where a lock may
// yet begin like that.
func tooShort(short string, notFound error) error {
	e, ok := errors.AsType[*Error](notFound)
	if !ok || utf8.RuneCountInString(short) >= minShortID {
		return notFound
	}
	err := *e
	err.Message += fmt.Sprintf(", and %q is shorter than the %d characters that a shortened id needs", short, minShortID)
	return &err
}

// expand is the id whose slug is short or, from minShortID characters on, that
// begins, or whose slug begins, with it: "" where there is none, an error that
// lists them where there are several.
func (c *call) expand(in reader, short string, first which) (string, error) {
	long := utf8.RuneCountInString(short) >= minShortID
	for _, w := range lookOrder(first) {
		ids, err := in.ids(c.ctx, w)
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
			return "", c.ambiguous(in, short, found)
		}
	}
	return "", nil
}

func lookOrder(first which) []which {
	if first == all {
		return []which{all}
	}
	return []which{activeOnly, all}
}

// ambiguous lists the candidates with what tells them apart.
func (c *call) ambiguous(in reader, short string, ids []string) *Error {
	more := ""
	if n := len(ids) - maxCandidate; n > 0 {
		ids, more = ids[:maxCandidate], fmt.Sprintf(" and %d more", n)
	}
	shown := make([]string, len(ids))
	for i, id := range ids {
		shown[i] = id
		if e, err := in.get(c.ctx, id); err == nil { // what cannot be read has its id only
			shown[i] += fmt.Sprintf(" (%s, %q)", e.Status, firstRunes(e.Title, titleRunes))
		}
	}
	e := badInput("lock id %q is ambiguous: %s%s", short, strings.Join(shown, ", "), more)
	e.Hint = "give more of the id"
	return e
}

// notActive is the refusal of an operation on a lock that has ended. It tells
// a lock reaped for inactivity from one that was finished, and names who ended
// it and the way back.
func notActive(e entry) *Error {
	err := &Error{Code: LockNotActive, Hint: "claim again to go on working on its scope, or reopen it with a reason"}
	switch e.FinishedBy {
	case reapedBy:
		err.Message = fmt.Sprintf("lock %q was reaped for inactivity %s", e.ID, stamped(e.Finished))
		if !e.Finished.IsZero() && e.Finished.After(e.Updated.Time) {
			err.Message += fmt.Sprintf(", after %s without a heartbeat", Age(secondsBetween(e.Updated.Time, e.Finished.Time)))
		}
		err.Message += lastNoteLike(e, reapedPrefix)
		err.Hint = "its scope is no longer yours: check for conflicts, then reopen it or claim again before you go on editing"
	case forcedBy:
		err.Message = fmt.Sprintf("lock %q was finished by force %s%s", e.ID, stamped(e.Finished), lastNoteLike(e, endedPrefix))
		err.Hint = "its scope is no longer yours: check for conflicts, then reopen it with a reason or claim again before you go on editing"
	case "":
		err.Message = fmt.Sprintf("lock %q is already done: finished %s", e.ID, stamped(e.Finished))
	default:
		err.Message = fmt.Sprintf("lock %q is already done: finished by %s %s", e.ID, e.FinishedBy, stamped(e.Finished))
	}
	return err
}

// lastNoteLike quotes the newest note that begins so, and the one after it,
// which is the summary: together they say who ended the lock and why.
func lastNoteLike(e entry, prefix string) string {
	for i := len(e.Notes) - 1; i >= 0; i-- {
		if !strings.HasPrefix(e.Notes[i], prefix) {
			continue
		}
		text := fmt.Sprintf(" (%s", firstRunes(e.Notes[i], lastNoteRunes))
		if i+1 < len(e.Notes) {
			text += "; " + firstRunes(e.Notes[i+1], lastNoteRunes)
		}
		return text + ")"
	}
	return ""
}

// stamped names a moment for a message.
func stamped(s lockfile.Stamp) string {
	if s.IsZero() {
		return "at an unknown time"
	}
	return "at " + s.String()
}
