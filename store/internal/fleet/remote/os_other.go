//go:build !unix && !windows

package remote

import "os/exec"

// A session is a command.
type session struct{ cmd *exec.Cmd }

func startApart(cmd *exec.Cmd) (session, error) { return session{cmd}, cmd.Start() }

func (s session) kill() { _ = s.cmd.Process.Kill() } // it may have ended

func (s session) close() {}
