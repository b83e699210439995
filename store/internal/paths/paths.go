// Package paths knows what a path or a scope entry means where the caller
// stands: in which worktree, from which directory, through which links.
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

// A Reader reads scopes for one call. What it warns of, it warns of once.
type Reader struct {
	repo   *gitdir.Repo
	warn   func(format string, args ...any)
	budget *overlap.Budget   // what comparing scopes may cost
	gone   map[string]bool   // worktree path -> it no longer exists
	named  map[string]string // git's name of a worktree -> its root; "" where git knows none
	tried  int               // what looking for paths in texts has cost, as maxTried counts it
	seen   int               // names that were looked at for what patterns match
	in     string            // the worktree in which names are looked up; "" where there is none
	afar   bool              // the caller is elsewhere (Afar)

	unfolded, folded overlap.Scope // the last scope that was Folded, and what came of it
}

// New is a reader for a call about a repository; warn hears what is odd.
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

// Refill lets comparing cost as much again, for another read of the store.
func (r *Reader) Refill() { r.budget.Refill() }

// how says how this call's entries are read.
func (r *Reader) how() overlap.Context {
	return overlap.Context{
		FoldCase: r.repo.IgnoreCase || r.repo.ConfigErr != nil,
		Inexact:  r.repo.ConfigErr != nil,
		Windows:  runtime.GOOS == "windows",
		Kind:     r.kindHere,
		Budget:   r.budget,
	}
}

// FilePath returns the path that a file: URI names; any other text as it is.
func FilePath(text string) (string, error) {
	return overlap.FilePath(text, runtime.GOOS == "windows")
}

// Literal is a scope entry that covers a file, named as answers name it,
// whatever its name would mean as a pattern. What stands percent-escaped in it
// may be so in the file's own name, or be what no entry can hold.
func Literal(file string) string {
	return escaped.ReplaceAllStringFunc(overlap.Literal(file, runtime.GOOS == "windows"), func(run string) string {
		odd, err := url.PathUnescape(run)
		if err != nil || lockfile.Recordable(odd) != run {
			return run
		}
		return "{" + run + "," + strings.Repeat("?", utf8.RuneCountInString(odd)) + "}"
	})
}

// escaped finds runs of what lockfile.Recordable writes.
var escaped = regexp.MustCompile("(?:%[0-9A-F]{2})+")

// Parse reads the entries of a claim of the caller's, relative to where it stands.
// One that was probably meant otherwise than it reads is refused.
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

// Named reads a path that stands for what was claimed. Where it may be meant from the
// root and from the caller's directory, both readings are in the scope.
func (r *Reader) Named(path string) (overlap.Scope, error) {
	return r.read([]string{path}, func(d doubt) ([]*overlap.Entry, error) {
		if d.where {
			return d.readings, nil
		}
		return r.claim(d)
	})
}

// Asked reads the entries of a question. Of one that was probably meant otherwise
// than it reads, all readings are in the scope.
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

// read reads entries; those in doubt it leaves to decide, which gives other readings.
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
		how.Resolve = filepath.Clean // whose links are not looked at
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
			e.Hint = hintAfar(oe.Entry, oe.Hint)
		}
		if path, err := FilePath(oe.Entry); err == nil && oe.Outside && filepath.IsAbs(path) && !r.afar && !missing(path) {
			e.Hint = "it is in another repository, or in none: name the repository with `base_dir`"
		}
	}
	return e
}

// Stored is a scope that was read from a file, claimed in a worktree ("" where
// that is not known). Other tools, and people, write absolute paths into it.
func (r *Reader) Stored(texts []string, worktree string) overlap.Scope {
	return r.stored(texts, worktree, r.how())
}

// Foreign is a scope that another clone has claimed. Whether that one tells names
// apart by letter case is not known, so it does not count. What is compared with it
// has to be Folded.
func (r *Reader) Foreign(texts []string) overlap.Scope {
	how := r.how()
	how.FoldCase = true
	return r.stored(texts, r.in, how)
}

// Folded is a scope of this clone for comparing with Foreign ones.
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
