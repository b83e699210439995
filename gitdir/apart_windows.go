package gitdir

import (
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A Session is a job object with a started command and its descendants.
type Session struct {
	job windows.Handle
	cmd *exec.Cmd
}

// StartApart starts a command without a console, in a job object of its own.
func StartApart(cmd *exec.Cmd) (Session, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return Session{}, err
	}
	s := Session{job, cmd}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK
	if _, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
		err = cmd.Start()
	}
	if err != nil {
		s.Close()
		return Session{}, err
	}
	s.assign()
	return s, nil
}

// assign puts the process into the job. If that fails, Kill ends only the
// process itself.
func (s Session) assign() {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false,
		uint32(s.cmd.Process.Pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(process)
	_ = windows.AssignProcessToJobObject(s.job, process)
}

func (s Session) Kill() {
	_ = windows.TerminateJobObject(s.job, 1)
	_ = s.cmd.Process.Kill() // it may have ended already
}

// End kills: here, nothing can be asked to end.
func (s Session) End(time.Duration) { s.Kill() }

func (s Session) Close() { _ = windows.CloseHandle(s.job) }
