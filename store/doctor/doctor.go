// Package doctor checks whether the locks of a repository can be relied upon,
// and fixes what needs no decision.
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

// A Diagnosis is doctor's answer.
type Diagnosis struct {
	Findings []Finding `json:"findings"`
}

// The severities of findings.
const (
	SeverityOK      = "ok"
	SeverityNote    = "note"    // worth knowing, or fixed by the next write
	SeverityProblem = "problem" // somebody has to act
)

// The checks that findings come from. This package does not know about the
// commit guard's hook or about other clones; the packages that do add their own
// findings.
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

// A Finding is the result of a check.
type Finding struct {
	Severity string `json:"severity"`
	Check    string `json:"check"`
	Message  string `json:"message"`
	Path     string `json:"path,omitempty"`
	Fix      string `json:"fix,omitempty"`   // what to do
	Fixed    string `json:"fixed,omitempty"` // what was done about it

	remedy string // what fixing it does; "" if it cannot be fixed
}

// Problems counts the problems that remain.
func (d Diagnosis) Problems() int {
	n := 0
	for _, f := range d.Findings {
		if f.Severity == SeverityProblem && f.Fixed == "" {
			n++
		}
	}
	return n
}

// Found reports whether there is a finding of this check and severity.
func (d Diagnosis) Found(check, severity string) bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Check == check && f.Severity == severity })
}

// A Question selects what to examine.
type Question struct {
	Query     gitdir.Query // the repository
	Now       time.Time
	MutexWait time.Duration // how long to wait for other writers; 0 for a write's default
	Fix       bool          // fix what needs no decision
}

// A Report is a diagnosis with related information.
type Report struct {
	Diagnosis  Diagnosis
	Warnings   []string
	Dir        string // of the store; "" if there is no repository
	Unreadable int    // number of unreadable files that may be locks
}

// Examine checks whether the locks can be relied upon. It works even if the
// repository or the store is too broken for any other operation, which is then
// a finding. Without q.Fix it writes nothing. Its only errors are BadInput
// (*fault.Error) for an invalid base_dir, and the context's.
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

// An exam is one run of all checks.
type exam struct {
	ctx        context.Context
	question   Question
	repo       *gitdir.Repo
	paths      *paths.Reader
	dir        *disk.Dir // nil if the store could not be opened
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

// examine runs the checks, up to the first that leaves nothing for the others
// to examine.
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
	// All checks of the store are done by now.
	if err := x.dir.Close(); err != nil {
		x.warn("the store could not be closed: %v", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return x, nil
}

// fix tidies the store as any write does, and examines it again: findings that
// have disappeared were fixed.
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

// tidy completes finishes that were cut short and removes what no process owns
// any longer.
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

// okUnless adds an OK finding, unless the check already has a finding.
func (x *exam) okUnless(check, message string) {
	if !slices.ContainsFunc(x.findings, func(f Finding) bool { return f.Check == check }) {
		x.ok(check, "", "%s", message)
	}
}

// failed adds a problem for an error.
func (x *exam) failed(check, path string, err error) {
	f := Finding{Severity: SeverityProblem, Check: check, Path: path, Message: err.Error()}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		f.Fix = e.Hint
	} else if g, ok := errors.AsType[*gitdir.Error](err); ok {
		f.Fix = g.Hint
	}
	x.add(f)
}
