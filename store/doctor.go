package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// A DoctorRequest asks whether the locks of a repository can be relied upon.
type DoctorRequest struct {
	Target
	Fix bool // mend what needs nobody's decision
}

// A Diagnosis answers doctor.
type Diagnosis struct {
	Findings []Finding `json:"findings"`
}

// How much a finding matters.
const (
	SeverityOK      = "ok"
	SeverityNote    = "note"    // worth knowing, or the next write mends it
	SeverityProblem = "problem" // somebody has to do something
)

// The checks that a finding can come from. The store knows nothing of the
// commit guard's hook: whoever can look at that adds its finding.
const (
	CheckGit         = "git"
	CheckRepository  = "repository"
	CheckWorktrees   = "worktrees"
	CheckStore       = "store"
	CheckPermissions = "permissions"
	CheckMutex       = "mutex"
	CheckUnreadable  = "unreadable"
	CheckDuplicates  = "duplicates"
	CheckUnfinished  = "unfinished"
	CheckLeftovers   = "leftovers"
	CheckClock       = "clock"
	CheckStale       = "stale"
	CheckGuard       = "guard"
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

	mended string // what doctor can do about it, once done; "" where it cannot
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

// Doctor looks for what keeps locks from being relied upon, also where the
// repository or the store is too broken for any other operation; that is then
// a finding. Without r.Fix it writes nothing. Errors: *Error with BadInput for
// a base_dir that is none, and the context's own.
func (s *Store) Doctor(ctx context.Context, r DoctorRequest) (Answer[Diagnosis], error) {
	x, err := s.examine(ctx, r.Target)
	if err != nil {
		return Answer[Diagnosis]{}, err
	}
	if r.Fix && slices.ContainsFunc(x.findings, mendable) {
		if x, err = s.mend(x, r.Target); err != nil {
			return Answer[Diagnosis]{}, err
		}
	}
	return x.answer(), nil
}

// An exam is one look at everything.
type exam struct {
	call     *call // without a dir where the store could not be opened
	findings []Finding
}

func (x *exam) answer() Answer[Diagnosis] {
	a := Answer[Diagnosis]{Result: Diagnosis{Findings: x.findings}, Warnings: x.call.warnings, Unreadable: x.call.unreadable}
	if x.call.dir != nil {
		a.Dir = x.call.dir.Path
	}
	return a
}

// examine makes the checks, each as far as those before it leave something to
// look at.
func (s *Store) examine(ctx context.Context, t Target) (*exam, error) {
	environ := s.Environ()
	x := &exam{call: &call{store: s, ctx: ctx, environ: environ, gone: map[string]bool{}}}
	x.git(environ)
	repo, err := gitdir.Find(ctx, s.query(t, environ))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, gitdir.ErrBaseDir):
		return nil, fault.FromGit(err)
	case err != nil:
		x.failed(CheckRepository, "", fault.FromGit(err))
		if f := &x.findings[len(x.findings)-1]; f.Fix == "" {
			f.Fix = "mend what git complains of, until git status works here"
		}
		return x, nil
	}
	x.call.repo = repo
	x.repository()
	x.worktrees()
	if x.call.dir, err = disk.Open(repo); err != nil {
		x.failed(CheckStore, "", err)
		return x, nil
	}
	x.inside()
	// What the checks ask of the store they have asked by now.
	if err := x.call.dir.Close(); err != nil {
		x.call.warn("the store could not be closed: %v", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return x, nil
}

// mend does what any write does on its way, and looks again: what was to be
// mended and is no longer there has been.
func (s *Store) mend(before *exam, t Target) (*exam, error) {
	warnings, failure := s.tidy(before.call.ctx, t)
	after, err := s.examine(before.call.ctx, t)
	if err != nil {
		return nil, err
	}
	after.call.warnings = append(after.call.warnings, warnings...)
	if failure != nil {
		after.failed(CheckFix, "", failure)
		return after, nil
	}
	for _, f := range before.findings {
		still := func(g Finding) bool { return g.Check == f.Check && g.Path == f.Path }
		if mendable(f) && !slices.ContainsFunc(after.findings, still) {
			f.Fixed = f.mended
			after.findings = append(after.findings, f)
		}
	}
	return after, nil
}

func mendable(f Finding) bool { return f.mended != "" }

// tidy completes finishes and clears away what nobody owns any more.
func (s *Store) tidy(ctx context.Context, t Target) ([]string, error) {
	a, err := answer(ctx, s, t, func(c *call) (struct{}, error) {
		return change(c, func(h *disk.Tx) (none struct{}, err error) {
			if _, err = c.dir.List(ctx, disk.All); err != nil {
				return none, err
			}
			_, err = queue.Sweep(ctx, h) // which sweeps the dead ones
			return none, err
		})
	})
	return a.Warnings, err
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
