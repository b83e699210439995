package store

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// If git's config cannot be read, it is not known whether letter case matters:
// names are compared ignoring case, and the answer is marked as inexact.
func TestUnreadableConfigFoldsCase(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	e := hold(t, common, "one", "src/API/x.ts")
	repo := storetest.RepoAt(common)
	repo.ConfigErr = errors.New("it is torn")
	c, err := storeAt(common).enter(t.Context(), repo, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.dir.Close()
	scope, err := c.paths.Parse([]string{"src/api/x.ts"})
	if err != nil {
		t.Fatal(err)
	}
	if got := overlapSummaries(c, overlappingWith(c, scope, []disk.Entry{e}), rules.DefaultMinutes); len(got) != 1 || got[0].Overlaps[0].Exact {
		t.Errorf("it meets %+v", got)
	}
	if len(c.warnings) != 1 || !strings.Contains(c.warnings[0], "it is torn") {
		t.Errorf("warnings %q", c.warnings)
	}
}
