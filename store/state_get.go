package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/state"
)

// A GetStateRequest reads an entry of the shared state.
type GetStateRequest struct {
	Target
	Name        string   `json:"name"`
	Version     *int64   `json:"version"`      // version to read, possibly a past one; nil means the present one
	After       *int64   `json:"after"`        // wait for a version above this; otherwise Timeout
	WaitSeconds *float64 `json:"wait_seconds"` // nil means 30
}

// A StateStill is the Detail of a Timeout: the unchanged version.
type StateStill struct {
	Code    Code   `json:"code"`
	Name    string `json:"name"`
	Version int64  `json:"version"`
}

// GetState reads one version of an entry, or waits for the next one, which may
// be its deletion.
func (s *Store) GetState(ctx context.Context, r GetStateRequest) (Answer[StateEntry], error) {
	return answer(ctx, s, r.Target, func(c *call) (StateEntry, error) {
		if err := checkGet(r); err != nil {
			return StateEntry{}, err
		}
		var e state.Entry
		var err error
		switch {
		case r.After != nil:
			e, err = laterState(c, r)
		case r.Version != nil:
			e, err = stateVersion(c, r.Name, *r.Version)
		default:
			e, err = presentState(c, r.Name)
		}
		if err != nil {
			return StateEntry{}, err
		}
		noteState(c, state.Listing{Entries: []state.Entry{e}})
		if e.Says.Deleted {
			c.warn("%s", rules.NoState(r.Name, &e.Says).Message)
		}
		return stateEntry(e), nil
	})
}

func checkGet(r GetStateRequest) error {
	if err := checkStateName("name", r.Name); err != nil {
		return err
	}
	if err := checkStateVersion("version", r.Version, 1); err != nil {
		return err
	}
	if err := checkStateVersion("after", r.After, 0); err != nil {
		return err
	}
	switch {
	case r.Version != nil && r.After != nil:
		return fault.Input("`version` and `after` exclude each other").WithHint("to wait for another version give `after`")
	case r.WaitSeconds != nil && r.After == nil:
		return fault.Input("without `after` there is nothing to wait for, and `wait_seconds` has no effect").
			WithHint("give the version that you have read with `after`")
	}
	return nil
}

// presentState returns the present version of an entry.
func presentState(c *call, name string) (state.Entry, error) {
	e, found, err := state.Get(c.ctx, c.dir, name)
	switch {
	case err != nil:
		return e, err
	case !found:
		return e, rules.NoState(name, nil)
	case e.Says.Deleted:
		return e, rules.NoState(name, &e.Says)
	}
	return e, nil
}

// stateVersion returns any version that is kept.
func stateVersion(c *call, name string, version int64) (state.Entry, error) {
	for range 2 { // the version may become a past one between the two reads
		present, found, err := state.Get(c.ctx, c.dir, name)
		switch {
		case err != nil:
			return state.Entry{}, err
		case !found:
			return state.Entry{}, rules.NoState(name, nil)
		case present.Says.Version == version:
			return present, nil
		case present.Says.Version < version:
			return state.Entry{}, fault.New(fault.StateNotFound, "%q has no version %d yet: it is at version %d", name, version,
				present.Says.Version).WithHint("to wait for the next one give `after`")
		}
		if past, found, err := state.GetPast(c.ctx, c.dir, name, version); found || err != nil {
			return past, err
		}
	}
	return state.Entry{}, fault.New(fault.StateNotFound, "version %d of %q is no longer kept", version, name).
		WithHint("`state_list history` lists those that are")
}

// laterState waits for a version above the one that the caller has read.
func laterState(c *call, r GetStateRequest) (state.Entry, error) {
	limit := defaultWait
	if r.WaitSeconds != nil {
		var err error
		if limit, err = parseSeconds("wait_seconds", *r.WaitSeconds); err != nil {
			return state.Entry{}, err
		}
	}
	e, found, err := state.Get(c.ctx, c.dir, r.Name)
	switch {
	case err != nil:
		return e, err
	case !found && *r.After > 0:
		return e, rules.NoState(r.Name, nil)
	case found && *r.After > e.Says.Version:
		return e, fault.Input("`after` %d is in the future: %q is at version %d", *r.After, r.Name, e.Says.Version).
			WithHint("give the version that you have read")
	}
	return waitForState(c, r, limit)
}

func waitForState(c *call, r GetStateRequest, limit time.Duration) (e state.Entry, err error) {
	w := beginWait(c, limit)
	w.watched, w.file = state.Dir(c.dir, r.Name), state.File(r.Name)
	defer func() {
		if err := w.stop(); err != nil {
			c.warn("%v", err)
		}
	}()
	for over := false; ; {
		if err := c.dir.Refresh(); err != nil {
			return e, err
		}
		e, found, err := state.Get(w.asked, c.dir, r.Name)
		if err != nil || found && e.Says.Version > *r.After {
			return e, err
		}
		if over {
			return e, stillState(w, r.Name, e.Says)
		}
		w.report(func() string { return fmt.Sprintf("%q is still at version %d", r.Name, e.Says.Version) })
		if !w.next() {
			if err := w.asked.Err(); err != nil {
				return e, err
			}
			over = true // read once more, to include the last write
		}
	}
}

// stillState returns the error for a wait that saw no new version.
func stillState(w *wait, name string, s lockfile.State) error {
	ended := "timed out"
	why := w.why()
	if !errors.Is(why, errDeadline) {
		ended = fmt.Sprintf("stopped waiting (%v)", why)
	}
	is := fmt.Sprintf("is still at version %d", s.Version)
	if s.Version == 0 {
		is = "is still missing"
	}
	e := fault.New(fault.Timeout, "%s after %s: %q %s", ended, secondsText(w.waited()), name, is).
		WithHint(fmt.Sprintf("wait again with `after` %d", s.Version)).
		WithDetail(StateStill{fault.Timeout, name, s.Version})
	e.Err = why
	return e
}
