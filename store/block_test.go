package store

import "testing"

func TestWhoBlocksWhom(t *testing.T) {
	t.Parallel()
	name := func(s string) *string { return &s }
	me := party{agent: name("me"), parent: name("mother")}
	for _, c := range []struct {
		what   string
		other  party
		caller party
		want   bool
	}{
		{"somebody else", party{agent: name("you")}, me, true},
		{"oneself", party{agent: name("me")}, me, false},
		{"one's parent", party{agent: name("mother")}, me, false},
		{"one's parent, shared by one only", party{agent: name("mother"), shared: true}, me, false},
		{"a sibling", party{agent: name("sister"), parent: name("mother")}, me, true},
		{"one's own child", party{agent: name("child"), parent: name("me")}, me, true},
		{"one's grandparent", party{agent: name("grandmother")}, me, true},
		{"nobody known", party{}, me, true},
		{"nobody known, and neither is the caller", party{}, party{}, true},
		{"somebody, and the caller is not known", party{agent: name("you")}, party{}, true},
		{"nobody known, with a parent like the caller's", party{parent: name("mother")}, me, true},
		{"an empty id is an id", party{agent: name("")}, party{agent: name("")}, false},
		{"both shared", party{agent: name("you"), shared: true}, party{agent: name("me"), shared: true}, false},
		{"both shared and not known", party{shared: true}, party{shared: true}, false},
		{"shared against exclusive", party{agent: name("you"), shared: true}, me, true},
		{"exclusive against shared", party{agent: name("you")}, party{agent: name("me"), shared: true}, true},
		{"stale or done", party{agent: name("you"), over: true}, me, false},
	} {
		if got := c.other.blocks(c.caller); got != c.want {
			t.Errorf("%s: blocks is %v", c.what, got)
		}
	}
}
