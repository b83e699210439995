//go:build unix

package storetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// AsNobody makes cmd run as a user without rights, from a copy of the test
// binary that this user can reach, in a directory that it can reach.
func AsNobody(t *testing.T, cmd *exec.Cmd, common string) {
	t.Helper()
	bin := t.TempDir()
	data, err := os.ReadFile(cmd.Path)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = filepath.Join(bin, "store.test")
	cmd.Dir = bin
	// A process that a parallel test starts meanwhile would inherit the open
	// file, and the system runs no file that is open for writing.
	syscall.ForkLock.RLock()
	err = os.WriteFile(cmd.Path, data, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{bin, filepath.Dir(bin), filepath.Dir(common)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	probe := exec.Command(cmd.Path, "-test.run=^$")
	probe.Dir, probe.SysProcAttr = cmd.Dir, cmd.SysProcAttr
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("cannot run as another user here: %v %s", err, out)
	}
}
