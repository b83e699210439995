//go:build unix

package setup

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What root sets up for a user stays the user's.
func TestOwnerStays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, ".mcp.json")
	write(t, path, "{}", 0o640)
	if err := os.Chown(path, 12345, 54321); err != nil {
		t.Skipf("this root cannot either: %v", err)
	}
	run(t, at(dir, "claude"))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if is := info.Sys().(*syscall.Stat_t); is.Uid != 12345 || is.Gid != 54321 || info.Mode().Perm() != 0o640 {
		t.Errorf("now of %d:%d, %v", is.Uid, is.Gid, info.Mode())
	}
}

// A pipe in the file's place is refused, not waited for.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, ".mcp.json"), 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if _, err := Plan(at(dir, "claude")); err == nil {
		t.Error("a pipe was taken for a settings file")
	}
}
