package forecast_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A temporary directory that is full is named, whichever step it was that found no
// space, ours or git's, and nothing counts as clean.
func TestFullTemporaryDirectory(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.conflicting()
	s.write("main/new", strings.Repeat("x", 1<<20))
	for _, room := range []string{"size=16k", "size=40k", "size=64k", "size=128k", "size=1m",
		"nr_inodes=12", "nr_inodes=16"} {
		if err := syscall.Mount("none", s.temp, "tmpfs", 0, room); err != nil {
			t.Skipf("cannot mount: %v", err)
		}
		_, err := forecast.Of(t.Context(), s.find("main"), forecast.Request{Temp: s.temp})
		if at, ok := errors.AsType[*fs.PathError](err); !ok || at.Path != s.temp || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", room, err)
		}
		if left, err := os.ReadDir(s.temp); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
		if err := syscall.Unmount(s.temp, syscall.MNT_DETACH); err != nil {
			t.Fatal(err)
		}
	}
}
