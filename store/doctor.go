package store

import (
	"context"

	"github.com/agent-locks/agent-locks/store/doctor"
)

// A DoctorRequest asks whether a repository's locks can be relied upon.
type DoctorRequest struct {
	Target
	Fix bool // fix what needs no decision
}

// Doctor checks whether locks can be relied upon (package doctor) and, if they
// are shared, whether other clones can see them.
func (s *Store) Doctor(ctx context.Context, r DoctorRequest) (Answer[doctor.Diagnosis], error) {
	report, err := doctor.Examine(ctx, doctor.Question{
		Query: s.query(r.Target, s.Environ()), Now: s.Now(), MutexWait: s.MutexWait, Fix: r.Fix,
	})
	if err == nil {
		report.Diagnosis.Findings = append(report.Diagnosis.Findings, s.fleetFindings(ctx, r, report.Diagnosis)...)
		err = context.Cause(ctx)
	}
	return Answer[doctor.Diagnosis]{Result: report.Diagnosis, Warnings: report.Warnings, Dir: report.Dir,
		Unreadable: report.Unreadable}, err
}

// Doctor's findings, for packages that add to them or show them.
type (
	Diagnosis = doctor.Diagnosis
	Finding   = doctor.Finding
)

const (
	SeverityOK      = doctor.SeverityOK
	SeverityNote    = doctor.SeverityNote
	SeverityProblem = doctor.SeverityProblem

	CheckGit        = doctor.CheckGit
	CheckRepository = doctor.CheckRepository
	CheckGuard      = doctor.CheckGuard
)
