// Package cli is the command line of agent-locks, for people, scripts and
// hooks: each command turns its flags into one request to the store, and the
// answer into text or JSON.
//
// Call Main from main, or Run with a World of your own. Stdout gets the answer
// and nothing else; with --json, exactly the bytes that the same tool returns
// over MCP, and a newline. Warnings and errors go to stderr, each line prefixed
// with "agent-locks: ", except for the hint that may follow an error and says
// what to do about it. Lock files contain other people's text, so control
// characters are escaped in everything that is printed as text; JSON is exact.
package cli

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
)

// A World is what a command gets from its process: arguments, streams,
// environment, clock, terminal. Nothing else in this package reads them.
type World struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ func() []string
	Getwd   func() (string, error)
	Now     func() time.Time
	TempDir string // where demo creates its repository

	// Executable returns the path of this program, for what has to start it
	// later without a PATH.
	Executable func() (string, error)

	StdinIsTerminal  bool
	StderrIsTerminal bool
	Columns          func() int // the width of the terminal on stdout; 0: not a terminal
	Rows             func() int // the height of that terminal

	// Keys sends each byte typed, immediately and without echo, until one of
	// them ends the board or restore is called. It is nil if stdin is not a
	// terminal.
	Keys func() (keys <-chan byte, restore func(), err error)

	// Signals subscribes to the signals that end programs, except those that
	// the parent chose to ignore; may be nil. Only run uses it: it passes them
	// on to its command.
	Signals func() (signals <-chan os.Signal, stop func())

	// OutputGone reports whether the reader of stdout has closed it; may be
	// nil. Only commands that run for long without writing use it.
	OutputGone func() bool

	// IgnoreBrokenPipe makes a write to a closed stdout an error instead of
	// ending the process; may be nil.
	IgnoreBrokenPipe func()
}

// Run executes the command that w.Args names and returns the exit code: 0 for
// success; 1 for any error, wrong usage included; 2 for an answer that was
// requested as an exit code; 130 if ctx ended first. The command run returns
// the exit code of the program that it ran, or 125 to 127 if it could not run
// it.
func Run(ctx context.Context, w World) int {
	return run(ctx, w, newStore(w))
}

// An app is one run of the program: its world, the operations of the store, and
// the flags that every command has.
type app struct {
	World
	locks   locks
	out     *bufio.Writer  // stdout
	baseDir *string        // --base-dir; nil if not given
	json    bool           // --json
	flags   *pflag.FlagSet // of the executed command
}

// locks has the store operations that commands use. It is an interface so that
// tests can inspect the requests and choose the answers.
type locks interface {
	Query(context.Context, store.QueryRequest) (store.Answer[[]store.Summary], error)
	Check(context.Context, store.CheckRequest) (store.Answer[[]store.Summary], error)
	Wait(context.Context, store.WaitRequest) (store.Answer[store.Waited], error)
	Create(context.Context, store.CreateRequest) (store.Answer[store.Created], error)
	Update(context.Context, store.UpdateRequest) (store.Answer[store.Updated], error)
	Finish(context.Context, store.FinishRequest) (store.Answer[store.Finished], error)
	Heartbeat(context.Context, store.HeartbeatRequest) (store.Answer[store.Refreshed], error)
	History(context.Context, store.HistoryRequest) (store.Answer[[]store.Whole], error)
	Drift(context.Context, store.DriftRequest) (store.Answer[[]store.LockDrift], error)
	Forecast(context.Context, store.ForecastRequest) (store.Answer[store.Foreseen], error)
	Doctor(context.Context, store.DoctorRequest) (store.Answer[store.Diagnosis], error)
	Prune(context.Context, store.PruneRequest) (store.Answer[[]store.Pruned], error)
	Reopen(context.Context, store.ReopenRequest) (store.Answer[store.Reopened], error)
	Reap(context.Context, store.ReapRequest) (store.Answer[[]store.Reaped], error)
	SetState(context.Context, store.SetStateRequest) (store.Answer[store.StateWritten], error)
	GetState(context.Context, store.GetStateRequest) (store.Answer[store.StateEntry], error)
	ListState(context.Context, store.ListStateRequest) (store.Answer[store.StateListing], error)
	ExportState(context.Context, store.Target, func(store.StateExported) error) (store.Answer[int], error)
	DeleteStates(context.Context, store.DeleteStatesRequest) (store.Answer[[]store.StateWritten], error)
	Show(context.Context, store.ShowRequest) (store.Answer[store.Whole], error)
	Guard(context.Context, store.GuardRequest) (store.Answer[store.Guarded], error)
	SessionStart(context.Context, store.SessionRequest) (store.Answer[store.Started], error)
	SubagentStart(context.Context, store.SessionRequest) (store.Answer[store.Started], error)
	SessionEnd(context.Context, store.SessionRequest) (store.Answer[store.Started], error)
	SessionWaits(context.Context, store.SessionRequest) (store.Answer[[]string], error)
	SessionWorks(context.Context, store.SessionRequest) (store.Answer[[]string], error)
	Edit(context.Context, store.EditRequest) (store.Answer[store.EditVerdict], error)
	Edited(context.Context, store.EditRequest) (store.Answer[store.EditFollowUp], error)
	FleetOn(context.Context, store.FleetRequest) (store.Answer[store.FleetState], error)
	FleetOff(context.Context, store.FleetRequest) (store.Answer[store.FleetState], error)
	FleetStatus(context.Context, store.FleetRequest) (store.Answer[store.FleetState], error)
	FleetSync(context.Context, store.FleetRequest) (store.Answer[store.FleetState], error)
	FleetSyncApart(context.Context, store.FleetRequest) (store.Answer[store.FleetState], error)
	FleetPurge(context.Context, store.FleetRequest) (store.Answer[store.FleetState], error)
	FleetReset(context.Context, store.FleetRequest) (store.Answer[store.FleetState], error)
	GuardSettings(context.Context, store.Target) (store.Answer[store.GuardState], error)
}

func run(ctx context.Context, w World, l locks) int {
	a := &app{World: w, locks: l, out: bufio.NewWriter(output{w.Stdout})}
	root := newRoot(a)
	// With a nil slice cobra would use the process's own arguments.
	root.SetArgs(append([]string{}, withNegatives(root, w.Args)...))
	if len(w.Args) > 0 && w.Args[0] == cobra.ShellCompRequestCmd {
		describePlainly(root)
	}
	cmd, err := root.ExecuteContextC(ctx)
	a.flags = cmd.Flags()
	return a.report(ctx, cmp.Or(err, a.flush()))
}

// getenv returns the value of a variable in this run's environment, or "" if it
// is not set.
func (a *app) getenv(name string) string { return gitdir.Getenv(a.Environ(), name) }

// screen describes the terminal on stdout. Text may be styled unless TERM is
// "dumb" or NO_COLOR is set to anything (no-color.org).
func (a *app) screen() render.Screen {
	if a.Columns == nil || a.Columns() == 0 {
		return render.Screen{}
	}
	return render.Screen{Width: a.Columns(), Coloured: a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"}
}

// target is the repository that the command is about.
func (a *app) target() store.Target { return store.Target{BaseDir: a.baseDir} }

// caller is what this call's flags say about the caller's identity and
// directory.
func (a *app) caller(agent *string) render.Caller {
	return render.Caller{BaseDir: a.baseDir, Agent: agent}
}

// repository finds the repository that contains baseDir; nil: the working
// directory.
func (a *app) repository(ctx context.Context, baseDir *string) (*gitdir.Repo, error) {
	repo, err := gitdir.Find(ctx, gitdir.Query{BaseDir: baseDir, Getwd: a.Getwd, Environ: a.Environ()})
	if err != nil {
		return nil, store.GitError(err)
	}
	return repo, nil
}
