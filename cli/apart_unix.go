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

// mostInherited bounds the descriptors that are looked at: shells hand on low
// ones.
const mostInherited = 256

// closeInherited closes what the program that started us was itself given to hand
// on, as a shell's 3>&1: all that this program opens is closed by an exec, and
// what an exec has left open is not ours.
func closeInherited() {
	for fd := 3; fd < mostInherited; fd++ {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd) // it cannot be used either way
		}
	}
}
