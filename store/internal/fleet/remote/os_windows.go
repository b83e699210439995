package remote

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A session is a job object: a command with all that it has started.
type session struct {
	job windows.Handle
	cmd *exec.Cmd
}

// startApart starts a command without a console, in a job of its own.
func startApart(cmd *exec.Cmd) (session, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return session{}, err
	}
	s := session{job, cmd}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK
	if _, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
		err = cmd.Start()
	}
	if err != nil {
		s.close()
		return session{}, err
	}
	s.assign()
	return s, nil
}

// assign puts the process into the job. Where it cannot be, kill ends the
// process alone.
func (s session) assign() {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false,
		uint32(s.cmd.Process.Pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(process)
	_ = windows.AssignProcessToJobObject(s.job, process)
}

func (s session) kill() {
	_ = windows.TerminateJobObject(s.job, 1)
	_ = s.cmd.Process.Kill() // it may have ended
}

func (s session) close() { _ = windows.CloseHandle(s.job) }
