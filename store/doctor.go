package store

import (
	"context"

	"github.com/agent-locks/agent-locks/store/doctor"
)

// A DoctorRequest asks whether the locks of a repository can be relied upon.
type DoctorRequest struct {
	Target
	Fix bool // fix what needs nobody's decision
}

// Doctor looks for what keeps locks from being relied upon (package doctor) and,
// where they are shared, what keeps other clones from seeing them.
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

// What doctor found, for those who add to it or show it.
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
