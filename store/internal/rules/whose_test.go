package rules_test

import (
	"testing"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A lock is classified by kinship first, then by what is known about its
// holder.
func TestWhoseALockIs(t *testing.T) {
	t.Parallel()
	id := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	ended := rules.Holder{Recorded: true, Ended: true}
	for name, c := range map[string]struct {
		me, boss, holder, parent string
		elsewhere, within        bool
		known                    rules.Holder
		want                     rules.Whose
	}{
		"a stranger's":                      {me: "me", holder: "x", elsewhere: true, want: rules.WhoseOthers},
		"a stranger's, ended elsewhere":     {me: "me", holder: "x", elsewhere: true, known: ended, want: rules.WhoseOthers},
		"a child's":                         {me: "me", holder: "x", parent: "me", known: ended, want: rules.WhoseChild},
		"a child's that gave no id":         {me: "me", parent: "me", want: rules.WhoseChild},
		"a child's, to a subagent":          {me: "me", within: true, holder: "x", parent: "me", known: rules.Holder{Recorded: true}, want: rules.WhoseKin},
		"of one started with me":            {me: "me", boss: "boss", holder: "x", parent: "boss", want: rules.WhoseKin},
		"of one started with me that ended": {me: "me", boss: "boss", holder: "x", parent: "boss", known: ended, want: rules.WhoseEnded},
		"of one started with me, gone":      {me: "me", boss: "boss", holder: "x", parent: "boss", elsewhere: true, known: rules.Holder{Gone: true}, want: rules.WhoseGone},
		"without an id":                     {me: "me", want: rules.WhoseMaybeYou},
		"to one without an id":              {holder: "x", want: rules.WhoseMaybeYou},
		"without an id, of an ended boss":   {me: "me", parent: "boss", known: ended, want: rules.WhoseMaybeYou},
		"live":                              {me: "me", holder: "x", known: rules.Holder{Recorded: true}, want: rules.WhoseLive},
		"nobody knows":                      {me: "me", holder: "x", want: rules.WhoseUnknown},
		"ended":                             {me: "me", holder: "x", known: ended, want: rules.WhoseEnded},
		"one of two that ended":             {me: "me", holder: "x", known: rules.Holder{Recorded: true, Ended: true, Contested: true}, want: rules.WhoseContested},
		"silent, without an id":             {me: "me", known: rules.Holder{Stale: true}, want: rules.WhoseMaybeYou},
		"a child's, gone, to a subagent":    {me: "me", within: true, holder: "x", parent: "me", elsewhere: true, known: rules.Holder{Gone: true}, want: rules.WhoseGone},
		"silent":                            {me: "me", holder: "x", known: rules.Holder{Recorded: true, Stale: true}, want: rules.WhoseSilent},
	} {
		who := rules.Caller{Agent: id(c.me), Parent: id(c.boss), WorktreeName: "w"}
		if c.within {
			who.Within = &rules.Subagent{ID: "sub"}
		}
		l := &lockfile.Lock{AgentID: id(c.holder), ParentAgentID: id(c.parent), WorktreeName: "w"}
		if c.elsewhere {
			l.WorktreeName = "v"
		}
		if got := who.WhoseIs(l, c.known); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
