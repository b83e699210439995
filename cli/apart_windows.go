package cli

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// startApart starts a program without a console, and outside the job that may end
// with us, where that job lets it.
func startApart(child *exec.Cmd) error {
	const flags = windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
	again := *child
	child.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags | windows.CREATE_BREAKAWAY_FROM_JOB}
	if child.Start() == nil {
		return nil
	}
	*child = again
	child.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
	return child.Start()
}

// closeInherited has nothing to close: a program is given what it is named.
func closeInherited() {}
