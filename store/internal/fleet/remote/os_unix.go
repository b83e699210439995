//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// A session is a command with all that it has started.
type session struct{ leader int }

// startApart starts a command in a session of its own. A process group alone
// would be stopped when it reads the terminal, and then survive SIGTERM.
func startApart(cmd *exec.Cmd) (session, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return session{}, err
	}
	return session{cmd.Process.Pid}, nil
}

// kill ends the process group that the session began with. What has left it,
// as the connection that ssh keeps, stays.
func (s session) kill() { _ = syscall.Kill(-s.leader, syscall.SIGKILL) } // it may have ended

func (s session) close() {}
