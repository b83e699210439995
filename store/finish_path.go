package store

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// findToFinish finds the active lock to finish, by its name or, if no lock of
// the caller's has that name, by a path that exactly one of them covers. A lock
// that has ended is matched only by its whole slug, so that repeating a finish
// does not end another lock.
func findToFinish(c *call, r Ref, who rules.Caller) (disk.Entry, error) {
	named, err := unlessDone(findOwnLock(c, r, who, disk.ActiveOnly))
	isID := lockfile.ValidID(r.LockID) == nil && strings.TrimSpace(r.LockID) != ""
	ended := errors.Is(err, fault.LockNotActive)
	isName := err == nil || ended && lockfile.SlugOf(named.Lock.ID) == r.LockID
	notNamed := ended || errors.Is(err, fault.LockNotFound) || errors.Is(err, fault.NotHolder)
	switch {
	case named.Lock.ID == r.LockID, strings.TrimSpace(r.LockID) == "", err != nil && isID && !notNamed:
		return named, err
	}
	covering, perr := ownLocksOn(c, who, r.LockID, isID, isName)
	if perr != nil {
		return named, perr
	}
	covering = slices.DeleteFunc(covering, func(e disk.Entry) bool { return e.Lock.ID == named.Lock.ID })
	switch {
	case isName && len(covering) > 0:
		const said = "%q is the name of a lock, and a path that another lock of yours covers"
		return named, fault.Input(said, r.LockID).
			WithHint("name the one that you mean:" + candidates(c, append([]string{named.Lock.ID}, entryIDs(covering)...)))
	case isName, len(covering) == 0 && isID && !(errors.Is(err, fault.LockNotFound) && isFile(c, r.LockID)):
		return named, err
	case len(covering) == 0:
		return named, fault.New(fault.LockNotFound, "no active lock of yours covers %q", r.LockID).
			WithHint("see `lock_query` for the ids; `lock_check_conflict` says who else covers it")
	case len(covering) > 1:
		return named, fault.Input("%q is covered by %d locks of yours", r.LockID, len(covering)).
			WithHint("name the one that you mean:" + candidates(c, entryIDs(covering)))
	}
	return covering[0], nil
}

// ownLocksOn returns the caller's active locks that certainly cover all of a
// path, or have it as a scope entry. A path that may be relative to the root or
// to the caller's directory counts as both. A text that may be a lock id (isID)
// is a path if something of that name exists. Otherwise it must be a scope
// entry, unless it is the name of a lock (isName).
func ownLocksOn(c *call, who rules.Caller, text string, isID, isName bool) ([]disk.Entry, error) {
	readings, err := c.paths.Named(text)
	switch e, ok := errors.AsType[*fault.Error](err); {
	case err != nil && isID:
		return nil, nil // it can only be an id
	case ok:
		return nil, fault.Input("%q is neither a lock id nor a path: %s", text, e.Message).WithHint(e.Hint)
	case err != nil:
		return nil, err
	}
	isPath := func(e *overlap.Entry) bool { return !isID || existsHere(c, e.String()) }
	if isName {
		readings = slices.DeleteFunc(readings, func(e *overlap.Entry) bool { return !isPath(e) })
	}
	if len(readings) == 0 {
		return nil, nil
	}
	entries, err := c.list(disk.ActiveOnly)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e disk.Entry) bool {
		if e.Done() || !who.MayHold(&e.Lock) {
			return true
		}
		return !slices.ContainsFunc(readings, func(path *overlap.Entry) bool {
			return slices.Contains(e.Lock.Scope, path.String()) ||
				isPath(path) && rules.CoversWhole(storedScope(c, e), path.String())
		})
	}), nil
}

// isFile reports whether the name exists at the root or in the caller's
// directory.
func isFile(c *call, name string) bool {
	return existsHere(c, name) || existsHere(c, path.Join(c.repo.Prefix, name))
}

func existsHere(c *call, path string) bool {
	return c.paths.Exists(path)
}

func entryIDs(entries []disk.Entry) []string {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.Lock.ID
	}
	return ids
}
