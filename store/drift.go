package store

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Drift compares what changed in the caller's worktree (uncommitted, and in
// commits since the claim) with a lock's scope; without a lock id, with the
// scope of each active lock that was made from this worktree and is not known to
// be somebody else's. Where it cannot know, it reports too much and never too
// little.
func (s *Store) Drift(ctx context.Context, r DriftRequest) (Answer[[]Drift], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Drift, error) {
		if c.repo.Worktree == "" {
			return nil, fault.Input("%q has no worktree, so nothing can have changed in it", c.repo.Dir).WithHint("ask from a worktree, or name one with `base_dir`")
		}
		caller, err := c.agent(r.AgentID)
		if err != nil {
			return nil, err
		}
		active, err := c.list(disk.ActiveOnly)
		if err != nil {
			return nil, err
		}
		locks, err := c.driftLocks(r, caller, active)
		if err != nil {
			return nil, err
		}
		out := []Drift{}
		if len(locks) == 0 {
			return out, nil
		}
		if err := c.unlessTrusted(r.Target); err != nil {
			return nil, err
		}
		k := drifting{call: c, caller: caller, active: active, scopes: map[string]overlap.Scope{}}
		if k.uncommitted, err = c.uncommitted(); err != nil {
			return nil, err
		}
		for _, e := range locks {
			d, err := k.drift(e)
			if err != nil {
				return nil, err
			}
			out = append(out, d)
		}
		return out, nil
	})
}

// driftLocks are the locks that a request is about: those of this worktree but
// for the ones that are known to be somebody else's.
func (c *call) driftLocks(r DriftRequest, caller *string, active []disk.Entry) ([]disk.Entry, error) {
	if r.LockID != nil {
		e, err := c.find(Ref{LockID: *r.LockID, Short: r.Short}, disk.ActiveOnly)
		if err != nil {
			return nil, err
		}
		if !c.sameWorktree(&e.Lock) {
			c.warn("lock %q was made from %q; what is compared is what changed in %q", e.Lock.ID, e.Lock.Worktree, c.repo.Worktree)
		}
		return []disk.Entry{e}, nil
	}
	var here []disk.Entry
	for _, e := range active {
		if !e.Done() && c.sameWorktree(&e.Lock) && standingOf(caller, &e.Lock) != stranger {
			here = append(here, e)
		}
	}
	return here, nil
}

// A drifting is what one call to Drift knows of all the locks that it is about.
type drifting struct {
	call        *call
	caller      *string // who asks, if anybody said so
	active      []disk.Entry
	uncommitted []string
	scopes      map[string]overlap.Scope // by lock id: reading them takes off the budget
}

func (k *drifting) drift(e disk.Entry) (Drift, error) {
	d := Drift{LockID: e.Lock.ID, Outcome: NothingChanged, Outside: []string{}, HeldByOthers: []Held{}}
	changed, err := k.changed(&e.Lock)
	if err != nil {
		return d, err
	}
	d.Changed = told(changed)
	if len(changed) == 0 {
		return d, nil
	}
	outside, held := k.outside(e, changed)
	if d.Outcome = Covered; len(outside) > 0 {
		d.Outcome, d.Outside, d.HeldByOthers = Drifted, told(outside), held
	}
	return d, nil
}

// outside are the paths that neither the lock nor another one of the same
// holder covers beyond doubt, and the locks of others that may do so.
func (k *drifting) outside(e disk.Entry, paths []string) ([]string, []Held) {
	holder := k.caller
	if holder == nil {
		holder = e.Lock.AgentID
	}
	outside, held := slices.Clone(paths), []Held{}
	cover := func(e disk.Entry) { // what a lock of one's own covers is no drift; what it may cover is
		scope := k.scope(e)
		outside = slices.DeleteFunc(outside, func(path string) bool { _, exactly := covering(scope, path, recordable(path)); return exactly })
	}
	cover(e)
	var others []disk.Entry
	for _, o := range k.active {
		switch {
		case o.Done() || o.Lock.ID == e.Lock.ID:
		case k.call.mine(holder, &o.Lock):
			cover(o)
		default:
			others = append(others, o)
		}
	}
	minutes := k.call.configuredMinutes()
	for _, o := range others {
		scope, stale := k.scope(o), k.call.stale(o, minutes)
		for _, path := range outside {
			if covers, exactly := covering(scope, path, recordable(path)); covers {
				held = append(held, Held{Path: recordable(path), LockID: o.Lock.ID, Title: o.Lock.Title, AgentID: o.Lock.AgentID, Stale: stale, Exact: exactly})
			}
		}
	}
	slices.SortStableFunc(held, func(a, b Held) int { return strings.Compare(a.Path, b.Path) })
	return outside, held
}

// scope is an entry's scope, read once.
func (k *drifting) scope(e disk.Entry) overlap.Scope {
	scope, ok := k.scopes[e.Lock.ID]
	if !ok {
		scope = k.call.storedScope(e)
		k.scopes[e.Lock.ID] = scope
	}
	return scope
}

// changed lists what changed in this worktree since a claim, in order.
func (k *drifting) changed(l *lockfile.Lock) ([]string, error) {
	committed, err := k.call.committed(l)
	if err != nil {
		return nil, err
	}
	return sorted(slices.Concat(k.uncommitted, committed)), nil
}

// told are paths, which come as git names them, as locks name them.
func told(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = recordable(p)
	}
	return sorted(out)
}

// sorted are paths in order, each once.
func sorted(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}
