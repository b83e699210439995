package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
)

// scopeContext says how this call's entries are read.
func (c *call) scopeContext() overlap.Context {
	return overlap.Context{
		FoldCase: c.repo.IgnoreCase || c.repo.ConfigErr != nil,
		Inexact:  c.repo.ConfigErr != nil,
		Windows:  runtime.GOOS == "windows",
		Kind:     c.kind,
		Budget:   c.budget,
	}
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
		return nil, &Error{Code: BadScope, Message: "the scope is empty", Hint: "name at least one path or glob from the repository's root with `scope`, as in src/auth/**"}
	}
	if len(entries) > overlap.MaxEntries {
		return nil, &Error{Code: BadScope, Message: fmt.Sprintf("the scope has %d entries, more than %d", len(entries), overlap.MaxEntries),
			Hint: "use globs, or make several claims"}
	}
	context := c.scopeContext()
	context.Prefix = c.repo.Prefix
	if err := c.placeAbsolute(entries, &context); err != nil {
		return nil, &Error{Code: GitFailed, Message: err.Error(), Err: err, Hint: "give scopes relative to the repository's root"}
	}
	scope := make(overlap.Scope, 0, len(entries))
	for _, text := range entries {
		e, err := overlap.Parse(text, context)
		if err != nil {
			return nil, scopeError(err)
		}
		c.warnMisplaced(text, e)
		c.warnComma(text)
		c.warnElsewhere(text, e)
		scope = append(scope, e)
	}
	return scope, nil
}

// placeAbsolute adds what is needed to place the absolute entries, if any, in
// the worktrees.
func (c *call) placeAbsolute(entries []string, context *overlap.Context) error {
	if !slices.ContainsFunc(entries, isAbsolute) {
		return nil
	}
	roots, err := c.repo.Worktrees()
	context.Roots = roots
	context.Resolve = func(abs string) string { return beneath(roots, gitdir.Rooted(c.repo.CommonDir, abs)) }
	if err != nil {
		return fmt.Errorf("the repository's worktrees cannot all be listed: %w", err)
	}
	return nil
}

func isAbsolute(entry string) bool {
	entry = strings.TrimSpace(entry)
	return entry != "" && os.IsPathSeparator(entry[0]) || filepath.IsAbs(entry)
}

func scopeError(err error) error {
	e := &Error{Code: BadScope, Message: err.Error(), Err: err}
	if oe, ok := errors.AsType[*overlap.Error](err); ok {
		e.Hint = oe.Hint
	}
	return e
}

// beneath spells an absolute path from the deepest worktree root that it lies
// in. Symlinks are resolved down to that root and never beneath it: what a
// link inside the tree points to is another name for another path. A link from
// outside may lead past the root, into the tree; then it alone is resolved.
func beneath(roots []string, abs string) string {
	abs = filepath.Clean(abs)
	into := abs
	inside := false // into leads past a root, through a link
	for real, at := start(abs); ; {
		switch {
		case slices.Contains(roots, real):
			into, inside = filepath.Join(real, abs[at:]), true
		case !inside && slices.ContainsFunc(roots, func(root string) bool { return within(root, real) }):
			into, inside = filepath.Join(real, abs[at:]), true
		}
		if at == len(abs) {
			return into
		}
		end := at + 1
		for end < len(abs) && !os.IsPathSeparator(abs[end]) {
			end++
		}
		var ok bool
		if real, ok = step(real, abs[at:end], abs[:end]); !ok {
			return into // there is nothing beneath, either
		}
		at = end
	}
}

// start is the file system's root that a clean absolute path begins with, and
// where in the path the names after it begin.
func start(abs string) (root string, at int) {
	at = len(filepath.VolumeName(abs))
	return abs[:at] + string(filepath.Separator), at
}

// step goes down to a name in a directory that no link leads to; false where
// there is nothing of that name. Only Windows spells a name in several ways.
func step(real, name, path string) (string, bool) {
	next := filepath.Join(real, name)
	fi, err := os.Lstat(next)
	if err != nil {
		return "", false
	}
	if fi.Mode()&fs.ModeSymlink != 0 || runtime.GOOS == "windows" {
		if next, err = filepath.EvalSymlinks(path); err != nil {
			return "", false
		}
	}
	return next, true
}

// within tells whether a clean path lies beneath a clean directory.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// kind tells what a plain path is in the caller's worktree. A symlink is a
// file to git, whatever it points to.
func (c *call) kind(p string) overlap.Kind {
	root := c.repo.Worktree
	if root == "" {
		return overlap.Unknown
	}
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(p)))
	switch {
	case err != nil:
		return overlap.Unknown
	case info.IsDir():
		return overlap.Dir
	default:
		return overlap.File
	}
}

// warnMisplaced warns of an entry that names nothing at the root but would
// name something from the caller's directory.
func (c *call) warnMisplaced(text string, e *overlap.Entry) {
	text = strings.TrimSpace(text)
	if c.repo.Prefix == "" || c.repo.Worktree == "" || isAbsolute(text) || !filepath.IsLocal(filepath.FromSlash(text)) ||
		strings.HasPrefix(text, "./") || text == "." {
		return
	}
	if c.kind(e.String()) != overlap.Unknown || c.kind(path.Join(c.repo.Prefix, text)) == overlap.Unknown {
		return
	}
	c.warn("%q is read from the repository's root, where it does not exist; did you mean %q?", text, "./"+text)
}

// warnComma warns of an entry that looks like several: a comma is part of a
// name, and one that was meant to separate would cover neither path.
func (c *call) warnComma(text string) {
	if text = strings.TrimSpace(text); bareComma(text) && c.kind(text) == overlap.Unknown {
		c.warn("%q is read as one path with a comma in it; give each path as an entry of its own", text)
	}
}

// bareComma reports whether a comma stands outside all brackets.
func bareComma(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
		case ',':
			if depth <= 0 {
				return true
			}
		}
	}
	return false
}

// warnElsewhere warns of an entry that leads into a submodule, a repository
// or a worktree within the caller's: those who work there read another store,
// or know the file by another name.
func (c *call) warnElsewhere(text string, e *overlap.Entry) {
	if c.repo.Worktree == "" {
		return
	}
	dir, rest := c.repo.Worktree, e.String()
	for {
		name, beneath, _ := strings.Cut(rest, "/")
		if beneath == "" || strings.ContainsAny(name, `*?[{(\`) {
			return
		}
		dir, rest = filepath.Join(dir, name), beneath
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			c.warn("%q lies in a repository or worktree of its own; to reach those who work there pass %q as `base_dir`", text, dir)
			return
		}
	}
}

// A meeting is an entry of the store whose scope meets the caller's.
type meeting struct {
	entry
	pairs []overlap.Pair
}

// meetings lists, in order, the entries whose scopes meet the given one.
func (c *call) meetings(scope overlap.Scope, entries []entry) []meeting {
	return meetings(entries, func(e entry) []overlap.Pair { return scope.Overlaps(c.storedScope(e)) })
}

// meetings lists, in order, the entries with pairs that meet.
func meetings(entries []entry, pairs func(entry) []overlap.Pair) []meeting {
	var out []meeting
	for _, e := range entries {
		if pairs := pairs(e); len(pairs) > 0 {
			out = append(out, meeting{entry: e, pairs: pairs})
		}
	}
	return out
}

// storedScope is an entry's scope, ready to be compared.
func (c *call) storedScope(e entry) overlap.Scope { return c.stored(e.Scope) }

// stored is a scope that was read from a file. Other tools, and people, write
// absolute paths into it as well.
func (c *call) stored(texts []string) overlap.Scope {
	context := c.scopeContext()
	if err := c.placeAbsolute(texts, &context); err != nil {
		c.warn("%v: absolute scopes that lie in the others are not compared", err)
	}
	scope := make(overlap.Scope, len(texts))
	for i, text := range texts {
		scope[i] = overlap.Stored(text, context)
	}
	return scope
}

// overlaps are the summaries of the entries that meet a scope.
func (c *call) overlaps(scope overlap.Scope, entries []entry, staleMinutes float64) []Summary {
	return c.overlapping(c.meetings(scope, entries), staleMinutes)
}

// exclusiveTo leaves out the locks which one of that mode never meets: shared
// against shared is no overlap.
func exclusiveTo(mode string, entries []entry) []entry {
	if mode != lockfile.Shared {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.Mode == lockfile.Shared })
}

// texts are the entries as a lock file stores them.
func texts(scope overlap.Scope) []string {
	out := make([]string, len(scope))
	for i, e := range scope {
		out[i] = e.String()
	}
	return out
}
