package rules

import (
	"testing"
)

func TestWhoBlocksWhom(t *testing.T) {
	t.Parallel()
	name := func(s string) *string { return &s }
	me := Party{Agent: name("me"), Parent: name("mother")}
	for _, c := range []struct {
		what   string
		other  Party
		caller Party
		want   bool
	}{
		{"somebody else", Party{Agent: name("you")}, me, true},
		{"oneself", Party{Agent: name("me")}, me, false},
		{"one's parent", Party{Agent: name("mother")}, me, false},
		{"one's parent, shared by one only", Party{Agent: name("mother"), Shared: true}, me, false},
		{"a sibling", Party{Agent: name("sister"), Parent: name("mother")}, me, true},
		{"one's own child", Party{Agent: name("child"), Parent: name("me")}, me, true},
		{"one's grandparent", Party{Agent: name("grandmother")}, me, true},
		{"nobody known", Party{}, me, true},
		{"nobody known, and neither is the caller", Party{}, Party{}, true},
		{"somebody, and the caller is not known", Party{Agent: name("you")}, Party{}, true},
		{"nobody known, with a parent like the caller's", Party{Parent: name("mother")}, me, true},
		{"an empty id is an id", Party{Agent: name("")}, Party{Agent: name("")}, false},
		{"both shared", Party{Agent: name("you"), Shared: true}, Party{Agent: name("me"), Shared: true}, false},
		{"both shared and not known", Party{Shared: true}, Party{Shared: true}, false},
		{"shared against exclusive", Party{Agent: name("you"), Shared: true}, me, true},
		{"exclusive against shared", Party{Agent: name("you")}, Party{Agent: name("me"), Shared: true}, true},
		{"stale or done", Party{Agent: name("you"), Over: true}, me, false},
	} {
		if got := c.other.Blocks(c.caller); got != c.want {
			t.Errorf("%s: blocks is %v", c.what, got)
		}
	}
}
