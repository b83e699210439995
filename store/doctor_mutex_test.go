package store

import (
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

func TestDoctorSaysWhatTheMutexDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state    disk.MutexState
		network  string
		severity string
		says     string
	}{
		{disk.MutexMissing, "", SeverityOK, "not tried"},
		{disk.MutexBusy, "", SeverityNote, "has held"},
		{disk.MutexExcludes, "", SeverityOK, "refused"},
		{disk.MutexExcludes, "NFS", SeverityNote, "NFS"},
		{disk.MutexUseless, "NFS", SeverityProblem, "does not exclude"},
	} {
		f := mutexFinding("/x/.mutex", c.state, c.network, 2*time.Second)
		if f.Severity != c.severity || !strings.Contains(f.Message, c.says) || (f.Fix == "") != (c.severity == SeverityOK) {
			t.Errorf("%v on %q: %+v", c.state, c.network, f)
		}
	}
}
