package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
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
		{disk.MutexUseless, "NFS", SeverityProblem, "do not exclude"},
	} {
		f := mutexFinding("/x/.mutex", c.state, c.network, 2*time.Second)
		if f.Severity != c.severity || !strings.Contains(f.Message, c.says) || (f.Fix == "") != (c.severity == SeverityOK) {
			t.Errorf("%v on %q: %+v", c.state, c.network, f)
		}
	}
}

func TestAnUnreadableConfigIsFound(t *testing.T) {
	t.Parallel()
	repo := storetest.RepoAt(storetest.NewCommon(t))
	repo.ConfigErr = errors.New("it is torn")
	x := &exam{repo: repo}
	if x.repository(); len(x.findings) != 1 || x.findings[0].Severity != SeverityProblem || !strings.Contains(x.findings[0].Message, "it is torn") || x.findings[0].Fix == "" {
		t.Errorf("doctor finds %+v", x.findings)
	}
}
