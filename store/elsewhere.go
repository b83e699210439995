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

// What is changed in claimed files in other worktrees, and not committed there,
// though no lock covers it. git is asked beside the claim, never under the mutex;
// what it has not answered in time is not reported. A claim neither waits long for
// that nor fails because of it.

const (
	// claimPatience bounds what the answer to a claim waits for git, which has been
	// at it since before the claim; startPatience what the start of a session does.
	claimPatience = 300 * time.Millisecond
	startPatience = time.Second
	// elsewhereAsked is how many worktrees git is asked about: those first in which
	// it last did something.
	elsewhereAsked = 16
	// elsewhereShown is how many worktrees an answer names, and files of each.
	elsewhereShown = 5
	// elsewhereRoom bounds the names of the files in an answer, in bytes.
	elsewhereRoom = 4 << 10
	// elsewhereAtOnce is how many worktrees git is asked about at a time.
	elsewhereAtOnce = 4
	// elsewherePaths bounds the paths that git is given, in bytes: all systems take
	// that much on a command line.
	elsewherePaths = 16 << 10
	// stopPatience bounds the wait for the end of a git that is given up. It is
	// killed with its filters; a process that left these may hold its output open.
	stopPatience = 200 * time.Millisecond
)

// ChangedElsewhere lists files that are changed in another worktree.
type ChangedElsewhere struct {
	Worktree     string   `json:"worktree"`
	Branch       string   `json:"branch,omitempty"`
	Files        []string `json:"files"`
	FilesLeftOut int      `json:"filesLeftOut,omitempty"`
}

// A look at the other worktrees, under way.
type look struct {
	scope  overlap.Scope
	cancel context.CancelFunc
	found  chan changedThere // closed at the end; nil: there is nothing to look at
}

// changedThere is what is not committed in the n-th of the other worktrees.
type changedThere struct {
	n     int
	repo  *gitdir.Repo
	names []string
}

// lookElsewhere starts to ask git what is changed in the other worktrees where a
// scope is. Without any it costs next to nothing.
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
	there.warnings = nil // nothing is said of what goes wrong there
	there.ctx, k.cancel = context.WithCancel(c.ctx)
	go func() {
		defer close(k.found)
		if unlessTrusted(&there, t) != nil {
			return
		}
		if there.repo != c.repo { // without its content filters
			others = there.repo.Others()
		}
		k.ask(there.ctx, others)
	}()
	return k
}

// giveUp ends the look, and git with it: this process may end before git is killed
// otherwise.
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

// ask asks git about each worktree.
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

// pathsOf are paths within which all of a scope lies, as git takes them; none:
// all of the worktree.
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

// unclaimed is what was found in time of the files in the scope that no lock
// covers: the entries are the active locks, of which those that me holds from
// here say nothing about changes elsewhere.
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
		if !more || ctx.Err() != nil { // then not all of at's were compared
			return shownElsewhere(found)
		}
		if len(at.names) > 0 {
			found = append(found, at)
		}
	}
}

// coveredBy reports whether a lock covers what is changed elsewhere. What only
// reads changes nothing.
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

// shownElsewhere is what of the changes an answer has, in the order in which git
// was asked.
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

// changedInOwn is what is changed elsewhere in the files that a session holds as it
// starts.
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
