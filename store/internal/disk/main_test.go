package disk

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// opened opens the store in a common directory.
func opened(common string) (*Dir, error) {
	d, err := Open(storetest.RepoAt(common))
	if err == nil {
		d.Wait = storetest.Patience
	}
	return d, err
}

// at opens the store in a common directory for the duration of the test.
func at(t testing.TB, common string) *Dir {
	t.Helper()
	d, err := opened(common)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// locked acquires the mutex until the test ends or unlocks it.
func locked(t testing.TB, d *Dir) *Tx {
	t.Helper()
	tx, err := d.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tx.unlock(); err != nil {
			t.Error(err)
		}
	})
	return tx
}

const stamp = "2026-07-17T18-45-12"

// text returns a lock file whose notes show whether it is whole, and how often
// it was written. Its length varies accordingly.
func text(id, status string, serial int) string {
	return fmt.Sprintf(`---
id: %s
agent_id: null
parent_agent_id: null
status: %s
created: %s
updated: %s
scope:
  - src/**
---

# A title

- [ ] one

## Notes
- begin %d
- %s
- end %d
`, id, status, stamp, stamp, serial, strings.Repeat("x", 1+serial*7919%9000), serial)
}

// whole returns the serial of a file, or an error if the file was never written
// like that.
func whole(f *lockfile.File) (int, error) {
	var serial int
	if len(f.Lock.Notes) != 3 {
		return 0, fmt.Errorf("%s has %d notes", f.Lock.ID, len(f.Lock.Notes))
	}
	if _, err := fmt.Sscanf(f.Lock.Notes[0], "begin %d", &serial); err != nil {
		return 0, err
	}
	if want := text(f.Lock.ID, f.Lock.Status, serial); string(f.Bytes()) != want {
		return 0, fmt.Errorf("%s is not as it was written: %q", f.Lock.ID, f.Bytes())
	}
	return serial, nil
}

func parse(id, status string, serial int) (*lockfile.File, error) {
	return lockfile.Parse(id, []byte(text(id, status, serial)))
}

// made returns a parsed file. It must be called from the test's goroutine.
func made(t testing.TB, id, status string, serial int) *lockfile.File {
	t.Helper()
	f, err := parse(id, status, serial)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// fresh renders a new lock.
func fresh(id string) (*lockfile.File, error) { return parse(id, lockfile.Active, 0) }

// ids returns the ids of a listing, which must be whole and without faults.
func ids(t testing.TB, l Listing) []string {
	t.Helper()
	var got []string
	for _, e := range l.Entries {
		if _, err := whole(e.File); err != nil {
			t.Error(err)
		}
		got = append(got, e.Lock.ID)
	}
	if len(l.Bad) > 0 {
		t.Errorf("faults: %v", l.Bad)
	}
	return got
}

// listed lists locks and fails the test on errors.
func listed(t testing.TB, in interface {
	List(context.Context, Which) (Listing, error)
}, w Which) Listing {
	t.Helper()
	l, err := in.List(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestMain(m *testing.M) {
	roles := osRoles()
	for name, play := range map[string]storetest.Role{
		"hold":    func(args []string) error { return playHold(args[0]) },
		"count":   func(args []string) error { return playCount(args[0], args[1]) },
		"churn":   func(args []string) error { return playChurn(args[0]) },
		"crash":   func(args []string) error { return playCrash(args[0], args[1], args[2]) },
		"rewrite": func(args []string) error { return playRewrite(args[0]) },
		"commute": func(args []string) error { return playCommute(args[0]) },
	} {
		roles[name] = play
	}
	maps.Copy(roles, Roles)
	storetest.Main(m, roles)
}
