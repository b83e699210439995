//go:build unix

package remote

import (
	"os"
	"testing"
)

// What git says goes into files that have no name by the time it runs, so that a
// process which is killed leaves none behind.
func TestOutputFilesHaveNoName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	r := &Repository{program: "/bin/sh"}
	out, err := r.run(t.Context(), call{dir: dir, environ: os.Environ(), args: []string{"-c", `echo said; ls -A "$TMPDIR"`}})
	if err != nil || out.stdout != "said\n" {
		t.Errorf("%q, %v", out.stdout, err)
	}
}
