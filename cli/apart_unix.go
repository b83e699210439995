//go:build unix

package cli

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func startApart(child *exec.Cmd) error {
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return child.Start()
}

// mostInherited bounds the descriptors to check: shells pass on low numbers.
const mostInherited = 256

// closeInherited closes descriptors that our parent was itself given to pass
// on, as with a shell's 3>&1. Everything this program opens is close-on-exec,
// so a descriptor without that flag is not ours.
func closeInherited() {
	for fd := 3; fd < mostInherited; fd++ {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd) // nothing to do if it fails
		}
	}
}
