//go:build !unix && !windows

package gitdir

import (
	"os/exec"
	"time"
)

// A Session is a started command. This system cannot track its descendants.
type Session struct{ cmd *exec.Cmd }

func StartApart(cmd *exec.Cmd) (Session, error) { return Session{cmd}, cmd.Start() }

func (s Session) Kill() { _ = s.cmd.Process.Kill() } // it may have ended already

// End kills: here, nothing can be asked to end.
func (s Session) End(time.Duration) { s.Kill() }

func (s Session) Close() {}
