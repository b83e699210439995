package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/state"
)

// Code shared by the operations on the shared state.

// A StateEntry is one version of an entry of the shared state.
type StateEntry struct {
	Name         string   `json:"name"`
	Version      int64    `json:"version"`           // 0 if the entry never existed
	Deleted      bool     `json:"deleted,omitempty"` // this version is a deletion
	AgentID      *string  `json:"agent_id"`          // author of this version
	Created      string   `json:"created,omitempty"`
	Updated      string   `json:"updated,omitempty"` // time of this version
	Scope        []string `json:"scope"`             // the files that it is about
	ScopeLeftOut int      `json:"scopeLeftOut,omitempty"`
	Text         string   `json:"text"`
	TextLeftOut  int      `json:"textLeftOut,omitempty"` // in bytes, in a shortened answer
	FilePath     string   `json:"filePath,omitempty"`
}

// A StateConflict is the Detail of VersionConflict, and of Conflict if a sum
// would be out of bounds: the present entry, so that the caller can merge and
// try again in one step. Nothing was written.
type StateConflict struct {
	Code Code `json:"code"`
	StateEntry
}

func stateEntry(e state.Entry) StateEntry {
	s := &e.Says
	return StateEntry{Name: s.Name, Version: s.Version, Deleted: s.Deleted, AgentID: s.AgentID,
		Created: s.Created.String(), Updated: s.Updated.String(), Scope: orEmpty(s.Scope), Text: s.Value, FilePath: e.Path}
}

func orEmpty(scope []string) []string {
	if scope == nil {
		return []string{}
	}
	return scope
}

// withState adds the present entry to an error about it.
func withState(err *fault.Error, name string, present *state.Entry) *fault.Error {
	is := StateEntry{Name: name, Scope: []string{}}
	if present != nil {
		is = stateEntry(*present)
	}
	return err.WithDetail(StateConflict{err.Code, is})
}

// firstLine returns the beginning of a value, as listings show it.
func firstLine(value string) string {
	return strings.TrimSuffix(rules.FirstLine(value, lastNoteRunes), "\r")
}

// checkStateName returns an error if name cannot be the name of an entry.
func checkStateName(argument, name string) error {
	if err := lockfile.ValidStateName(name); err != nil {
		return fault.Input("`%s`: %v", argument, err).WithHint(fmt.Sprintf("a name is one to three parts of lower-case "+
			"letters, digits, '.', '_' and '-', joined by '/', as in api/limits; %d bytes in all", lockfile.MaxStateName))
	}
	return nil
}

// checkStateVersion returns an error if version cannot be a version of an
// entry. least is the lowest valid version.
func checkStateVersion(argument string, version *int64, least int64) error {
	if version == nil || *version >= least && *version <= lockfile.MaxVersion {
		return nil
	}
	return fault.Input("`%s` %d is not a version: it is a whole number from %d to 2^53-1", argument, *version, least).
		WithHint("`state_get` and `state_list` say which version an entry has")
}

// briefly is how much of a value a listing needs to show its first line, in
// bytes.
const briefly = 4 * (lastNoteRunes + 1)

// listState reads the selected entries, except deleted ones, and warns about
// anything odd.
func listState(c *call, of func(*lockfile.State) bool) ([]state.Entry, error) {
	l, err := state.List(c.ctx, c.dir, state.Wish{Of: of, Text: briefly})
	if err != nil {
		return nil, err
	}
	return liveState(c, l), nil
}

func liveState(c *call, l state.Listing) []state.Entry {
	noteState(c, l)
	return live(l.Entries)
}

// live removes deleted entries.
func live(entries []state.Entry) []state.Entry {
	return slices.DeleteFunc(entries, func(e state.Entry) bool { return e.Says.Deleted })
}

// noteState warns about anything odd in a listing.
func noteState(c *call, l state.Listing) {
	for _, f := range l.Bad {
		c.unreadable++
		c.warn("%q is skipped: %s", f.Path, f.Reason)
	}
	for i := range l.Entries {
		for _, w := range l.Entries[i].Says.Warnings {
			c.warn("entry %q of the shared state: %s", l.Entries[i].Says.Name, w)
		}
	}
}

// within reports whether a name starts with the parts of prefix.
func within(name, prefix string) bool {
	prefix = strings.TrimSuffix(prefix, "/")
	return prefix == "" || name == prefix || strings.HasPrefix(name, prefix+"/")
}

// checkPrefix returns an error if no name can start with prefix.
func checkPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return checkStateName("prefix", strings.TrimSuffix(prefix, "/"))
}

// stateScope returns the scope of an entry for comparisons.
func stateScope(c *call, e state.Entry) overlap.Scope {
	return c.paths.Stored(e.Says.Scope, c.repo.Worktree)
}
