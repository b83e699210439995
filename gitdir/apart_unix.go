//go:build unix

package gitdir

import (
	"os/exec"
	"syscall"
)

// A Session is a command with all that it has started.
type Session struct{ leader int }

// StartApart starts a command in a session of its own. A process group alone
// would be stopped when it reads the terminal, and then survive SIGTERM.
func StartApart(cmd *exec.Cmd) (Session, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return Session{}, err
	}
	return Session{cmd.Process.Pid}, nil
}

// Kill ends the process group that the session began with. What has left it,
// as the connection that ssh keeps, stays.
func (s Session) Kill() { _ = syscall.Kill(-s.leader, syscall.SIGKILL) } // it may have ended

// Close forgets the session; what it started may run on.
func (s Session) Close() {}
