//go:build unix

package gitdir

import (
	"os/exec"
	"syscall"
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

// Kill kills the command's process group. Descendants that have left the group,
// such as ssh's persistent connections, keep running.
func (s Session) Kill() { _ = syscall.Kill(-s.leader, syscall.SIGKILL) } // it may have ended already

// Close releases the session without ending any process.
func (s Session) Close() {}
