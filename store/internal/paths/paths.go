// Package paths resolves paths and scope entries for a caller: in which
// worktree, from which directory, and through which links.
package paths

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// A Reader reads scopes for one call. It emits each warning once.
type Reader struct {
	repo   *gitdir.Repo
	warn   func(format string, args ...any)
	budget *overlap.Budget   // limits the cost of comparing scopes
	gone   map[string]bool   // by worktree path: whether it no longer exists
	named  map[string]string // roots by git's name of the worktree; "" if git knows none
	tried  int               // cost so far of looking for paths in texts, counted as for maxTried
	seen   int               // number of names examined to find out what patterns match
	in     string            // worktree in which names are looked up; "" if there is none
	afar   bool              // the caller is remote (see Afar)

	unfolded, folded overlap.Scope // the last argument and result of Folded
}

// New returns a Reader for a call about a repository. warn receives its
// warnings.
func New(repo *gitdir.Repo, warn func(format string, args ...any)) *Reader {
	said := map[string]bool{}
	once := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !said[text] {
			said[text] = true
			warn("%s", text)
		}
	}
	return &Reader{repo: repo, warn: once, budget: overlap.NewBudget(), gone: map[string]bool{},
		named: map[string]string{}, in: repo.Worktree}
}

// Refill renews the budget for comparing scopes, for another read of the store.
func (r *Reader) Refill() { r.budget.Refill() }

// how returns the context in which this call's entries are parsed.
func (r *Reader) how() overlap.Context {
	return overlap.Context{
		FoldCase: r.repo.IgnoreCase || r.repo.ConfigErr != nil,
		Inexact:  r.repo.ConfigErr != nil,
		Windows:  runtime.GOOS == "windows",
		Kind:     r.kindHere,
		Budget:   r.budget,
	}
}

// FilePath returns the path of a file: URI. It returns any other text
// unchanged.
func FilePath(text string) (string, error) {
	return overlap.FilePath(text, runtime.GOOS == "windows")
}

// Literal returns a scope entry that covers the file, named as in answers, even
// if its name would otherwise be a pattern. A percent escape may be part of the
// file's real name, or stand for characters that no entry can hold.
func Literal(file string) string {
	return escaped.ReplaceAllStringFunc(overlap.Literal(file, runtime.GOOS == "windows"), func(run string) string {
		odd, err := url.PathUnescape(run)
		if err != nil || lockfile.Recordable(odd) != run {
			return run
		}
		return "{" + run + "," + strings.Repeat("?", utf8.RuneCountInString(odd)) + "}"
	})
}

// escaped matches runs of escapes as lockfile.Recordable writes them.
var escaped = regexp.MustCompile("(?:%[0-9A-F]{2})+")

// Parse reads the entries of a claim, relative to the caller's directory. It
// refuses an entry that probably does not mean what it says.
func (r *Reader) Parse(entries []string) (overlap.Scope, error) { return r.read(entries, r.claim) }

func (r *Reader) claim(d doubt) ([]*overlap.Entry, error) {
	switch {
	case d.claimed == "":
		return nil, fault.New(fault.BadScope, "%s", d.what).WithHint(d.hint)
	case d.what != "":
		r.warn("%s; %s", d.what, d.claimed)
	}
	return nil, nil
}

// Named reads a path that stands for a claim. If it may be relative to either
// the root or the caller's directory, the scope has both readings.
func (r *Reader) Named(path string) (overlap.Scope, error) {
	return r.read([]string{path}, func(d doubt) ([]*overlap.Entry, error) {
		if d.where {
			return d.readings, nil
		}
		return r.claim(d)
	})
}

// Asked reads the entries of a question. If an entry probably does not mean
// what it says, the scope has all its readings.
func (r *Reader) Asked(entries []string) (overlap.Scope, error) {
	return r.read(entries, func(d doubt) ([]*overlap.Entry, error) {
		switch {
		case d.asked == "":
			return nil, fault.New(fault.BadScope, "%s", d.what).WithHint(d.hint)
		case d.what != "":
			r.warn("%s; %s", d.what, d.asked)
		}
		return d.readings, nil
	})
}

// read reads entries. For each doubtful one it calls decide, which may add
// readings.
func (r *Reader) read(entries []string, decide func(doubt) ([]*overlap.Entry, error)) (overlap.Scope, error) {
	if len(entries) == 0 {
		return nil, fault.New(fault.BadScope, "the scope is empty").
			WithHint("name at least one path or glob from the repository's root with `scope`, as in src/auth/**")
	}
	if len(entries) > overlap.MaxEntries {
		return nil, fault.New(fault.BadScope, "the scope has %d entries, more than %d", len(entries), overlap.MaxEntries).
			WithHint("use globs, or make several claims")
	}
	how := r.how()
	how.Prefix = r.repo.Prefix
	if err := r.placeAbsolute(entries, &how); err != nil {
		return nil, &fault.Error{Code: fault.GitFailed, Message: err.Error(), Err: err,
			Hint: "give scopes relative to the repository's root"}
	}
	if r.afar {
		how.Resolve = filepath.Clean // its links are not examined
	}
	scope := make(overlap.Scope, 0, len(entries))
	for _, text := range entries {
		if err := r.fromElsewhere(text); err != nil {
			return nil, err
		}
		e, err := overlap.Parse(text, how)
		if err != nil {
			return nil, r.scopeError(err)
		}
		scope = append(scope, e)
		if e.Custom() {
			continue
		}
		for _, doubts := range []func(string, *overlap.Entry, overlap.Context) (doubt, bool){r.fromHere, r.misread} {
			if d, ok := doubts(text, e, how); ok {
				readings, err := decide(d)
				if err != nil {
					return nil, err
				}
				scope = append(scope, readings...)
			}
		}
		r.warnElsewhere(text, e)
	}
	return scope, nil
}

func (r *Reader) scopeError(err error) error {
	e := &fault.Error{Code: fault.BadScope, Message: err.Error(), Err: err}
	if oe, ok := errors.AsType[*overlap.Error](err); ok {
		e.Hint = oe.Hint
		if r.afar {
			e.Hint = oe.HintAfar
		}
		if path, err := FilePath(oe.Entry); err == nil && oe.Outside && filepath.IsAbs(path) && !r.afar && !missing(path) {
			e.Hint = "it is in another repository, or in none: name the repository with `base_dir`"
		}
	}
	return e
}

// Stored reads a scope from a lock file. worktree is where it was claimed, ""
// if unknown. Other tools, and people, may have written absolute paths into it.
func (r *Reader) Stored(texts []string, worktree string) overlap.Scope {
	return r.stored(texts, worktree, r.how())
}

// Foreign reads a scope claimed in another clone. It ignores letter case, since
// it is not known whether that clone does. Compare it only with Folded scopes.
// No claim has an empty scope, or an entry outside the repository: such a scope was
// written by hand or by another program, and may cover anything.
func (r *Reader) Foreign(texts []string) overlap.Scope {
	how := r.how()
	how.FoldCase, how.Afar = true, true
	if len(texts) == 0 {
		texts = []string{""}
	}
	return r.stored(texts, r.in, how)
}

// Folded returns a scope of this clone for comparison with Foreign ones.
func (r *Reader) Folded(scope overlap.Scope) overlap.Scope {
	how := r.how()
	if how.FoldCase || len(scope) == 0 {
		return scope
	}
	how.FoldCase = true
	if slices.Equal(r.unfolded, scope) {
		return r.folded
	}
	texts := make([]string, len(scope))
	for i, e := range scope {
		texts[i] = e.String()
	}
	r.unfolded, r.folded = scope, r.stored(texts, r.in, how)
	return r.folded
}

func (r *Reader) stored(texts []string, worktree string, how overlap.Context) overlap.Scope {
	how.Kind = func(p string) overlap.Kind { return r.kindInEither(worktree, p) }
	if err := r.placeAbsolute(texts, &how); err != nil {
		how.NoRoots = true
		r.warn("%v: absolute scopes that lie in none of the others count as overlapping", err)
	}
	scope := make(overlap.Scope, len(texts))
	for i, text := range texts {
		scope[i] = overlap.Stored(text, how)
	}
	return scope
}
