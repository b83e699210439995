// Package forecast tells which worktrees of a repository will conflict when
// they are merged, as they are now: committed, staged, unstaged and untracked.
//
// Of was made for callers that must not change anything: the user's repository
// stays as it is, byte for byte, and may be read-only. Each worktree becomes a
// commit in a scratch repository, and git merges these there, two by two. No
// merge driver is run and nothing is fetched. Content filters run as `git
// status` of a worktree would run them, unless the repository was found to be
// foreign (gitdir.Repo.Unfiltered).
//
// What is found are conflicts of text. That a merge is clean does not say that
// the result works.
package forecast

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
)

// A Request says what is to be merged with what.
type Request struct {
	All     bool   // every two worktrees; else the caller's with each other one
	Against string // a commit, instead of the other worktrees and the upstream
	Temp    string // directory for the scratch repository; "": one in memory if there is room, else the system's

	// How long git may take; 0: a minute. What is not known by then is not assessed.
	Limit time.Duration
}

// A Result says what was compared, and what was found.
type Result struct {
	Sides []Side
	Pairs []Pair // in the order of the sides
	Exact bool   // as git merges; else by an old git's means, which miss renames of directories and more
	Old   bool   // this git cannot merge trees
	Notes []string
}

// A Side is a worktree as it is now, or a commit.
type Side struct {
	Worktree string // root; "" of a commit
	Name     string // what git calls the worktree
	Branch   string // of a commit, its ref
	Head     string
	Changed  int // files that differ from Head
	Omitted  []Omission
	Failed   string // why nothing could be compared, if so

	note  string
	repo  *gitdir.Repo
	rules *rules // of its own, where these are not the caller's
	git   writer // in the worktree, with the copied index
	// In the worktree, without an index: a merge does not look for attributes in
	// one, so what a sparse checkout lacks does not count.
	attributes gitdir.Runner

	head   commit
	tree   string // as it is now
	commit string
	nested paths    // other worktrees in this one
	merged []string // further parents of commit: a merge that is resolved
}

// An Omission is a path whose present state is not in the comparison.
type Omission struct {
	Path string // a directory ends in a slash
	Why  string

	unmerged bool // in the index

	tracked bool  // the snapshot has a file there, of another content
	size    int64 // of a file that is not tracked; else anySize or noSize
	least   int64 // that git may have of it
}

// A Pair is two sides and what conflicts between them.
type Pair struct {
	Yours, Theirs int // of Result.Sides
	Files         []File
	Judged        bool   // the two were merged; where they were not, nothing is known
	Why           string // what could not be judged, if anything

	attributes string // a file of those that are not as usual, if there are any
}

// A File is one that conflicts.
type File struct {
	Path  string // where the merge has it
	Own   string // its name in yours, where that is another one
	Kind  string
	Lines [][2]int // of yours, first and last; none where git marks no lines
	Names []string // that it also has: in the ancestor, or on one side

	stages []stage
	merged string // the tree that git made
}

// ErrNoCommit: what to compare against is not a commit of the repository.
var ErrNoCommit = errors.New("not a commit")

// A forecast is one request under way.
type forecast struct {
	*Result
	request Request
	repo    *gitdir.Repo
	rules   rules
	refs    []ref
	scratch *scratch
}

// Of compares the caller's worktree, which repo is about, with the others.
//
// The error is an *gitdir.Error, ErrNoCommit, what the system says of the
// temporary directory, or the context's own. What fails of one side or pair, or
// takes too long, is not an error: it is in the result.
func Of(ctx context.Context, repo *gitdir.Repo, r Request) (res *Result, err error) {
	r.Limit = cmp.Or(r.Limit, usualLimit)
	f := &forecast{Result: &Result{Exact: true}, request: r, repo: repo}
	ctx, cancel := f.within(ctx, 1)
	defer cancel()
	if err := f.findSides(ctx); err != nil {
		return nil, err
	}
	f.pairUp()
	head := f.anyHead()
	if len(f.Pairs) == 0 || head == "" {
		f.passFailures()
		return f.Result, ended(ctx)
	}
	f.scratch, err = newScratch(repo, r.Temp, len(head) == 64, f.rules.settings(), f.refs)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(f.scratch.unlessFull(err), f.scratch.close()); err != nil {
			res = nil
		}
	}()
	heads := f.readHeads(ctx) // beside the snapshots
	f.snapshots(ctx)
	if err := f.commitAll(ctx, heads); err != nil {
		return nil, err
	}
	if err := f.merge(ctx); err != nil {
		return nil, err
	}
	return f.Result, ended(ctx)
}

// anyHead is the id of some commit that is compared; "" where there is none.
func (f *forecast) anyHead() string {
	for _, s := range f.Sides {
		if s.Head != "" {
			return s.Head
		}
	}
	return ""
}

// pairUp lists the pairs that the request asks for.
func (f *forecast) pairUp() {
	for i := range f.Sides {
		for j := i + 1; j < len(f.Sides); j++ {
			if f.Sides[i].Worktree != "" && (f.request.All || i == 0) {
				f.Pairs = append(f.Pairs, Pair{Yours: i, Theirs: j})
			}
		}
	}
}

// each does n things, a few at a time.
func (f *forecast) each(n int, do func(i int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)+1) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
