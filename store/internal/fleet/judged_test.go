//go:build unix

package fleet

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
)

// unjudged syncs, and returns the other clones' locks that are not marked as judged for
// its judge. The judge runs once, since no clone is faster.
func (c *clone) unjudged() []string {
	c.t.Helper()
	ids := []string{}
	judge := func(ctx context.Context, v *View) (Plan, error) {
		for _, l := range v.Locks {
			if !l.Judged {
				ids = append(ids, l.Lock.ID)
			}
		}
		return c.judge("")(ctx, v)
	}
	c.must(c.Publish(c.t.Context(), Request{Judge: judge, Wait: 2 * time.Minute, Fresh: true, Urgent: true}))
	slices.Sort(ids)
	return ids
}

// A published lock is compared with another clone's locks only if one of the two
// directories has changed since the last time.
func TestWhatIsNotJudgedYet(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const one, two = "2026-01-01T00-00-00-one", "2026-01-01T00-00-00-two"
	bare := newRemote(t)
	f := forger{t, bare}
	a, b, c := newClone(t, bare), newClone(t, bare), newClone(t, bare)
	want := func(when string, ids ...string) {
		t.Helper()
		if got := a.unjudged(); !slices.Equal(got, ids) {
			t.Errorf("%s: unjudged are %q, want %q", when, got, ids)
		}
		if got := a.unjudged(); len(got) > 0 {
			t.Errorf("%s, and again: unjudged are %q", when, got)
		}
	}
	b.must(b.claim(one, "one/**"))
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	want("all was there at the claim")
	c.must(c.claim(two, "two/**"))
	want("another clone", two)
	c.must(c.sync())
	want("nothing new")
	tip, clone := a.look().Tip, b.look().Self.Clone
	root, err := format.ParseTree([]byte(treeOf(t, bare, "")), 20)
	if err != nil {
		t.Fatal(err)
	}
	f.lead(f.tree(root.With(format.ModeDir, clone, "")...), int(tip.Seq)+1, tip.Epoch)
	want("one was removed")
	f.lead(f.tree(root...), int(tip.Seq)+2, tip.Epoch)
	want("and put back", one)
	own := a.look().Self.Clone
	dir, err := format.ParseTree([]byte(treeOf(t, bare, own)), 20)
	if err != nil {
		t.Fatal(err)
	}
	odd := format.Entry{Mode: format.ModeFile, Name: "odd", ID: f.object("blob", []byte("x"))}
	f.lead(f.tree(root.With(format.ModeDir, own, f.tree(append(dir, odd)...))...), int(tip.Seq)+3, tip.Epoch)
	want("its own directory was changed", one, two)
}
