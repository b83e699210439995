package store

import (
	"path/filepath"
	"strings"
	"testing"
)

// A ticket that nobody can read holds nobody up, although its process waits.
func TestDoctorNamesALiveTicketThatSaysNothing(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	h := locked(t, d)
	mine, err := h.join(ticket{Scope: []string{"a"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := func() []Finding {
		x := &exam{call: &call{ctx: t.Context(), dir: d, repo: repoAt(filepath.Dir(d.path))}}
		if err := x.strangers(); err != nil {
			t.Fatal(err)
		}
		return x.findings
	}
	if f := found(); len(f) > 0 {
		t.Errorf("a sound ticket: %+v", f)
	}
	path := filepath.Join(d.path, waitingName, ticketName(mine.seq, ticketSuffix))
	put(t, path, "{")
	if f := found(); len(f) != 1 || f[0].Path != path || f[0].Severity != SeverityNote || !strings.Contains(f[0].Message, "JSON") {
		t.Errorf("findings %+v, want one on %q", f, path)
	}
	if err := mine.leave(); err != nil {
		t.Fatal(err)
	}
	if f := found(); len(f) > 0 {
		t.Errorf("after it has left: %+v", f)
	}
}
