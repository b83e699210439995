//go:build unix

package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// playExamine prints the problems found by a user without permissions.
func playExamine(common string) error {
	x := &exam{ctx: context.Background(), repo: storetest.RepoAt(common)}
	var err error
	if x.dir, err = disk.Open(x.repo); err != nil {
		x.failed(CheckStore, "", err)
	} else {
		x.usable()
		if x.dir.Exists() {
			x.mutex()
		}
	}
	for _, f := range x.findings {
		if f.Severity == SeverityProblem {
			fmt.Printf("%s %s\n", f.Check, filepath.Base(f.Path))
		}
	}
	return nil
}

func TestDoctorFindsWhatMayNotBeUsed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		store  bool
		change map[string]os.FileMode // by name in the common directory
		want   string
	}{
		{name: "no store, and none can be made", change: map[string]os.FileMode{".": 0o555}, want: "store common\n"},
		{name: "read-only", store: true, want: "store agents-locks\nstore done\n",
			change: map[string]os.FileMode{disk.Name: 0o555, disk.Name + "/done": 0o555}},
		{name: "unreadable", store: true, change: map[string]os.FileMode{disk.Name: 0}, want: "store .\n"},
		{name: "somebody's own mutex", store: true, want: "mutex .mutex\n",
			change: map[string]os.FileMode{disk.Name: 0o777, disk.Name + "/done": 0o777, disk.Name + "/.mutex": 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			common := filepath.Join(storetest.NewCommon(t), "common")
			if err := os.Mkdir(common, 0o777); err != nil {
				t.Fatal(err)
			}
			if c.store {
				storetest.Put(t, filepath.Join(common, disk.Name, ".mutex"), "")
				storetest.Put(t, filepath.Join(common, disk.Name, disk.DoneName, "2026-07-17T18-45-12-x.md"), "")
			}
			if err := os.Chmod(common, 0o777); err != nil {
				t.Fatal(err)
			}
			for name, mode := range c.change {
				path := filepath.Join(common, name)
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := os.Chmod(path, 0o777); err != nil {
						t.Error(err)
					}
				})
			}
			cmd := storetest.Process(t, "examine", common)
			if os.Getuid() == 0 { // not subject to permission bits
				storetest.AsNobody(t, cmd, common)
				if err := os.Chmod(filepath.Dir(filepath.Dir(common)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			out, err := cmd.Output()
			if err != nil || string(out) != c.want {
				t.Errorf("it found %q (%v), want %q", out, err, c.want)
			}
		})
	}
}

func TestMain(m *testing.M) {
	storetest.Main(m, map[string]storetest.Role{"examine": func(args []string) error { return playExamine(args[0]) }})
}
