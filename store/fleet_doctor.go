package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/doctor"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

const probeTime = 10 * time.Second // for all that the remote is asked

// A fleetExam collects findings about sharing.
type fleetExam struct {
	call     *call
	set      fleetSettings
	findings []Finding
}

// examineFleet checks whether this clone's sharing works. It changes nothing here or on
// the remote.
func (s *Store) examineFleet(ctx context.Context, r DoctorRequest) ([]Finding, error) {
	found, err := answer(ctx, s, r.Target, func(c *call) ([]Finding, error) {
		set, err := fleetOf(c)
		if err != nil {
			return nil, err
		}
		x := &fleetExam{call: c, set: set}
		x.remote()
		view, err := fleet.Read(c.ctx, c.dir, &c.tip)
		if err != nil {
			x.failed("what other clones have claimed cannot be read", err)
		}
		if view != nil {
			x.known(view)
			x.own(view)
		}
		return x.findings, nil
	})
	return found.Result, err
}

func (x *fleetExam) add(severity, fix, format string, args ...any) {
	x.findings = append(x.findings, Finding{Severity: severity, Check: doctor.CheckFleet, Fix: fix,
		Message: fmt.Sprintf(format, args...)})
}

// failed adds an error as a problem, with its hint as the fix.
func (x *fleetExam) failed(what string, err error) {
	fix := "see agent-locks fleet status"
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Hint != "" {
		fix = e.Hint
	}
	x.add(SeverityProblem, fix, "%s: %v", what, err)
}

// remote probes the remote, with a time limit of its own, so that a hanging remote does
// not block the diagnosis.
func (x *fleetExam) remote() {
	c := x.call
	f, err := x.set.open(c)
	if err != nil {
		x.failed("locks cannot be shared", err)
		return
	}
	defer f.Close() // it was only asked
	ctx, cancel := context.WithTimeout(c.ctx, probeTime)
	defer cancel()
	switch p := f.Probe(ctx); {
	case p.Reading != nil:
		x.add(SeverityProblem, wayToRemote(x.set.remote, p.Reading.Error()), "the remote %q does not answer: %v",
			x.set.remote, p.Reading)
	case p.Leads == "":
		x.add(SeverityNote, "the next claim makes it again; live locks are kept", "the remote %q answers, and has no %q",
			x.set.remote, x.set.ref)
	case p.Pushing != nil:
		x.add(SeverityProblem, "ask who runs it for the right to push; until then this clone sees the others' locks, and "+
			"claims with --local", "the remote %q can be read, and not pushed to: %v", x.set.remote, p.Pushing)
	case !p.Tried:
		x.add(SeverityOK, "", "the remote %q answers without a question; no push was tried", x.set.remote)
	default:
		x.add(SeverityOK, "", "the remote %q answers without a question, and takes a dry run of a push; its hooks are only "+
			"asked by a real one", x.set.remote)
	}
}

// wayToRemote returns what to do about a remote that does not answer.
func wayToRemote(remote, words string) string {
	for _, w := range []struct{ said, fix string }{
		{"unknown option", "fleet needs git 2.29 or later"},
		{"terminal prompts disabled", "git would ask for a password: set up a credential helper or a key"},
		{"Authentication failed", "git would ask for a password: set up a credential helper or a key"},
		{"Permission denied (", "ssh knows no key that needs no question: load it into an agent"},
		{"Host key verification failed", "ssh does not know the host: connect by hand once"},
		{"deadline exceeded", "it took longer than 10s: a network, a proxy or a helper that hangs"},
	} {
		if strings.Contains(words, w.said) {
			return fmt.Sprintf("%s; this must work without a prompt: git ls-remote %s", w.fix, remote)
		}
	}
	return "this must work without a prompt: git ls-remote " + remote
}

// fleetFindings returns the findings about sharing, if the diagnosis could examine the
// repository.
func (s *Store) fleetFindings(ctx context.Context, r DoctorRequest, d Diagnosis) []Finding {
	if !d.Found(CheckRepository, SeverityOK) || !d.Found(CheckGit, SeverityOK) {
		return nil
	}
	repo, err := s.locate(ctx, r.Target, s.Environ())
	if err == nil && repo.FleetErr != nil {
		return []Finding{{Severity: SeverityProblem, Check: doctor.CheckFleet, Message: repo.FleetErr.Error(),
			Fix: "git config " + fleetKey + " on, or off"}}
	}
	if err != nil || !repo.Fleet {
		return nil // another finding reports it
	}
	r.Repo = repo
	findings, err := s.examineFleet(ctx, r)
	if err != nil {
		findings = append(findings, Finding{Severity: SeverityProblem, Check: doctor.CheckFleet, Message: err.Error(),
			Fix: "see agent-locks fleet status"})
	}
	return findings
}
