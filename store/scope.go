package store

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// scopeContext says how this call's entries are read.
func (c *call) scopeContext() overlap.Context {
	return overlap.Context{
		FoldCase: c.repo.IgnoreCase || c.repo.ConfigErr != nil,
		Inexact:  c.repo.ConfigErr != nil,
		Windows:  runtime.GOOS == "windows",
		Kind:     c.kindHere,
		Budget:   c.budget,
	}
}

// FilePath returns the path that a file: URI names; any other text as it is.
func FilePath(text string) (string, error) {
	return overlap.FilePath(text, runtime.GOOS == "windows")
}

// ScopeEntry is a scope entry that covers a file, named as answers name it,
// whatever its name would mean as a pattern. What stands percent-escaped in it
// may be so in the file's own name, or be what no entry can hold.
func ScopeEntry(file string) string {
	return escaped.ReplaceAllStringFunc(overlap.Literal(file, runtime.GOOS == "windows"), func(run string) string {
		odd, err := url.PathUnescape(run)
		if err != nil || recordable(odd) != run {
			return run
		}
		return "{" + run + "," + strings.Repeat("?", utf8.RuneCountInString(odd)) + "}"
	})
}

// escaped finds runs of what recordable writes.
var escaped = regexp.MustCompile("(?:%[0-9A-F]{2})+")

// parseScope reads the caller's own entries, relative to where it stands.
func (c *call) parseScope(entries []string) (overlap.Scope, error) {
	if len(entries) == 0 {
		return nil, fault.New(fault.BadScope, "the scope is empty").WithHint("name at least one path or glob from the repository's root with `scope`, as in src/auth/**")
	}
	if len(entries) > overlap.MaxEntries {
		return nil, fault.New(fault.BadScope, "the scope has %d entries, more than %d", len(entries), overlap.MaxEntries).WithHint("use globs, or make several claims")
	}
	context := c.scopeContext()
	context.Prefix = c.repo.Prefix
	if err := c.placeAbsolute(entries, &context); err != nil {
		return nil, &fault.Error{Code: fault.GitFailed, Message: err.Error(), Err: err, Hint: "give scopes relative to the repository's root"}
	}
	scope := make(overlap.Scope, 0, len(entries))
	for _, text := range entries {
		e, err := overlap.Parse(text, context)
		if err != nil {
			return nil, scopeError(err)
		}
		c.warnMisplaced(text, e)
		c.warnSeveral(text)
		c.warnElsewhere(text, e)
		scope = append(scope, e)
	}
	return scope, nil
}

func scopeError(err error) error {
	e := &fault.Error{Code: fault.BadScope, Message: err.Error(), Err: err}
	if oe, ok := errors.AsType[*overlap.Error](err); ok {
		e.Hint = oe.Hint
	}
	return e
}

// kindHere is kindIn the caller's worktree.
func (c *call) kindHere(p string) overlap.Kind { return kindIn(c.repo.Worktree, p) }

// kindIn tells what a plain path is in a worktree. A symlink is a file to git,
// whatever it points to.
func kindIn(worktree, p string) overlap.Kind {
	if worktree == "" {
		return overlap.Unknown
	}
	info, err := os.Lstat(filepath.Join(worktree, filepath.FromSlash(p)))
	switch {
	case err != nil:
		return overlap.Unknown
	case info.IsDir():
		return overlap.Dir
	default:
		return overlap.File
	}
}

// kindInEither is what a plain path is for a claim that was made in another
// worktree: the file may be there only. A directory in either is one.
func kindInEither(here, there, p string) overlap.Kind {
	kind := kindIn(here, p)
	if kind == overlap.Dir || there == here {
		return kind
	}
	return max(kind, kindIn(there, p))
}

// A meeting is an entry of the store whose scope meets the caller's.
type meeting struct {
	entry disk.Entry
	pairs []overlap.Pair
}

// meetings lists, in order, the entries whose scopes meet the given one.
func (c *call) meetings(scope overlap.Scope, entries []disk.Entry) []meeting {
	return meetings(entries, func(e disk.Entry) []overlap.Pair { return scope.Overlaps(c.storedScope(e)) })
}

// meetings lists, in order, the entries with pairs that meet.
func meetings(entries []disk.Entry, pairs func(disk.Entry) []overlap.Pair) []meeting {
	var out []meeting
	for _, e := range entries {
		if pairs := pairs(e); len(pairs) > 0 {
			out = append(out, meeting{entry: e, pairs: pairs})
		}
	}
	return out
}

// storedScope is an entry's scope, ready to be compared.
func (c *call) storedScope(e disk.Entry) overlap.Scope {
	return c.stored(e.Lock.Scope, e.Lock.Worktree)
}

// stored is a scope that was read from a file, claimed in a worktree ("" where
// that is not known). Other tools, and people, write absolute paths into it.
func (c *call) stored(texts []string, worktree string) overlap.Scope {
	context := c.scopeContext()
	context.Kind = func(p string) overlap.Kind { return kindInEither(c.repo.Worktree, worktree, p) }
	if err := c.placeAbsolute(texts, &context); err != nil {
		context.NoRoots = true
		c.warn("%v: absolute scopes that lie in none of the others count as overlapping", err)
	}
	scope := make(overlap.Scope, len(texts))
	for i, text := range texts {
		scope[i] = overlap.Stored(text, context)
	}
	return scope
}

// overlaps are the summaries of the entries that meet a scope.
func (c *call) overlaps(scope overlap.Scope, entries []disk.Entry, staleMinutes float64) []Summary {
	return c.overlapping(c.meetings(scope, entries), staleMinutes)
}

// exclusiveTo leaves out the locks which one of that mode never meets: shared
// against shared is no overlap.
func exclusiveTo(mode string, entries []disk.Entry) []disk.Entry {
	if mode != lockfile.Shared {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e disk.Entry) bool { return e.Lock.Mode == lockfile.Shared })
}

// texts are the entries as a lock file stores them.
func texts(scope overlap.Scope) []string {
	out := make([]string, len(scope))
	for i, e := range scope {
		out[i] = e.String()
	}
	return out
}
