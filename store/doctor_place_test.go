package store_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A lock file escapes paths that are not plain text. The directory exists
// nevertheless.
func TestDoctorFindsAWorktreeOfAnOddName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no such names")
	}
	w := newWorld(t)
	odd := w.link + "%20\u00e9%0A\n"
	w.git(w.main, "worktree", "add", "-q", "-b", "odd", odd)
	w.claim(odd, "one", "a")
	wantFindings(t, w.doctor(w.at(w.main), false).Result, nil)
	w.git(w.main, "worktree", "remove", odd)
	wantFindings(t, w.doctor(w.at(w.main), false).Result, []sick{{note, "worktrees", "-one", "agent-locks finish"}})
}

func TestDoctorDoesNotFollowALinkedStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.Symlink(t.TempDir(), w.dir()); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	wantFindings(t, w.doctor(w.at(w.main), true).Result, []sick{{problem, "store", "a symbolic link, not a directory", "move it away"}})
}

func TestDoctorHoldsTheStoreAgainstTheSharing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	w := newWorld(t)
	w.git(w.main, "config", "core.sharedRepository", "group")
	one, two := w.claim(w.main, "one", "a"), w.claim(w.main, "two", "b")
	wantFindings(t, w.doctor(w.at(w.main), false).Result, nil)
	for _, name := range []string{"", ".mutex", one + ".md", two + ".md"} {
		if err := os.Chmod(filepath.Join(w.dir(), name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files := sick{problem, "permissions", "so does 1 other lock file", "chmod"}
	wantFindings(t, w.doctor(w.at(w.main), false).Result, []sick{
		{problem, "permissions", "agents-locks\" has the permissions 0700", "chmod"},
		{problem, "permissions", ".mutex\" has the permissions 0700", "chmod"}, files,
	})
	fixed := wantFindings(t, w.doctor(w.at(w.main), true).Result, []sick{files})
	if diff := cmp.Diff([]string{"permissions", "permissions"}, fixed); diff != "" {
		t.Errorf("fixed (-want +got):\n%s", diff)
	}
}
