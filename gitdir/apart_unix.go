//go:build unix

package gitdir

import (
	"os/exec"
	"syscall"
	"time"
)

// A Session is a started command together with its descendants.
type Session struct{ leader int }

// StartApart starts a command in a session of its own. A process group alone
// would not do: it would be stopped when it reads the terminal, and then
// survive SIGTERM.
func StartApart(cmd *exec.Cmd) (Session, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return Session{}, err
	}
	return Session{cmd.Process.Pid}, nil
}

// End asks the command's process group to end, and kills what is left of it after the
// grace period. A git that is asked removes its lock files, also in a remote that is a
// path; one that is killed leaves them, and blocks every later push.
func (s Session) End(grace time.Duration) {
	_ = syscall.Kill(-s.leader, syscall.SIGTERM) // it may have ended already
	end := time.After(grace)
	for syscall.Kill(-s.leader, 0) == nil {
		select {
		case <-end:
			s.Kill()
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Kill kills the command's process group. Descendants that have left the group,
// such as ssh's persistent connections, keep running.
func (s Session) Kill() { _ = syscall.Kill(-s.leader, syscall.SIGKILL) } // it may have ended already

// Close releases the session without ending any process.
func (s Session) Close() {}
