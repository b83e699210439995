//go:build !unix && !windows

package gitdir

import "os/exec"

// A Session is a started command. This system cannot track its descendants.
type Session struct{ cmd *exec.Cmd }

func StartApart(cmd *exec.Cmd) (Session, error) { return Session{cmd}, cmd.Start() }

func (s Session) Kill() { _ = s.cmd.Process.Kill() } // it may have ended already

func (s Session) Close() {}
