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
	LockID  *string  `json:"lock_id"`  // nil: the active locks of this worktree that are not known to be others'
	Scope   []string `json:"-"`        // of those, only what overlaps this; nil: all
	AgentID *string  `json:"agent_id"` // who asks: separates one's own locks from others'
	Limit   *int     `json:"limit"`    // how many lines a list may have; nil: 100
}

// The values of LockDrift.Outcome.
const (
	Covered        = "covered"
	Drifted        = "drifted"
	NothingChanged = "nothing_changed"
)

// A LockDrift says which files changed outside one lock's scope. Where a list
// would have more lines than the limit, "gen/ (3000 files)" stands for what
// lies in a directory (SummedDirectory), and the number of files is counted.
type LockDrift struct {
	LockID       string   `json:"lock_id"`
	Outcome      string   `json:"outcome"`
	Outside      []string `json:"outside"`      // changed, and not covered beyond doubt
	HeldByOthers []Held   `json:"heldByOthers"` // of those, what somebody else's active lock covers
	Changed      []string `json:"changed"`
	NotYours     bool     `json:"-"` // so that it is not for the caller to widen

	OutsideFiles int `json:"outsideFiles,omitempty"` // where directories stand for some of them
	ChangedFiles int `json:"changedFiles,omitempty"`

	// What a short answer omits.
	OutsideLeftOut      int `json:"outsideLeftOut,omitempty"`
	HeldByOthersLeftOut int `json:"heldByOthersLeftOut,omitempty"`
	ChangedLeftOut      int `json:"changedLeftOut,omitempty"`
}

// A Held is a path and somebody's lock on it.
type Held struct {
	Path    string  `json:"path"` // or a directory with many: see LockDrift
	LockID  string  `json:"lock_id"`
	Title   string  `json:"title"`
	AgentID *string `json:"agent_id"`
	Stale   bool    `json:"stale"`
	Exact   bool    `json:"exact"` // that it covers the path is beyond doubt (overlap.Result)
}

// Drift compares what changed in the caller's worktree (uncommitted, and in
// commits since the claim) with a lock's scope; without a lock id, with the
// scope of each active lock that was made from this worktree and is not known to
// be somebody else's. Where it cannot know, it reports too much and never too
// little.
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

// driftLocks are the locks that a request is about: those of this worktree without
// the ones that are known to be somebody else's, or that are on no file.
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

// A drifting is what one call to Drift knows of all the locks that it is about.
type drifting struct {
	call        *call
	who         rules.Caller
	limit       int // lines
	active      []disk.Entry
	minutes     float64
	uncommitted []string
	worktrees   []string                 // other ones inside this one: nobody's change
	scopes      map[string]overlap.Scope // by lock id: reading them takes off the budget
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

// lines lists paths up to the limit, and counts them where directories stand
// for some.
func (k *drifting) lines(paths []string) (lines []string, files int) {
	recorded := recordedPaths(paths)
	if len(recorded) > k.limit {
		files = len(recorded)
	}
	return summed(recorded, k.limit), files
}

// outsideOf are the paths that neither the lock nor another one of the same
// holder covers beyond doubt, and the locks of others that may do so. What a
// lock of one's own covers is not drift; what it may cover is.
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

// heldOf are the locks that cover some of the paths, each with a share of the
// lines where there are too many.
func (k *drifting) heldOf(paths []string, locks []disk.Entry) []Held {
	type group struct {
		held  Held
		paths []string
	}
	var groups []group
	total := 0
	for _, o := range locks {
		scope := k.scope(o)
		covered := map[bool][]string{} // by whether that is beyond doubt
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

// scope is an entry's scope, read once.
func (k *drifting) scope(e disk.Entry) overlap.Scope {
	scope, ok := k.scopes[e.Lock.ID]
	if !ok {
		scope = storedScope(k.call, e)
		k.scopes[e.Lock.ID] = scope
	}
	return scope
}

// changed lists what changed in this worktree since a claim, in order.
func (k *drifting) changed(l *lockfile.Lock) ([]string, error) {
	committed, err := committed(k.call, l)
	if err != nil {
		return nil, err
	}
	changed := sorted(slices.Concat(k.uncommitted, committed))
	return slices.DeleteFunc(changed, func(name string) bool { return slices.Contains(k.worktrees, name) }), nil
}

// recordedPaths are paths, which come as git names them, as locks name them.
func recordedPaths(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = lockfile.Recordable(p)
	}
	return sorted(out)
}

// sorted are paths in order, each once.
func sorted(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}
