package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/state"
)

// A SetStateRequest writes an entry of the shared state.
type SetStateRequest struct {
	Target
	Name      string   `json:"name"`
	Text      *string  `json:"text"`       // a value, a paragraph or a whole number; nil changes only the scope
	Mode      string   `json:"mode"`       // set (the default), append, add or delete
	IfVersion *int64   `json:"if_version"` // the version that the caller has read; 0 if there must be none
	Force     bool     `json:"force"`      // for set and delete: replace any version
	Min       *int64   `json:"min"`        // bounds of the sum; otherwise Conflict
	Max       *int64   `json:"max"`
	Scope     []string `json:"scope"` // the files that it is about; empty keeps the scope
	AgentID   *string  `json:"agent_id"`
}

// A StateWritten is the answer to a write.
type StateWritten struct {
	Name    string `json:"name"`
	Version int64  `json:"version"`
	Value   *int64 `json:"value,omitempty"` // the sum, in mode add
}

// Modes of a SetStateRequest.
const (
	StateSet    = rules.StateSet
	StateAppend = rules.StateAppend
	StateAdd    = rules.StateAdd
	StateDelete = rules.StateDelete
)

// SetState writes the next version of an entry. Unless forced, it never
// overwrites a version that the caller has not read (VersionConflict).
// Appending and adding never conflict by themselves.
func (s *Store) SetState(ctx context.Context, r SetStateRequest) (Answer[StateWritten], error) {
	return answer(ctx, s, r.Target, func(c *call) (StateWritten, error) {
		ch, err := stateChange(c, r)
		if err != nil {
			return StateWritten{}, err
		}
		return writeState(c, r.Name, ch)
	})
}

// writeState applies a change. A refused change does not create a store.
func writeState(c *call, name string, ch rules.StateChange) (StateWritten, error) {
	if !c.dir.Exists() {
		if _, _, _, err := nextState(c, name, ch); err != nil {
			return StateWritten{}, err
		}
	}
	return change(c, func(tx *disk.Tx) (StateWritten, error) {
		before, next, sum, err := nextState(c, name, ch)
		if err != nil {
			return StateWritten{}, err
		}
		if ch.Mode != StateDelete && (before == nil || before.Says.Deleted) {
			if err := state.Full(c.ctx, c.dir); err != nil {
				return StateWritten{}, err
			}
		}
		e, err := state.Put(tx, before, next)
		return StateWritten{Name: name, Version: e.Says.Version, Value: sum}, err
	})
}

// nextState returns the present version of an entry, and the version after a
// change.
func nextState(c *call, name string, ch rules.StateChange) (
	before *state.Entry, next lockfile.State, sum *int64, err error,
) {
	e, found, err := state.Get(c.ctx, c.dir, name)
	if err != nil {
		return nil, next, nil, err
	}
	var present *lockfile.State
	if found {
		before, present = &e, &e.Says
	}
	ch.Now = c.now()
	next, sum, err = ch.Apply(name, present)
	if refused, ok := errors.AsType[*fault.Error](err); ok &&
		(refused.Code == fault.VersionConflict || refused.Code == fault.Conflict) {
		err = withState(refused, name, before)
	}
	if err == nil {
		err = checkValue(next.Value)
	}
	return before, next, sum, err
}

func checkValue(text string) error {
	if err := lockfile.CheckValue(text); err != nil {
		return fault.Input("`text`: %v", err).WithHint(fmt.Sprintf(
			"a value is text in UTF-8 of at most %d bytes; put longer text into a file in the repository and name the file",
			lockfile.MaxValue))
	}
	return nil
}

// stateChange returns the change that a request asks for.
func stateChange(c *call, r SetStateRequest) (ch rules.StateChange, err error) {
	if r.Mode == "" {
		r.Mode = StateSet
	}
	ch = rules.StateChange{Mode: r.Mode, Text: r.Text, IfVersion: r.IfVersion, Force: r.Force, Min: r.Min, Max: r.Max}
	if err := checkStateName("name", r.Name); err != nil {
		return ch, err
	}
	if err := checkStateChange(r); err != nil {
		return ch, err
	}
	if r.Text != nil {
		if err := checkValue(*r.Text); err != nil {
			return ch, err
		}
	}
	if len(r.Scope) > 0 {
		scope, err := c.paths.Parse(r.Scope)
		if err != nil {
			return ch, err
		}
		ch.Scope = scopeTexts(scope)
	}
	who, err := c.caller(r.AgentID, nil)
	ch.Agent = who.Agent
	return ch, err
}

// checkStateChange returns an error for arguments that exclude each other.
func checkStateChange(r SetStateRequest) error {
	if err := checkStateVersion("if_version", r.IfVersion, 0); err != nil {
		return err
	}
	for _, bound := range []*int64{r.Min, r.Max} {
		if bound != nil && (*bound > lockfile.MaxVersion || *bound < -lockfile.MaxVersion) {
			return fault.Input("`min` and `max` are within 2^53-1, not %d", *bound).WithHint("give a bound that can be reached")
		}
	}
	overwrites := r.Mode == StateSet || r.Mode == StateDelete
	for _, w := range []struct {
		wrong      bool
		what, hint string
	}{
		{!slices.Contains(stateModes(), r.Mode), fmt.Sprintf("`mode` %q is not known", r.Mode),
			"modes are " + strings.Join(stateModes(), ", ")},
		{r.IfVersion != nil && r.Force, "`if_version` and `force` exclude each other",
			"give `if_version`, if you have read it"},
		{r.Force && !overwrites, "`force` has no effect on " + r.Mode + ", which overwrites nothing", "omit it"},
		{(r.Min != nil || r.Max != nil) && r.Mode != StateAdd, "`min` and `max` have no effect on " + r.Mode,
			"they bound a sum"},
		{r.Min != nil && r.Max != nil && *r.Min > *r.Max, "`min` is above `max`", "exchange them"},
		{len(r.Scope) > 0 && r.Mode != StateSet, "`scope` has no effect on " + r.Mode, "give it when you set the entry"},
		{r.Text != nil && r.Mode == StateDelete, "`text` has no effect on " + r.Mode, "omit it"},
		{r.Text == nil && !overwrites, "`text` is missing", "give what to " + r.Mode},
		{r.Text == nil && r.Mode == StateSet && len(r.Scope) == 0, "`text` is missing", "give the value, or a new `scope`"},
	} {
		if w.wrong {
			return fault.Input("%s", w.what).WithHint(w.hint)
		}
	}
	return nil
}

func stateModes() []string { return []string{StateSet, StateAppend, StateAdd, StateDelete} }
