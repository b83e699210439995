// Package doctor finds out whether the locks of a repository can be relied
// upon, and fixes what needs nobody's decision.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/paths"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// A Diagnosis answers doctor.
type Diagnosis struct {
	Findings []Finding `json:"findings"`
}

// How much a finding matters.
const (
	SeverityOK      = "ok"
	SeverityNote    = "note"    // worth knowing, or the next write fixes it
	SeverityProblem = "problem" // somebody has to do something
)

// The checks that a finding can come from. This package knows nothing of the
// commit guard's hook and of other clones: those that do add their findings.
const (
	CheckGit         = "git"
	CheckRepository  = "repository"
	CheckWorktrees   = "worktrees"
	CheckStore       = "store"
	CheckPermissions = "permissions"
	CheckMutex       = "mutex"
	CheckUnreadable  = "unreadable"
	CheckState       = "state"
	CheckDuplicates  = "duplicates"
	CheckUnfinished  = "unfinished"
	CheckLeftovers   = "leftovers"
	CheckClock       = "clock"
	CheckStale       = "stale"
	CheckGuard       = "guard"
	CheckFleet       = "fleet"
	CheckFix         = "fix"
)

// A Finding is one thing that doctor saw.
type Finding struct {
	Severity string `json:"severity"`
	Check    string `json:"check"`
	Message  string `json:"message"`
	Path     string `json:"path,omitempty"`
	Fix      string `json:"fix,omitempty"`   // what to do
	Fixed    string `json:"fixed,omitempty"` // what was done about it

	remedy string // what a fix has done about it; "" where there is none
}

// Problems counts what is still to be done by somebody.
func (d Diagnosis) Problems() int {
	n := 0
	for _, f := range d.Findings {
		if f.Severity == SeverityProblem && f.Fixed == "" {
			n++
		}
	}
	return n
}

// Found reports whether a check says that of something.
func (d Diagnosis) Found(check, severity string) bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Check == check && f.Severity == severity })
}

// A Question says what is to be examined.
type Question struct {
	Query     gitdir.Query // which repository
	Now       time.Time
	MutexWait time.Duration // how long a write waits for other writers; 0: as a write does by itself
	Fix       bool          // fix what needs nobody's decision
}

// A Report is a diagnosis and what goes beside it.
type Report struct {
	Diagnosis  Diagnosis
	Warnings   []string
	Dir        string // of the store; "" where there is no repository
	Unreadable int    // files that may be locks
}

// Examine looks for what keeps locks from being relied upon, also where the
// repository or the store is too broken for any other operation; that is then
// a finding. Without q.Fix it writes nothing. Errors: *fault.Error with BadInput
// for a base_dir that is none, and the context's own.
func Examine(ctx context.Context, q Question) (Report, error) {
	x, err := examine(ctx, q)
	if err == nil && q.Fix && slices.ContainsFunc(x.findings, fixable) {
		x, err = fix(x, q)
	}
	if err != nil {
		return Report{}, err
	}
	return x.report(), nil
}

// An exam is one read of everything.
type exam struct {
	ctx        context.Context
	question   Question
	repo       *gitdir.Repo
	paths      *paths.Reader
	dir        *disk.Dir // nil where the store could not be opened
	findings   []Finding
	warnings   []string
	unreadable int
}

func (x *exam) report() Report {
	r := Report{Diagnosis: Diagnosis{Findings: x.findings}, Warnings: x.warnings, Unreadable: x.unreadable}
	if x.dir != nil {
		r.Dir = x.dir.Path
	}
	return r
}

func (x *exam) warn(format string, args ...any) {
	x.warnings = append(x.warnings, fmt.Sprintf(format, args...))
}

// examine makes the checks, each as far as those before it leave something to
// look at.
func examine(ctx context.Context, q Question) (*exam, error) {
	x := &exam{ctx: ctx, question: q}
	x.git()
	repo, err := gitdir.Find(ctx, q.Query)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, gitdir.ErrBaseDir):
		return nil, fault.FromGit(err)
	case err != nil:
		x.failed(CheckRepository, "", fault.FromGit(err))
		if f := &x.findings[len(x.findings)-1]; f.Fix == "" {
			f.Fix = "fix what git complains about until git status works here"
		}
		return x, nil
	}
	x.repo, x.paths = repo, paths.New(repo, x.warn)
	x.repository()
	x.worktrees()
	if x.dir, err = disk.Open(repo); err != nil {
		x.dir = nil
		x.failed(CheckStore, "", err)
		return x, nil
	}
	if q.MutexWait > 0 {
		x.dir.Wait = q.MutexWait
	}
	x.inside()
	// What the checks ask of the store they have asked by now.
	if err := x.dir.Close(); err != nil {
		x.warn("the store could not be closed: %v", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return x, nil
}

// fix does what any write does on its way, and reads again: what was to be
// fixed and is no longer there has been.
func fix(before *exam, q Question) (*exam, error) {
	warnings, failure := tidy(before.ctx, q)
	after, err := examine(before.ctx, q)
	if err != nil {
		return nil, err
	}
	after.warnings = append(after.warnings, warnings...)
	if failure != nil {
		after.failed(CheckFix, "", failure)
		return after, nil
	}
	for _, f := range before.findings {
		still := func(g Finding) bool { return g.Check == f.Check && g.Path == f.Path }
		if fixable(f) && !slices.ContainsFunc(after.findings, still) {
			f.Fixed = f.remedy
			after.findings = append(after.findings, f)
		}
	}
	return after, nil
}

func fixable(f Finding) bool { return f.remedy != "" }

// tidy completes finishes and clears away what nobody owns any more.
func tidy(ctx context.Context, q Question) (warnings []string, err error) {
	repo, err := gitdir.Find(ctx, q.Query)
	if err != nil {
		return nil, fault.FromGit(err)
	}
	d, err := disk.Open(repo)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if q.MutexWait > 0 {
		d.Wait = q.MutexWait
	}
	return d.Change(ctx, func(tx *disk.Tx) error {
		if _, err := d.List(ctx, disk.All); err != nil {
			return err
		}
		_, err := queue.Sweep(ctx, tx)
		return err
	})
}

func (x *exam) add(f Finding) { x.findings = append(x.findings, f) }

func (x *exam) ok(check, path, format string, args ...any) {
	x.add(Finding{Severity: SeverityOK, Check: check, Path: path, Message: fmt.Sprintf(format, args...)})
}

// okUnless says that a check found nothing, unless it did.
func (x *exam) okUnless(check, message string) {
	if !slices.ContainsFunc(x.findings, func(f Finding) bool { return f.Check == check }) {
		x.ok(check, "", "%s", message)
	}
}

// failed makes a problem of an error.
func (x *exam) failed(check, path string, err error) {
	f := Finding{Severity: SeverityProblem, Check: check, Path: path, Message: err.Error()}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		f.Fix = e.Hint
	} else if g, ok := errors.AsType[*gitdir.Error](err); ok {
		f.Fix = g.Hint
	}
	x.add(f)
}
