package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Modes of writing an entry of the shared state.
const (
	StateSet    = "set"
	StateAppend = "append"
	StateAdd    = "add"
	StateDelete = "delete"
)

// A StateChange is a requested change of an entry.
type StateChange struct {
	Mode      string
	Text      *string  // nil keeps the value
	IfVersion *int64   // the version that the writer has read; 0 if there must be none
	Force     bool     // replace any version
	Min, Max  *int64   // bounds of the sum
	Scope     []string // nil keeps the scope
	Agent     *string
	Now       lockfile.Stamp
}

// Apply returns the entry after a change, and its value if that is a sum.
// present is nil if the entry never existed. Errors: VersionConflict if the
// writer has not read the present version, Conflict if a sum would be out of
// bounds, StateNotFound, BadInput.
func (ch StateChange) Apply(name string, present *lockfile.State) (next lockfile.State, sum *int64, err error) {
	live := present != nil && !present.Deleted
	if err := ch.refusal(name, present, live); err != nil {
		return next, nil, err
	}
	next = lockfile.State{Name: name, Version: 1, Created: ch.Now, Updated: ch.Now, AgentID: ch.Agent}
	if present != nil {
		next.Version = present.Version + 1
	}
	if live {
		next.Created, next.Scope, next.Value = present.Created, present.Scope, present.Value
	}
	if ch.Scope != nil {
		next.Scope = ch.Scope
	}
	switch ch.Mode {
	case StateSet:
		if ch.Text != nil {
			next.Value = *ch.Text
		}
	case StateAppend:
		next.Value, err = ch.appended(name, next.Value)
	case StateAdd:
		next.Value, sum, err = ch.added(name, next.Value, live)
	case StateDelete:
		next.Deleted, next.Scope, next.Value = true, nil, ""
	}
	return next, sum, err
}

// refusal returns the error for a change that is refused whatever its value is.
func (ch StateChange) refusal(name string, present *lockfile.State, live bool) error {
	if ch.Mode == StateDelete && !live {
		return NoState(name, present)
	}
	if !ch.Force && !ch.mayReplace(present, live) {
		return ch.conflict(name, present, live)
	}
	if ch.Mode == StateSet && ch.Text == nil && !live {
		return fault.Input("%q does not exist, so `text` is needed", name).WithHint("give its text")
	}
	if present != nil && present.Version >= lockfile.MaxVersion {
		return fault.Input("%q is at version %d, the last one possible", name, present.Version).
			WithHint("use another name")
	}
	return nil
}

// mayReplace reports whether the writer has read the present version.
func (ch StateChange) mayReplace(present *lockfile.State, live bool) bool {
	switch {
	case ch.IfVersion == nil && (ch.Mode == StateAppend || ch.Mode == StateAdd):
		return true
	case ch.IfVersion == nil:
		return present == nil
	case *ch.IfVersion == 0:
		return !live
	}
	return present != nil && present.Version == *ch.IfVersion
}

func (ch StateChange) conflict(name string, present *lockfile.State, live bool) error {
	is, version := "does not exist", int64(0)
	if present != nil {
		version = present.Version
		is = fmt.Sprintf("is at version %d, by %s since %s", version, Named(present.AgentID), present.Updated)
		if !live {
			is = fmt.Sprintf("was deleted as version %d, by %s at %s", version, Named(present.AgentID), present.Updated)
		}
	}
	asked := "no version was given"
	if ch.IfVersion != nil {
		asked = fmt.Sprintf("not %d", *ch.IfVersion)
		if *ch.IfVersion == 0 {
			asked = "but was expected to be new"
		}
	}
	what := "written"
	hint := fmt.Sprintf("read its text, merge your change, and write it again with `if_version` %d", version)
	switch {
	case !live:
		hint = "to create it, write it again with `if_version` 0"
	case ch.Mode == StateAdd, ch.Mode == StateAppend:
		what, hint = "added", ch.onceMore(version)
	case ch.Mode == StateDelete:
		what = "deleted"
		hint = fmt.Sprintf("read its text; to delete it anyway, delete it with `if_version` %d", version)
	}
	return fault.New(fault.VersionConflict, "not %s: %q %s, %s", what, name, is, asked).WithHint(hint)
}

// onceMore returns the hint for an addition to another version. It may be a
// retry after a lost answer, which must not be applied twice.
func (ch StateChange) onceMore(version int64) string {
	again := fmt.Sprintf("with `if_version` %d", version)
	switch before := *ch.IfVersion; {
	case before > version:
		return "add it " + again
	case before == version-1:
		return fmt.Sprintf("if version %d is yours, it is added already; else add it %s", version, again)
	default:
		return fmt.Sprintf("if one of the versions %d to %d is yours, it is added already; else add it %s",
			before+1, version, again)
	}
}

// NoState returns the error for a missing entry. gone is the record of its
// deletion, if any.
func NoState(name string, gone *lockfile.State) *fault.Error {
	e := fault.New(fault.StateNotFound, "there is no entry %q in the shared state", name)
	if gone != nil {
		e = fault.New(fault.StateNotFound, "%q was deleted as version %d, by %s at %s", name, gone.Version,
			Named(gone.AgentID), gone.Updated)
	}
	return e.WithHint("`state_list` lists the entries")
}

// number matches values that appending a paragraph would turn into text.
var number = regexp.MustCompile(`^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$`)

// appended returns the value with another paragraph, which names its author.
func (ch StateChange) appended(name, value string) (string, error) {
	if plain := strings.TrimSpace(value); plain != "" && (number.MatchString(plain) || json.Valid([]byte(plain))) {
		what := "JSON"
		if number.MatchString(plain) {
			what = "a number"
		}
		return "", fault.Input("%q holds %s, to which no paragraph can be added", name, what).
			WithHint("write the whole value with `state_set`, or use another name")
	}
	text := strings.TrimRight(*ch.Text, "\r\n")
	if strings.TrimSpace(text) == "" {
		return "", fault.Input("`text` is empty: there is nothing to append").WithHint("give the paragraph to add")
	}
	eol := "\n"
	if strings.Contains(value, "\r\n") {
		eol = "\r\n"
	}
	switch {
	case value == "", strings.HasSuffix(value, eol+eol):
	case strings.HasSuffix(value, eol):
		value += eol
	default:
		value += eol + eol
	}
	author := "somebody"
	if ch.Agent != nil {
		author = *ch.Agent
	}
	return fmt.Sprintf("%s(%s, %s) %s", value, author, ch.Now, text), nil
}

// added returns the sum of a whole-number value and another number.
func (ch StateChange) added(name, value string, live bool) (string, *int64, error) {
	n, err := wholeNumber(*ch.Text)
	if err != nil {
		return "", nil, fault.Input("`text` %s %v", fault.InQuotes(*ch.Text), err).
			WithHint("give the whole number to add, such as 1 or -8000")
	}
	old := int64(0)
	if live {
		if old, err = wholeNumber(value); err != nil {
			return "", nil, fault.Input("%q holds a text that %v, so nothing can be added to it", name, err).
				WithHint("read it with `state_get`; `state_set` writes another value")
		}
	}
	sum := old + n
	if sum > lockfile.MaxVersion || sum < -lockfile.MaxVersion {
		return "", nil, fault.Input("%q is %d: adding %d makes %d, which is beyond 2^53-1", name, old, n, sum).
			WithHint("such a number would not read back everywhere")
	}
	for _, bound := range []struct {
		of      *int64
		outside bool
		word    string
	}{
		{ch.Min, ch.Min != nil && sum < *ch.Min, "below `min`"}, {ch.Max, ch.Max != nil && sum > *ch.Max, "above `max`"},
	} {
		if bound.outside {
			return "", nil, fault.New(fault.Conflict, "not added: %q is %d, and adding %d makes %d, %s %d", name, old, n, sum,
				bound.word, *bound.of).WithHint("nothing was written; add a number that fits, or agree with the others who use it")
		}
	}
	return strconv.FormatInt(sum, 10), &sum, nil
}

// wholeNumber parses a whole number that every JSON reader can represent.
func wholeNumber(s string) (int64, error) {
	plain := strings.TrimSpace(s)
	n, err := strconv.ParseInt(plain, 10, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, errors.New("is not a whole number")
	case err != nil || n > lockfile.MaxVersion || n < -lockfile.MaxVersion:
		return 0, errors.New("is beyond 2^53-1")
	}
	return n, nil
}
