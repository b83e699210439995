package store

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A DriftRequest asks what changed outside a claim.
type DriftRequest struct {
	Target
	LockID  *string  `json:"lock_id"`  // nil means the active locks of this worktree that are not known to be others'
	Scope   []string `json:"-"`        // only those that overlap this; nil means all
	AgentID *string  `json:"agent_id"` // the caller, to distinguish its own locks from others'
	Limit   *int     `json:"limit"`    // maximum number of lines in a list; nil means 100
}

// Values of LockDrift.Outcome.
const (
	Covered        = "covered"
	Drifted        = "drifted"
	NothingChanged = "nothing_changed"
)

// A LockDrift lists the files that changed outside a lock's scope. If a list
// would exceed the limit, lines such as "gen/ (3000 files)" stand for the files
// in a directory (SummedDirectory), and the files are counted.
type LockDrift struct {
	LockID       string   `json:"lock_id"`
	Outcome      string   `json:"outcome"`
	Outside      []string `json:"outside"`      // changed and not certainly covered
	HeldByOthers []Held   `json:"heldByOthers"` // those covered by another agent's active lock
	Changed      []string `json:"changed"`
	NotYours     bool     `json:"-"` // the caller should not widen it

	OutsideFiles int `json:"outsideFiles,omitempty"` // set if directories stand for some of them
	ChangedFiles int `json:"changedFiles,omitempty"`

	// Counts of what a shortened answer omits.
	OutsideLeftOut      int `json:"outsideLeftOut,omitempty"`
	HeldByOthersLeftOut int `json:"heldByOthersLeftOut,omitempty"`
	ChangedLeftOut      int `json:"changedLeftOut,omitempty"`
}

// A Held is a path covered by another agent's lock.
type Held struct {
	Path    string  `json:"path"` // or a directory, see LockDrift
	LockID  string  `json:"lock_id"`
	Title   string  `json:"title"`
	AgentID *string `json:"agent_id"`
	Stale   bool    `json:"stale"`
	Exact   bool    `json:"exact"` // it certainly covers the path (overlap.Result)
}

// Drift compares what changed in the caller's worktree, uncommitted or in
// commits since the claim, with a lock's scope. Without a lock id, it does so
// for each active lock that was made in this worktree and is not known to be
// another agent's. In doubt it reports too much rather than too little.
func (s *Store) Drift(ctx context.Context, r DriftRequest) (Answer[[]LockDrift], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]LockDrift, error) {
		if c.repo.Worktree == "" {
			return nil, c.noWorktree("has no worktree, so nothing can have changed in it",
				"ask from a worktree, or name one with `base_dir`")
		}
		who, err := c.caller(r.AgentID, nil)
		if err != nil {
			return nil, err
		}
		limit, err := limitOf(r.Limit, defaultDriftLimit)
		if err != nil {
			return nil, err
		}
		active, err := c.list(disk.ActiveOnly)
		if err != nil {
			return nil, err
		}
		locks, err := driftLocks(c, r, who, active)
		if err != nil {
			return nil, err
		}
		out := []LockDrift{}
		if len(locks) == 0 {
			return out, nil
		}
		if err := unlessTrusted(c, r.Target); err != nil {
			return nil, err
		}
		k := drifting{call: c, who: who, limit: limit, active: c.everybody(active), minutes: c.foreignMinutes(),
			worktrees: c.repo.Nested(), scopes: map[string]overlap.Scope{}}
		if k.uncommitted, err = uncommitted(c); err != nil {
			return nil, err
		}
		for _, e := range locks {
			d, err := k.drift(e)
			if err != nil {
				return nil, err
			}
			out = append(out, d)
		}
		if slices.ContainsFunc(out, func(d LockDrift) bool { return d.ChangedFiles > 0 }) {
			c.warn("more than %d files changed: directories are listed instead of their files; a larger `limit` lists more",
				limit)
		}
		return out, nil
	})
}

// driftLocks returns the locks that a request is about. Without a lock id,
// these are the locks of this worktree, except those that are known to be
// others' or cover no files.
func driftLocks(c *call, r DriftRequest, who rules.Caller, active []disk.Entry) ([]disk.Entry, error) {
	if r.LockID != nil {
		e, err := findLock(c, Ref{LockID: *r.LockID})
		if err != nil {
			return nil, err
		}
		if !storedScope(c, e).NamesFiles() {
			return nil, fault.Input("lock %q covers no files, so nothing can have changed outside it", e.Lock.ID).
				WithHint("name a lock whose scope has paths, or omit the id")
		}
		if !c.stands().SameWorktree(&e.Lock) {
			c.warn("lock %q was made from %q; the comparison is with what changed in %q",
				e.Lock.ID, e.Lock.Worktree, c.repo.Worktree)
		}
		return []disk.Entry{e}, nil
	}
	var asked overlap.Scope
	if len(r.Scope) > 0 {
		var err error
		if asked, err = c.paths.Parse(r.Scope); err != nil {
			return nil, err
		}
	}
	var made []disk.Entry
	here := c.stands()
	for _, e := range active {
		if asked != nil && len(asked.Overlaps(storedScope(c, e))) == 0 {
			continue
		}
		if !e.Done() && here.SameWorktree(&e.Lock) && !who.IsStranger(&e.Lock) && storedScope(c, e).NamesFiles() {
			made = append(made, e)
		}
	}
	return made, nil
}

// A drifting is the state of one call to Drift.
type drifting struct {
	call        *call
	who         rules.Caller
	limit       int // number of lines
	active      []disk.Entry
	minutes     float64
	uncommitted []string
	worktrees   []string                 // worktrees nested in this one, which are not changes
	scopes      map[string]overlap.Scope // cached by lock id, because reading them consumes the budget
}

func (k *drifting) drift(e disk.Entry) (LockDrift, error) {
	d := LockDrift{LockID: e.Lock.ID, Outcome: NothingChanged, Outside: []string{}, HeldByOthers: []Held{},
		NotYours: !k.who.MayHold(&e.Lock)}
	changed, err := k.changed(&e.Lock)
	if err != nil {
		return d, err
	}
	d.Changed, d.ChangedFiles = k.lines(changed)
	if len(changed) == 0 {
		return d, nil
	}
	outside, held := k.outsideOf(e, changed)
	if d.Outcome = Covered; len(outside) > 0 {
		d.Outcome, d.HeldByOthers = Drifted, held
		d.Outside, d.OutsideFiles = k.lines(outside)
	}
	return d, nil
}

// lines lists paths up to the limit. If directories stand for some of them, it
// also returns the number of files.
func (k *drifting) lines(paths []string) (lines []string, files int) {
	recorded := recordedPaths(paths)
	if len(recorded) > k.limit {
		files = len(recorded)
	}
	return summed(recorded, k.limit), files
}

// outsideOf returns the paths that are certainly covered neither by the lock
// nor by another lock of its holder, and the other agents' locks that may cover
// them. A path that the holder's own locks only may cover counts as drift.
func (k *drifting) outsideOf(e disk.Entry, paths []string) ([]string, []Held) {
	holder := k.who
	if holder.Agent == nil {
		holder.Agent = e.Lock.AgentID
	}
	own := []overlap.Scope{k.scope(e)}
	var others []disk.Entry
	for _, o := range k.active {
		switch {
		case o.Done() || o.Lock.ID == e.Lock.ID:
		case holder.Owns(&o.Lock):
			own = append(own, k.scope(o))
		default:
			others = append(others, o)
		}
	}
	outside := rules.Uncovered(paths, own)
	return outside, k.heldOf(outside, others)
}

// heldOf returns the locks that cover some of the paths. If there are too many
// lines, each lock gets a share of them.
func (k *drifting) heldOf(paths []string, locks []disk.Entry) []Held {
	type group struct {
		held  Held
		paths []string
	}
	var groups []group
	total := 0
	for _, o := range locks {
		scope := k.scope(o)
		covered := map[bool][]string{} // by whether it is certain
		for _, path := range paths {
			if covers, exactly := rules.Covering(scope, path); covers {
				covered[exactly] = append(covered[exactly], path)
			}
		}
		for _, exactly := range []bool{true, false} {
			if len(covered[exactly]) == 0 {
				continue
			}
			total += len(covered[exactly])
			groups = append(groups, group{paths: recordedPaths(covered[exactly]),
				held: Held{LockID: o.Lock.ID, Title: o.Lock.Title, AgentID: shownAgent(o.Lock.AgentID),
					Stale: rules.Stale(&o.Lock, k.call.store.Now(), k.minutes), Exact: exactly}})
		}
	}
	share := k.limit
	if total > k.limit {
		share = max(k.limit/len(groups), 1)
	}
	held := []Held{}
	for _, g := range groups {
		for _, g.held.Path = range summed(g.paths, share) {
			held = append(held, g.held)
		}
	}
	slices.SortStableFunc(held, func(a, b Held) int { return strings.Compare(a.Path, b.Path) })
	return held
}

// scope returns an entry's scope, using the cache.
func (k *drifting) scope(e disk.Entry) overlap.Scope {
	scope, ok := k.scopes[e.Lock.ID]
	if !ok {
		scope = storedScope(k.call, e)
		k.scopes[e.Lock.ID] = scope
	}
	return scope
}

// changed returns what changed in this worktree since the claim, sorted.
func (k *drifting) changed(l *lockfile.Lock) ([]string, error) {
	committed, err := committed(k.call, l)
	if err != nil {
		return nil, err
	}
	changed := sorted(slices.Concat(k.uncommitted, committed))
	return slices.DeleteFunc(changed, func(name string) bool { return slices.Contains(k.worktrees, name) }), nil
}

// recordedPaths converts git's names to those in lock files.
func recordedPaths(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = lockfile.Recordable(p)
	}
	return sorted(out)
}

// sorted sorts paths and removes duplicates.
func sorted(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}
