package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A clash is a set of confirmed locks that overlap, because each was hidden in the ref
// while the next one was claimed, and then put back unchanged.
type clash struct {
	t       *testing.T
	bare    string
	members []*member
}

type member struct {
	*world
	lock store.Created
}

// Ways to hide a lock.
const (
	edited  = "edited"
	removed = "removed"
	refLost = "ref lost"
)

// newClash lets a clone of its own claim each scope. The clocks of the later clones are
// ahead of the first one's by the given time.
func newClash(t *testing.T, how string, ahead time.Duration, scopes ...string) *clash {
	t.Helper()
	first, _, bare := newFleet(t)
	c := &clash{t, bare, []*member{{first, first.claimed("x", scopes[0])}}}
	back := map[string]string{}
	for i, scope := range scopes[1:] {
		c.hide(how, c.members[i], back)
		w := join(t, bare, "newcomer")
		w.pass(ahead * time.Duration(i+1))
		c.members = append(c.members, &member{w, w.claimed("x", scope)})
	}
	c.members[len(scopes)-1].forge(bare, back)
	return c
}

// hide hides a lock from the others, and adds what puts it back to back.
func (c *clash) hide(how string, m *member, back map[string]string) {
	c.t.Helper()
	m.apart.Wait()
	path := m.published(m.lock.ID)
	owner, _, _ := strings.Cut(path, "/")
	for _, name := range []string{path, owner + "/.owner"} {
		back[name] = m.git(c.bare, "show", fleetRef+":"+name) + "\n"
	}
	switch how {
	case edited:
		m.forge(c.bare, map[string]string{path: strings.Replace(back[path], "scope:\n  - ", "scope:\n  - hidden/", 1)})
	case removed:
		m.forge(c.bare, map[string]string{path: ""})
	case refLost:
		m.git(c.bare, "update-ref", "-d", fleetRef)
	}
}

// told reports whether the holder of a member's lock is informed that it is lost.
func (c *clash) told(i int) bool {
	c.t.Helper()
	agent := "x"
	check, err := c.members[i].alone().Check(c.t.Context(), store.CheckRequest{Scope: []string{"lib"}, AgentID: &agent})
	if err != nil {
		c.t.Error(err)
	}
	return strings.Contains(strings.Join(check.Warnings, "\n"), "is no longer confirmed")
}

// look syncs the members in the given order, twice, and returns whose locks are
// confirmed. Each other lock must be lost, and its holder informed.
func (c *clash) look(order ...int) (confirmed []int) {
	c.t.Helper()
	for _, i := range append(order, order...) {
		m := c.members[i]
		s := get(c.t)(m.alone().FleetSync(c.t.Context(), store.FleetRequest{}))
		if len(s.Confirmed)+len(s.Lost) != 1 || len(s.Published) != len(s.Confirmed) {
			c.t.Errorf("%d is %+v", i, s)
		}
	}
	tree := c.members[0].git(c.bare, "ls-tree", "-r", "--name-only", fleetRef)
	for i, m := range c.members {
		stands := len(get(c.t)(m.alone().FleetStatus(c.t.Context(), store.FleetRequest{})).Confirmed) == 1
		if stands {
			confirmed = append(confirmed, i)
		}
		if strings.Contains(tree, m.published(m.lock.ID)) != stands {
			c.t.Errorf("%d is confirmed: %v, and the ref has\n%s", i, stands, tree)
		}
		if c.told(i) == stands {
			c.t.Errorf("%d is confirmed: %v, and its holder hears the opposite", i, stands)
		}
	}
	return confirmed
}

// If two confirmed locks overlap, since somebody hid the first one in the ref and put it
// back, the later one is lost, whichever clone looks first. It does not matter whose
// clock made the stamps, since all clones see the same ones.
func TestOfTwoConfirmedTheLaterIsLost(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, how := range []string{edited, removed, refLost} {
		for name, order := range map[string][]int{"the first one looks first": {0, 1}, "the second one": {1, 0}} {
			t.Run(how+", "+name, func(t *testing.T) {
				t.Parallel()
				if got := newClash(t, how, time.Minute, "src", "src/api").look(order...); !slices.Equal(got, []int{0}) {
					t.Errorf("confirmed are %v", got)
				}
			})
		}
	}
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		t.Run("by another clock", func(t *testing.T) {
			t.Parallel()
			if got := newClash(t, edited, -time.Minute, "src", "src/api").look(order...); !slices.Equal(got, []int{1}) {
				t.Errorf("confirmed are %v", got)
			}
		})
		t.Run("in one second", func(t *testing.T) {
			t.Parallel()
			c := newClash(t, edited, 0, "src", "src/api")
			want := 0
			if c.members[1].published("") < c.members[0].published("") {
				want = 1
			}
			if got := c.look(order...); !slices.Equal(got, []int{want}) {
				t.Errorf("confirmed are %v, want %d", got, want)
			}
		})
	}
}

// The holder is also informed if the later lock's clone notices the overlap while it
// claims something else.
func TestLostWhileAnotherIsClaimed(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	c := newClash(t, edited, time.Minute, "src", "src/api")
	second := c.members[1]
	second.claimed("y", "docs")
	second.apart.Wait()
	if !c.told(1) {
		t.Error("its holder hears nothing")
	}
}

// Of three locks that all overlap, the first one stays. Of three in a chain, the middle
// one is lost, and so is the last one if its clone looks before that of the middle one.
func TestOfThreeConfirmed(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, tc := range map[string]struct{ order, chain []int }{
		"the first one looks first":  {[]int{0, 1, 2}, []int{0, 2}},
		"the middle one looks first": {[]int{1, 2, 0}, []int{0, 2}},
		"the last one looks first":   {[]int{2, 1, 0}, []int{0}},
	} {
		t.Run("all overlap, "+name, func(t *testing.T) {
			t.Parallel()
			got := newClash(t, removed, time.Minute, "src", "src/a", "**/a").look(tc.order...)
			if !slices.Equal(got, []int{0}) {
				t.Errorf("confirmed are %v", got)
			}
		})
		t.Run("a chain, "+name, func(t *testing.T) {
			t.Parallel()
			got := newClash(t, edited, time.Minute, "src", "{src,docs}/b", "docs").look(tc.order...)
			if !slices.Equal(got, tc.chain) {
				t.Errorf("confirmed are %v, want %v", got, tc.chain)
			}
		})
	}
}

// A confirmed lock yields only to locks that exclude it, whichever came first: neither to
// a reader as a reader, nor to plain locks.
func TestConfirmedLocksBesideWhatDoesNotExcludeThem(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	claim := func(w *world, change func(*store.CreateRequest)) {
		w.t.Helper()
		request := claimRequest("x", "src")
		change(&request)
		if _, err := w.alone().Create(w.t.Context(), request); err != nil {
			w.t.Fatal(err)
		}
	}
	confirmed := func(*store.CreateRequest) {}
	plain := func(r *store.CreateRequest) { r.IfFree = false }
	shared := func(r *store.CreateRequest) { r.Shared = true }
	for name, tc := range map[string]struct {
		first, second func(*store.CreateRequest)
		confirmed     []int
	}{
		"two readers":                         {shared, shared, []int{1, 1}},
		"a plain lock after that":             {confirmed, plain, []int{1, 0}},
		"a plain lock that is published late": {plain, confirmed, []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, _ := newFleet(t)
			claim(a, tc.first)
			b.pass(time.Minute)
			claim(b, tc.second)
			for range 2 {
				for i, w := range []*world{b, a} {
					s := get(t)(w.alone().FleetSync(t.Context(), store.FleetRequest{}))
					if len(s.Lost) > 0 || len(s.Published) != 1 || len(s.Confirmed) != tc.confirmed[1-i] {
						t.Errorf("it is %+v", s)
					}
				}
			}
		})
	}
}
