package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

func newRun(a *app) *cobra.Command {
	var (
		request store.CreateRequest
		title   *string
	)
	cmd := &cobra.Command{
		Use:   "run [glob]... -- <command>",
		Short: "hold a claim while a command runs",
		Long: "Claim files if nothing blocks them, run a command, and finish the lock when it\n" +
			"ends, with its exit status in the summary. While it runs, the claim stays fresh,\n" +
			"and notes by others are shown on stderr. The command gets its agent id\n" +
			"(AGENT_LOCKS_AGENT_ID) and the id of its lock (AGENT_LOCKS_LOCK_ID). The lock\n" +
			"ends with the command. Processes that it leaves running are named if possible.\n\n" +
			"The exit code is the command's own, or 128 plus the number of the signal that\n" +
			"ended it. It is 125 if nothing was run, 126 if the command cannot be executed,\n" +
			"and 127 if it was not found.",
		Example: "  agent-locks run -t 'Format everything' 'src/**' --wait 5m -- make format",
		RunE: func(cmd *cobra.Command, args []string) error {
			scope, command, err := splitCommand(args, cmd.ArgsLenAtDash())
			if err == nil {
				err = a.checkClaim(cmd, title, &request, scope)
			}
			if err != nil {
				return coded{exitNotRun, err}
			}
			return a.runHolding(cmd.Context(), request, command)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return coded{exitNotRun, flagError(cmd, err)}
	})
	f := cmd.Flags()
	shortTextFlag(f, &title, "title", "t", "what the work is, one line of `text` (required)")
	scopeFlag(f, &request.Scope, "a path or `glob` from the repository's root, as the arguments are (repeatable)")
	agentFlag(f, &request.AgentID)
	parentFlag(f, &request.ParentAgentID)
	f.BoolVar(&request.Shared, "shared", false, "it only reads: shared claims do not overlap each other")
	leaseFlag(f, &request.LeaseMinutes)
	secondsFlag(f, &request.WaitSeconds, "wait",
		"wait up to `n` seconds, or 5m, 1h, for your turn, first come first served")
	return cmd
}

// splitCommand separates the scope from the command to run, which follows "--".
func splitCommand(args []string, dash int) (scope, command []string, err error) {
	if dash < 0 || dash == len(args) {
		return nil, nil, usage("put it after --, as in agent-locks run -t 'Format' 'src/**' -- make format",
			"run needs a command")
	}
	return args[:dash], args[dash:], nil
}

// runHolding runs a command while holding a claim.
func (a *app) runHolding(ctx context.Context, request store.CreateRequest, command []string) error {
	program, err := a.findProgram(command[0])
	if err != nil {
		return err // before we wait for a claim, or block others with it
	}
	signals, stop := a.signals()
	defer stop()
	request.IfFree = true
	claimed, err := a.locks.Create(a.withProgress(ctx), request)
	a.warn(claimed.Warnings)
	a.warn(render.StateNames(claimed.Result.State, claimed.Result.StateLeftOut))
	a.warn(render.Elsewhere(claimed.Result.ChangedElsewhere, claimed.Result.ChangedElsewhereLeftOut))
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return coded{exitNotRun, err}
	}
	k := &keeper{app: a, at: claimed.At, id: claimed.Result.ID, agentFlag: request.AgentID,
		agent: a.agentOf(request.AgentID, agentVariable), parent: a.agentOf(request.ParentAgentID, parentVariable)}
	// From here on signals are for the command: when it ends, so does the lock.
	rest := context.WithoutCancel(ctx)
	if err := ctx.Err(); err != nil {
		k.finish(rest, "nothing was run: interrupted")
		return err
	}
	child := exec.Command(program, command[1:]...)
	child.Args[0] = command[0]
	child.Env = a.childEnvironment(k)
	child.Stdin, child.Stdout, child.Stderr = a.Stdin, a.Stdout, a.Stderr
	before := orphans()
	if err := child.Start(); err != nil {
		k.finish(rest, fmt.Sprintf("%q could not be started: %v", command[0], err))
		return notStarted(command[0], err)
	}
	beating, done := context.WithCancel(rest)
	kept := k.keepAlive(beating, a.heartbeatEvery(request.LeaseMinutes))
	status, err := waitForChild(child, signals)
	done()
	<-kept
	k.finish(rest, fmt.Sprintf("%q %s", command[0], status))
	left := stillRunning(before)
	a.warn(inWords(left))
	if err != nil {
		return coded{exitNotRun, fmt.Errorf("cannot wait for %q: %w", command[0], err)}
	}
	return a.reportRun(runOutcome{k.id, status.code, left, k.notes})
}

// A runOutcome is what run --json reports at the end: on stderr, since stdout
// belongs to the command.
type runOutcome struct {
	ID           string    `json:"id"`
	ExitCode     int       `json:"exitCode"`
	StillRunning []process `json:"stillRunning"`

	store.NewNotes // what others noted meanwhile
}

func (a *app) reportRun(o runOutcome) error {
	if a.json {
		line, err := store.Encode(o)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stderr, "%s\n", line)
	}
	return answered(o.ExitCode)
}

// findProgram finds the program to run, as a shell in this directory would.
func (a *app) findProgram(name string) (string, error) {
	here, err := a.Getwd()
	if err != nil {
		here = "" // then only an absolute path can be found
	}
	program, err := gitdir.LookPath(a.Environ(), here, name)
	if err != nil {
		return "", notStarted(name, err)
	}
	return program, nil
}

// notStarted is the error for a command that could not be run.
func notStarted(name string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return coded{exitNotFound, usage("check that it is on the PATH; "+
			"for a script, that the program in its first line exists", "there is no command %q", name)}
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the path, which the message names already
	}
	return coded{exitNotExecutable, usage("make it executable; a script needs a first line such as #!/bin/sh",
		"%q cannot be executed: %v", name, err)}
}

// agentOf returns the agent id given by a flag, or else by a variable, as a
// lock would record it; nil if there is none.
func (a *app) agentOf(flag *string, variable string) *string {
	id := a.getenv(variable)
	if flag != nil {
		id = *flag
	}
	clean, err := lockfile.CleanAgent(id)
	if err != nil {
		return nil
	}
	return &clean
}

// The variables that tell a command its identity, and which lock it runs under.
const (
	agentVariable  = "AGENT_LOCKS_AGENT_ID"
	parentVariable = "AGENT_LOCKS_PARENT_ID"
	lockVariable   = "AGENT_LOCKS_LOCK_ID"
)

func (a *app) childEnvironment(k *keeper) []string {
	env := append(a.Environ(), runMark(), lockVariable+"="+k.id)
	if k.agent != nil {
		env = append(env, agentVariable+"="+*k.agent)
	}
	if k.parent != nil {
		env = append(env, parentVariable+"="+*k.parent)
	}
	return env
}
