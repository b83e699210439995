package cli

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// startApart starts a program without a console and, if the job allows
// breakaway, outside our job object, which may end with us.
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

// closeInherited does nothing: on Windows a child inherits only the handles
// that it is given explicitly.
func closeInherited() {}
