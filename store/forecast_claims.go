package store

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// What a forecast has found, joined with who claimed what.

// withLocks makes the answer of what was found and who claimed what.
func withLocks(c *call, found *forecast.Result, scope overlap.Scope, entries []disk.Entry) Foreseen {
	out := Foreseen{Pairs: []ForecastPair{}, Exact: found.Exact}
	k := claims{}
	minutes := c.foreignMinutes()
	for _, e := range entries {
		if !e.Done() {
			k = append(k, claimAt{e.Lock, storedScope(c, e), rules.Stale(&e.Lock, c.store.Now(), minutes)})
		}
	}
	for _, s := range found.Sides {
		side := ForecastSide{Branch: lockfile.Recordable(s.Branch), Head: s.Head, Changed: s.Changed}
		side.Worktree, side.WorktreeBytes = told(s.Worktree)
		out.Sides = append(out.Sides, side)
	}
	for _, p := range found.Pairs {
		pair := ForecastPair{Yours: out.Sides[p.Yours], Theirs: out.Sides[p.Theirs], Why: p.Why,
			Files: k.files(p.Files, scope, k.madeIn(&found.Sides[p.Theirs]))}
		if !p.Judged && pair.Why == "" {
			pair.Why = "they were not merged"
		}
		if pair.State = stateOf(pair, p.Judged); pair.State == "" {
			out.Clean++
			continue
		}
		k.madeIn(&found.Sides[p.Theirs]).sign(&pair.Theirs, pair.Files)
		out.Pairs = append(out.Pairs, pair)
	}
	return out
}

// stateOf is what a pair is called; "" where it is clean. What a merge driver
// decides is not known, and neither is what was not merged.
func stateOf(p ForecastPair, judged bool) string {
	switch {
	case slices.ContainsFunc(p.Files, func(f ForecastFile) bool { return f.Kind != forecast.Driver }):
		return WillConflict
	case !judged || len(p.Files) > 0 || p.Why != "":
		return NotAssessed
	}
	return ""
}

// told is a path as an answer can hold it and, where that is not the path itself,
// its bytes.
func told(path string) (text, inBase64 string) {
	if text = lockfile.Recordable(path); text != path {
		inBase64 = base64.StdEncoding.EncodeToString([]byte(path))
	}
	return text, inBase64
}

// claims are the active locks, with their scopes read once.
type claims []claimAt

type claimAt struct {
	lock  lockfile.Lock
	scope overlap.Scope
	stale bool
}

// madeIn are those that were made in a worktree. Those of other clones say nothing
// of worktrees.
func (k claims) madeIn(side *forecast.Side) (made claims) {
	there := rules.Caller{Worktree: lockfile.Recordable(side.Worktree), WorktreeName: lockfile.Recordable(side.Name)}
	for _, e := range k {
		if side.Worktree != "" && there.SameWorktree(&e.lock) {
			made = append(made, e)
		}
	}
	return made
}

// files lists what conflicts, as far as the scope covers it, with the locks that
// cover each, and who holds it by a lock of the other worktree. What covers one of
// a file's names covers it.
func (k claims) files(found []forecast.File, scope overlap.Scope, theirs claims) []ForecastFile {
	files := []ForecastFile{}
	for _, f := range found {
		names := append([]string{f.Path}, f.Names...)
		if scope != nil && !coversAny(scope, names) {
			continue
		}
		file := ForecastFile{Kind: f.Kind, Lines: f.Lines, CoveredBy: []string{}, HeldBy: theirs.holder(names)}
		own := cmp.Or(f.Own, f.Path)
		file.Path, file.PathBytes = told(own)
		for _, name := range names {
			if name != own {
				file.Names = append(file.Names, lockfile.Recordable(name))
			}
		}
		for _, e := range k {
			if coversAny(e.scope, names) {
				file.CoveredBy = append(file.CoveredBy, e.lock.ID)
			}
		}
		files = append(files, file)
	}
	return files
}

func coversAny(scope overlap.Scope, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		covers, _ := rules.Covering(scope, name)
		return covers
	})
}

// holder is who holds a file of these names, by the latest of the live locks that
// cover it. What only reads holds nothing.
func (k claims) holder(names []string) *string {
	var latest *lockfile.Lock
	for i := range k {
		l := &k[i].lock
		holds := !k[i].stale && l.Mode != lockfile.Shared && l.AgentID != nil && coversAny(k[i].scope, names)
		if holds && (latest == nil || latest.ID < l.ID) {
			latest = l
		}
	}
	if latest == nil {
		return nil
	}
	return latest.AgentID
}

// sign says whose a worktree is: the holder of the lock made there that covers
// most of the files, else the latest.
func (k claims) sign(side *ForecastSide, files []ForecastFile) {
	if len(k) == 0 {
		return
	}
	covered := func(e claimAt) int {
		n := 0
		for _, f := range files {
			if slices.Contains(f.CoveredBy, e.lock.ID) {
				n++
			}
		}
		return n
	}
	l := slices.MaxFunc(k, func(a, b claimAt) int {
		return cmp.Or(cmp.Compare(covered(a), covered(b)), strings.Compare(a.lock.ID, b.lock.ID))
	}).lock
	side.AgentID, side.LockID, side.Title = l.AgentID, l.ID, l.Title
}
