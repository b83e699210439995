package rules

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

func TestStateChanges(t *testing.T) {
	t.Parallel()
	at := func(s string) lockfile.Stamp {
		stamp, err := lockfile.ParseStamp(s)
		if err != nil {
			t.Fatal(err)
		}
		return stamp
	}
	before, now := at("2026-07-17T18-45-12"), at("2026-07-17T19-00-00")
	me, other := "me", "other"
	is := func(value string) *lockfile.State {
		return &lockfile.State{Name: "x", Version: 3, Created: before, Updated: before, AgentID: &other, Scope: []string{"a"}, Value: value}
	}
	gone := is("")
	gone.Deleted, gone.Scope = true, nil
	last := is("1")
	last.Version = lockfile.MaxVersion
	v := func(n int64) *int64 { return &n }
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		change  StateChange
		present *lockfile.State
		code    fault.Code // "" if it is written
		says    string     // the value, or part of the message
		sum     *int64
	}{
		"set a new one":                     {StateChange{Mode: StateSet, Text: text("")}, nil, "", "", nil},
		"set what is there, unseen":         {StateChange{Mode: StateSet, Text: text("a")}, is("old"), fault.VersionConflict, `at version 3, by "other"`, nil},
		"set what was deleted, unseen":      {StateChange{Mode: StateSet, Text: text("a")}, gone, fault.VersionConflict, "deleted as version 3", nil},
		"set as read":                       {StateChange{Mode: StateSet, Text: text("a"), IfVersion: v(3)}, is("old"), "", "a", nil},
		"set as read before":                {StateChange{Mode: StateSet, Text: text("a"), IfVersion: v(2)}, is("old"), fault.VersionConflict, "not 2", nil},
		"set as read in the future":         {StateChange{Mode: StateSet, Text: text("a"), IfVersion: v(9)}, is("old"), fault.VersionConflict, "not 9", nil},
		"set what was read and is nowhere":  {StateChange{Mode: StateSet, Text: text("a"), IfVersion: v(9)}, nil, fault.VersionConflict, "does not exist, not 9", nil},
		"set what is to be new":             {StateChange{Mode: StateSet, Text: text("a"), IfVersion: v(0)}, nil, "", "a", nil},
		"set what is to be new and is not":  {StateChange{Mode: StateSet, Text: text("a"), IfVersion: v(0)}, is("old"), fault.VersionConflict, "expected to be new", nil},
		"create again as new":               {StateChange{Mode: StateSet, Text: text("a"), IfVersion: v(0)}, gone, "", "a", nil},
		"create again by version":           {StateChange{Mode: StateSet, Text: text("a"), IfVersion: v(3)}, gone, "", "a", nil},
		"create again by an older version":  {StateChange{Mode: StateSet, Text: text("a"), IfVersion: v(2)}, gone, fault.VersionConflict, "deleted", nil},
		"force":                             {StateChange{Mode: StateSet, Text: text("a"), Force: true}, is("old"), "", "a", nil},
		"force what was deleted":            {StateChange{Mode: StateSet, Text: text("a"), Force: true}, gone, "", "a", nil},
		"a scope alone":                     {StateChange{Mode: StateSet, Scope: []string{"b"}, IfVersion: v(3)}, is("old"), "", "old", nil},
		"a scope of nothing":                {StateChange{Mode: StateSet, Scope: []string{"b"}}, nil, fault.BadInput, "does not exist", nil},
		"the last version":                  {StateChange{Mode: StateSet, Text: text("a"), Force: true}, last, fault.BadInput, "the last", nil},
		"delete as read":                    {StateChange{Mode: StateDelete, IfVersion: v(3)}, is("old"), "", "", nil},
		"delete unseen":                     {StateChange{Mode: StateDelete}, is("old"), fault.VersionConflict, "no version was given", nil},
		"delete as new":                     {StateChange{Mode: StateDelete, IfVersion: v(0)}, is("old"), fault.VersionConflict, "", nil},
		"delete by force":                   {StateChange{Mode: StateDelete, Force: true}, is("old"), "", "", nil},
		"delete nothing":                    {StateChange{Mode: StateDelete, Force: true}, nil, fault.StateNotFound, "no entry", nil},
		"delete twice":                      {StateChange{Mode: StateDelete, IfVersion: v(3)}, gone, fault.StateNotFound, "was deleted", nil},
		"append to nothing":                 {StateChange{Mode: StateAppend, Text: text("a\n")}, nil, "", "(me, 2026-07-17T19-00-00) a", nil},
		"append to what was deleted":        {StateChange{Mode: StateAppend, Text: text("a")}, gone, "", "(me, 2026-07-17T19-00-00) a", nil},
		"append":                            {StateChange{Mode: StateAppend, Text: text("a\nb")}, is("old"), "", "old\n\n(me, 2026-07-17T19-00-00) a\nb", nil},
		"append to a line":                  {StateChange{Mode: StateAppend, Text: text("a")}, is("old\n"), "", "old\n\n(me, 2026-07-17T19-00-00) a", nil},
		"append to a paragraph":             {StateChange{Mode: StateAppend, Text: text("a")}, is("old\n\n"), "", "old\n\n(me, 2026-07-17T19-00-00) a", nil},
		"append to CRLF":                    {StateChange{Mode: StateAppend, Text: text("a")}, is("o\r\nld"), "", "o\r\nld\r\n\r\n(me, 2026-07-17T19-00-00) a", nil},
		"append nothing":                    {StateChange{Mode: StateAppend, Text: text(" \n")}, is("old"), fault.BadInput, "empty", nil},
		"append to JSON":                    {StateChange{Mode: StateAppend, Text: text("a")}, is(" {\"x\": [1]}\n"), fault.BadInput, "holds JSON", nil},
		"append to a JSON string":           {StateChange{Mode: StateAppend, Text: text("a")}, is(`"x"`), fault.BadInput, "holds JSON", nil},
		"append to a number":                {StateChange{Mode: StateAppend, Text: text("a")}, is("-7\n"), fault.BadInput, "holds a number", nil},
		"append to another number":          {StateChange{Mode: StateAppend, Text: text("a")}, is("+.5e3"), fault.BadInput, "holds a number", nil},
		"append to a date":                  {StateChange{Mode: StateAppend, Text: text("a")}, is("2026-07-17"), "", "2026-07-17\n\n(me, 2026-07-17T19-00-00) a", nil},
		"append as read before":             {StateChange{Mode: StateAppend, Text: text("a"), IfVersion: v(2)}, is("old"), fault.VersionConflict, "not 2", nil},
		"add to nothing":                    {StateChange{Mode: StateAdd, Text: text("-5")}, nil, "", "-5", v(-5)},
		"add to what was deleted":           {StateChange{Mode: StateAdd, Text: text("1")}, gone, "", "1", v(1)},
		"add":                               {StateChange{Mode: StateAdd, Text: text("2")}, is("40\n"), "", "42", v(42)},
		"add nothing":                       {StateChange{Mode: StateAdd, Text: text("0")}, is("-0"), "", "0", v(0)},
		"add to a text":                     {StateChange{Mode: StateAdd, Text: text("1")}, is("old"), fault.BadInput, `"x" holds a text that is not a whole number`, nil},
		"add to an empty text":              {StateChange{Mode: StateAdd, Text: text("1")}, is(""), fault.BadInput, "not a whole number", nil},
		"add to a fraction":                 {StateChange{Mode: StateAdd, Text: text("1")}, is("1.5"), fault.BadInput, "not a whole number", nil},
		"add a text":                        {StateChange{Mode: StateAdd, Text: text("one")}, is("1"), fault.BadInput, `"one" is not a whole number`, nil},
		"add an expression":                 {StateChange{Mode: StateAdd, Text: text("1-2")}, is("1"), fault.BadInput, "not a whole number", nil},
		"add with underscores":              {StateChange{Mode: StateAdd, Text: text("1_000")}, is("1"), fault.BadInput, "not a whole number", nil},
		"add too much":                      {StateChange{Mode: StateAdd, Text: text("9007199254740992")}, is("1"), fault.BadInput, "2^53-1", nil},
		"add far too much":                  {StateChange{Mode: StateAdd, Text: text("99999999999999999999")}, is("1"), fault.BadInput, "2^53-1", nil},
		"add up to too much":                {StateChange{Mode: StateAdd, Text: text("9007199254740991")}, is("1"), fault.BadInput, "beyond 2^53-1", nil},
		"add down to too much":              {StateChange{Mode: StateAdd, Text: text("-9007199254740991")}, is("-1"), fault.BadInput, "beyond 2^53-1", nil},
		"add up to the most":                {StateChange{Mode: StateAdd, Text: text("9007199254740990")}, is("1"), "", "9007199254740991", v(lockfile.MaxVersion)},
		"spend more than there is":          {StateChange{Mode: StateAdd, Text: text("-8000"), Min: v(0)}, is("2000"), fault.Conflict, "2000, and adding -8000 makes -6000, below", nil},
		"spend all that there is":           {StateChange{Mode: StateAdd, Text: text("-2000"), Min: v(0)}, is("2000"), "", "0", v(0)},
		"add over the brim":                 {StateChange{Mode: StateAdd, Text: text("1"), Max: v(5)}, is("5"), fault.Conflict, "above `max` 5", nil},
		"add as read":                       {StateChange{Mode: StateAdd, Text: text("1"), IfVersion: v(3)}, is("5"), "", "6", v(6)},
		"add again what was added":          {StateChange{Mode: StateAdd, Text: text("1"), IfVersion: v(2)}, is("5"), fault.VersionConflict, "not 2", nil},
		"add to a later version":            {StateChange{Mode: StateAdd, Text: text("1"), IfVersion: v(1)}, is("5"), fault.VersionConflict, "not added", nil},
		"append as read, to nothing":        {StateChange{Mode: StateAppend, Text: text("a"), IfVersion: v(1)}, nil, fault.VersionConflict, "does not exist, not 1", nil},
		"add to what was to be new":         {StateChange{Mode: StateAdd, Text: text("1"), IfVersion: v(0)}, is("5"), fault.VersionConflict, "new", nil},
		"add a number with blanks around":   {StateChange{Mode: StateAdd, Text: text(" +1\n")}, is("5"), "", "6", v(6)},
		"a text that was written by others": {StateChange{Mode: StateAdd, Text: text("1")}, is("99999999999999999999"), fault.BadInput, "2^53-1", nil},
	} {
		c.change.Agent, c.change.Now = &me, now
		next, sum, err := c.change.Apply("x", c.present)
		if c.code != "" {
			var e *fault.Error
			if !errors.Is(err, c.code) || !errors.As(err, &e) || !strings.Contains(e.Message, c.says) || e.Hint == "" {
				t.Errorf("%s: %v, want %s with %q and a way out", name, err, c.code, c.says)
			}
			continue
		}
		version, created := int64(1), now
		if c.present != nil {
			version = 4
			if !c.present.Deleted {
				created = before
			}
		}
		if err != nil || next.Value != c.says || next.Version != version || next.Created != created || next.Updated != now || *next.AgentID != me ||
			next.Deleted != (c.change.Mode == StateDelete) || (sum == nil) != (c.sum == nil) || sum != nil && *sum != *c.sum {
			t.Errorf("%s: %+v, %v, %v", name, next, sum, err)
		}
	}
}

// An addition repeated after a lost answer has been made already.
func TestAddingTwiceIsNotTheWayOut(t *testing.T) {
	t.Parallel()
	present := &lockfile.State{Name: "x", Version: 4, Value: "5"}
	for _, mode := range []string{StateAdd, StateAppend} {
		for before, want := range map[int64]string{
			0: "if one of the versions 1 to 4 is yours, it is added already; else add it with `if_version` 4",
			3: "if version 4 is yours, it is added already; else add it with `if_version` 4",
			5: "add it with `if_version` 4",
		} {
			one := "1"
			_, _, err := StateChange{Mode: mode, Text: &one, IfVersion: &before}.Apply("x", present)
			var e *fault.Error
			if !errors.As(err, &e) || e.Hint != want || !strings.HasPrefix(e.Message, "not added: ") {
				t.Errorf("%s, version %d: %v", mode, before, err)
			}
		}
	}
}
