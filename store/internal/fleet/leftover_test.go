//go:build unix

package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// A failed fetch leaves no temporary files, and removes those of a killed one.
func TestFailedFetchLeavesNothing(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	objects := filepath.Join(a.Fleet.repo.Dir, "objects")
	for _, name := range []string{"pack/tmp_pack_x", "pack/tmp_idx_x", "00/tmp_obj_x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(objects, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		storetest.Put(t, filepath.Join(objects, name), "half")
	}
	bad := filepath.Join(realTemp(t), "bad")
	storetest.Put(t, bad, "tree 0\n")
	id := git(t, bare, "hash-object", "-w", "-t", "commit", "--literally", bad)
	storetest.Put(t, filepath.Join(bare, filepath.FromSlash(DefaultRef)), id+"\n")
	if _, err := a.Look(t.Context(), 20*time.Second, true); err == nil {
		t.Fatal("a look at a malformed commit succeeded")
	}
	err := filepath.WalkDir(objects, func(path string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), "tmp_") {
			t.Errorf("it left %q", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
