package store

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// Uncommitted changes, in other worktrees, to claimed files that no lock
// covers. Git runs concurrently with the claim and never under the mutex. What
// it does not report in time is omitted, so a claim neither waits long for it
// nor fails because of it.

const (
	// claimPatience limits how long a claim's answer waits for git, which was
	// started before the claim. startPatience does so at a session's start.
	claimPatience = 300 * time.Millisecond
	startPatience = time.Second
	// elsewhereAsked is the maximum number of worktrees examined, those most
	// recently used first.
	elsewhereAsked = 16
	// elsewhereShown is the maximum number of worktrees in an answer, and of
	// files for each.
	elsewhereShown = 5
	// elsewhereRoom limits the file names in an answer, in bytes.
	elsewhereRoom = 4 << 10
	// elsewhereAtOnce is the number of worktrees examined concurrently.
	elsewhereAtOnce = 4
	// elsewherePaths limits the paths passed to git, in bytes. All systems
	// accept command lines of this length.
	elsewherePaths = 16 << 10
	// stopPatience limits the wait for a cancelled git to exit. It is killed
	// with its filters, but a process that escaped from them may keep its
	// output open.
	stopPatience = 200 * time.Millisecond
)

// ChangedElsewhere lists changed files in another worktree.
type ChangedElsewhere struct {
	Worktree     string   `json:"worktree"`
	Branch       string   `json:"branch,omitempty"`
	Files        []string `json:"files"`
	FilesLeftOut int      `json:"filesLeftOut,omitempty"`
}

// A look is an examination of the other worktrees in progress.
type look struct {
	scope  overlap.Scope
	cancel context.CancelFunc
	found  chan changedThere // closed at the end; nil if there is nothing to examine
}

// changedThere are the uncommitted changes in the n-th of the other worktrees.
type changedThere struct {
	n     int
	repo  *gitdir.Repo
	names []string
}

// lookElsewhere starts to ask git what has changed within a scope in the other
// worktrees. It costs next to nothing if there are none.
func lookElsewhere(c *call, t Target, scope overlap.Scope) *look {
	k := &look{scope: scope}
	if !scope.NamesFiles() {
		return k
	}
	others := c.repo.Others()
	if len(others) == 0 {
		return k
	}
	k.found = make(chan changedThere, elsewhereAsked)
	there := *c
	there.warnings = nil // problems there are not reported
	there.ctx, k.cancel = context.WithCancel(c.ctx)
	go func() {
		defer close(k.found)
		if unlessTrusted(&there, t) != nil {
			return
		}
		if there.repo != c.repo { // content filters were disabled
			others = there.repo.Others()
		}
		k.ask(there.ctx, others)
	}()
	return k
}

// giveUp cancels the look and waits for git to be killed; otherwise this
// process might exit first.
func (k *look) giveUp() {
	if k.found == nil {
		return
	}
	k.cancel()
	late := time.After(stopPatience)
	for {
		select {
		case _, more := <-k.found:
			if !more {
				return
			}
		case <-late:
			return
		}
	}
}

// ask examines each worktree.
func (k *look) ask(ctx context.Context, others []*gitdir.Repo) {
	under := pathsOf(k.scope)
	var all sync.WaitGroup
	places := make(chan struct{}, elsewhereAtOnce)
	for n, o := range others[:min(len(others), elsewhereAsked)] {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			if names, err := o.UncommittedUnder(ctx, under); err == nil && len(names) > 0 {
				k.found <- changedThere{n, o, names}
			}
		})
	}
	all.Wait()
}

// pathsOf returns paths that contain everything in the scope, in git's
// notation. nil means the whole worktree.
func pathsOf(scope overlap.Scope) []string {
	var paths []string
	size := 0
	for _, e := range scope {
		path := e.Within()
		if e.Custom() || slices.Contains(paths, path) {
			continue
		}
		if size += len(path) + 3; path == "" || size > elsewherePaths {
			return nil
		}
		paths = append(paths, path)
	}
	return paths
}

// unclaimed returns the changes found in time within the scope that no lock
// covers. entries are the active locks. Those that me holds in this worktree do
// not account for changes elsewhere.
func (k *look) unclaimed(c *call, me rules.Caller, entries []disk.Entry, patience time.Duration) (
	shown []ChangedElsewhere, leftOut int,
) {
	defer k.giveUp()
	if k.found == nil {
		return nil, 0
	}
	ctx, cancel := context.WithTimeout(c.ctx, cmp.Or(c.store.ElsewhereWait, patience))
	defer cancel()
	covered := coveredBy(c, me, entries)
	var found []changedThere
	for {
		var at changedThere
		more := false
		select {
		case at, more = <-k.found:
		case <-ctx.Done():
		}
		if more {
			nested := at.repo.Nested()
			at.names = slices.DeleteFunc(at.names, func(name string) bool {
				if ctx.Err() != nil || slices.Contains(nested, name) {
					return true
				}
				covers, _ := rules.Covering(k.scope, name)
				return !covers || covered(name)
			})
		}
		if !more || ctx.Err() != nil { // at was not compared completely
			return shownElsewhere(found)
		}
		if len(at.names) > 0 {
			found = append(found, at)
		}
	}
}

// coveredBy returns a function that reports whether a lock covers a changed
// file elsewhere. Shared locks do not count, because they are only for reading.
func coveredBy(c *call, me rules.Caller, entries []disk.Entry) func(name string) bool {
	var scopes []overlap.Scope
	here := c.stands()
	read := sync.OnceFunc(func() {
		c.paths.Refill()
		for _, e := range entries {
			l := &e.Lock
			if !e.Done() && l.Mode != lockfile.Shared && !(me.Owns(l) && here.SameWorktree(l)) {
				scopes = append(scopes, storedScope(c, e))
			}
		}
	})
	return func(name string) bool {
		read()
		return slices.ContainsFunc(scopes, func(s overlap.Scope) bool {
			covers, _ := rules.Covering(s, name)
			return covers
		})
	}
}

// shownElsewhere returns the part of the changes that fits into an answer, in
// the order in which the worktrees were examined.
func shownElsewhere(found []changedThere) (out []ChangedElsewhere, leftOut int) {
	slices.SortFunc(found, func(a, b changedThere) int { return a.n - b.n })
	room := elsewhereRoom
	for _, at := range found[:min(len(found), elsewhereShown)] {
		shown := ChangedElsewhere{
			Worktree: lockfile.Recordable(at.repo.Worktree), Branch: lockfile.Recordable(at.repo.Branch), Files: []string{}}
		for _, name := range recordedPaths(at.names[:min(len(at.names), elsewhereShown)]) {
			if room -= len(name); room < 0 {
				break
			}
			shown.Files = append(shown.Files, name)
		}
		shown.FilesLeftOut = len(at.names) - len(shown.Files)
		out = append(out, shown)
	}
	return out, len(found) - len(out)
}

// changedInOwn returns the changes elsewhere to files that a starting session
// holds.
func changedInOwn(c *call, t Target, who Started, entries []disk.Entry) ([]ChangedElsewhere, int) {
	me := c.here()
	me.Agent, me.Parent = who.AgentID, who.ParentAgentID
	var scope overlap.Scope
	for _, e := range entries {
		if me.Holds(&e.Lock) {
			scope = append(scope, storedScope(c, e)...)
		}
	}
	return lookElsewhere(c, t, scope).unclaimed(c, me, entries, startPatience)
}
