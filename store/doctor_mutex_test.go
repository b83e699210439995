package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// examined is an exam of a store as far as its mutex goes.
func examined(t *testing.T, d *dir, open func(string) *flock.Flock) Finding {
	t.Helper()
	x := &exam{call: &call{ctx: t.Context(), dir: d, repo: repoAt(filepath.Dir(d.path))}}
	x.mutex(open)
	if len(x.findings) != 1 {
		t.Fatalf("findings %+v, want one", x.findings)
	}
	return x.findings[0]
}

// Two handles that do not exclude each other are what a file system without
// locking gives.
func TestDoctorTriesTheMutex(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	h, err := d.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.wait = 30 * time.Millisecond
	if f := examined(t, d, newMutex); f.Severity != SeverityNote || !strings.Contains(f.Message, "has held") {
		t.Errorf("while another writes: %+v", f)
	}
	if err := h.unlock(); err != nil {
		t.Fatal(err)
	}
	if f := examined(t, d, newMutex); f.Severity != SeverityOK || !strings.Contains(f.Message, "refused") {
		t.Errorf("as it should be: %+v", f)
	}
	locked(t, d) // the probe has let go
	other := t.TempDir()
	n := 0
	apart := func(string) *flock.Flock {
		n++
		return flock.New(filepath.Join(other, strings.Repeat("x", n)))
	}
	if f := examined(t, d, apart); f.Severity != SeverityProblem || !strings.Contains(f.Message, "does not exclude") || f.Fix == "" {
		t.Errorf("where both are granted: %+v", f)
	}
}

// A place in the queue that is held is nobody's leftover.
func TestDoctorLeavesALiveTicket(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	locked(t, d)
	waiting := filepath.Join(d.path, waitingName)
	put(t, filepath.Join(waiting, ticketName(3, ticketSuffix)), "{}")
	put(t, filepath.Join(waiting, ticketName(3, livingSuffix)), "")
	owner := flock.New(filepath.Join(waiting, ticketName(3, livingSuffix)))
	if taken, err := owner.TryLock(); err != nil || !taken {
		t.Fatalf("the ticket's lock: %v, %v", taken, err)
	}
	x := &exam{call: &call{ctx: t.Context(), dir: d}}
	x.leftovers()
	if len(x.findings) != 1 || x.findings[0].Severity != SeverityOK {
		t.Errorf("while it is held: %+v", x.findings)
	}
	if err := owner.Unlock(); err != nil {
		t.Fatal(err)
	}
	x.findings = nil
	x.leftovers()
	if len(x.findings) != 1 || x.findings[0].mended == "" {
		t.Errorf("when it is not: %+v", x.findings)
	}
}
