package forecast_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A temporary directory that is full is said, and nothing counts as clean.
func TestFullTemporaryDirectory(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.conflicting()
	s.write("main/new", strings.Repeat("x", 1<<20))
	if err := syscall.Mount("none", s.temp, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(s.temp, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	res, err := forecast.Of(t.Context(), s.find("main"), forecast.Request{Temp: s.temp})
	if err == nil && (len(res.Pairs) != 1 || res.Pairs[0].Why == "" && len(res.Sides[0].Omitted) == 0) {
		t.Errorf("%+v", res)
	}
	if left, err := os.ReadDir(s.temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
