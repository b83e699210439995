package doctor

import (
	"fmt"
	"path/filepath"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/state"
)

// shared examines the entries of the shared state and their past versions.
func (x *exam) shared() {
	path := filepath.Join(x.dir.Path, disk.StateName)
	l, err := state.List(x.ctx, x.dir, state.Wish{})
	if err != nil {
		x.failed(CheckState, path, err)
		return
	}
	live, deleted := 0, 0
	for _, e := range l.Entries {
		if e.Says.Deleted {
			deleted++
		} else {
			live++
		}
		for _, w := range e.Says.Warnings {
			x.add(Finding{Severity: SeverityNote, Check: CheckState, Path: e.Path,
				Message: fmt.Sprintf("%q: %s", e.Path, w), Fix: "correct the file by hand"})
		}
		past, err := state.Past(x.ctx, x.dir, e.Says.Name, e.Says.Version, 0)
		if err != nil {
			x.failed(CheckState, e.Path, err)
		}
		l.Bad = append(l.Bad, past.Bad...)
	}
	for _, f := range l.Bad {
		x.unreadable++
		x.add(Finding{
			Severity: SeverityProblem, Check: CheckUnreadable, Path: f.Path,
			Message: fmt.Sprintf("%q cannot be read as an entry of the shared state: %s", f.Path, f.Reason),
			Fix:     "fix it by hand, or move it out of the store",
		})
	}
	if live+deleted > 0 {
		x.okUnless(CheckState, fmt.Sprintf("%q: entries %d of at most %d, deleted %d", path, live, state.MaxEntries, deleted))
	}
}
