package forecast

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The scratch repository is in memory where that has room for it and nobody
// named another place.
func TestScratchInMemory(t *testing.T) {
	mounted := func(options string) string {
		dir := t.TempDir()
		if err := syscall.Mount("none", dir, "tmpfs", 0, options); err != nil {
			t.Skipf("cannot mount: %v", err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		return dir
	}
	system, named := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", system)
	large := mounted("size=2g,nr_inodes=100k")
	for _, test := range []struct{ what, temp, memory, in string }{
		{"room", "", large, large},
		{"named place", named, large, named},
		{"little room", "", mounted("size=64m"), system},
		{"few files", "", mounted("size=2g,nr_inodes=1k"), system},
		{"nothing there", "", filepath.Join(system, "nothing"), system},
		{"no such thing", "", "", system},
	} {
		dir, err := makeTemp(test.temp, test.memory)
		if err != nil || filepath.Dir(dir) != test.in || !strings.HasPrefix(filepath.Base(dir), scratchPrefix) {
			t.Errorf("%s: %q, %v; want in %q", test.what, dir, err, test.in)
		}
	}
	if err := syscall.Mount("none", large, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if dir, err := makeTemp("", large); err != nil || filepath.Dir(dir) != system {
		t.Errorf("read-only: %q, %v", dir, err)
	}
	if fast("/proc") != "" || fast(os.TempDir()) != "" && !isMemory(t, os.TempDir()) {
		t.Error("what is not in memory counts")
	}
}

func isMemory(t *testing.T, dir string) bool {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	return int64(s.Type) == tmpfs
}
