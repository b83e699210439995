//go:build unix

package remote

import (
	"os"
	"testing"
)

// git's output goes to files that are already unlinked when it runs, so a killed process
// leaves none behind.
func TestOutputFilesHaveNoName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	r := &Repository{program: "/bin/sh"}
	out, err := r.run(t.Context(), call{dir: dir, environ: os.Environ(), args: []string{"-c", `echo said; ls -A "$TMPDIR"`}})
	if err != nil || out.stdout != "said\n" {
		t.Errorf("%q, %v", out.stdout, err)
	}
}
