// Package cli is the face of agent-locks for people, scripts and hooks: each
// command turns its flags into one request to the store and the answer into
// text or JSON.
//
// Call Main from main, or Run with a World of one's own. Streams keep to
// these rules: stdout has the answer and nothing else (under --json exactly
// the bytes that the same tool gives over MCP, and a newline); warnings and
// errors go to stderr, each line with the prefix "agent-locks: " except for the
// hint that may follow an error, which says what to do. What comes out of
// lock files is other people's text, so whatever is printed as text has its
// control characters escaped; JSON is exact.
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

// A World is everything outside that a command touches. Nothing in this
// package reaches past it.
type World struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ func() []string
	Getwd   func() (string, error)
	Now     func() time.Time
	TempDir string // where demo makes its repository

	// Executable is the path of this very program, for what is to start it
	// later without a PATH.
	Executable func() (string, error)

	StdinIsTerminal  bool
	StderrIsTerminal bool
	Columns          func() int // the width of the terminal that stdout is; 0: it is none
	Rows             func() int // and its height

	// Keys sends each byte that is typed, at once and without showing it, until
	// one that ends the board, or until restore is called. nil: stdin is not a
	// terminal.
	Keys func() (keys <-chan byte, restore func(), err error)

	// Signals subscribes to the signals that end programs, as long as nobody has
	// chosen to ignore them; may be nil. Only run asks: they are its command's.
	Signals func() (signals <-chan os.Signal, stop func())

	// OutputGone reports that the reader of stdout has closed it; may be nil.
	// Only what runs for long without writing asks.
	OutputGone func() bool

	// IgnoreBrokenPipe makes a write to a closed stdout an error instead of
	// the end of the process. Only serve wants that; may be nil.
	IgnoreBrokenPipe func()
}

// Run carries out the command that w.Args names and returns the exit code:
// 0, or 1 for any error, wrong usage included, 2 for an answer that was asked
// for as an exit code, 130 when ctx ended first; of the command run that of what
// it ran, or 125 to 127 where that could not be run.
func Run(ctx context.Context, w World) int {
	return run(ctx, w, newStore(w))
}

// An app is one run of the program: the world, the operations, and the flags
// that every command has.
type app struct {
	World
	locks   locks
	out     *bufio.Writer  // stdout
	baseDir *string        // --base-dir, nil where it was not given
	json    bool           // --json
	flags   *pflag.FlagSet // of the command that ran
}

// The operations of the store that commands use, behind an interface so that
// tests see the requests and choose the answers.
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
	// A nil slice would make cobra take the process's own arguments.
	root.SetArgs(append([]string{}, withNegatives(root, w.Args)...))
	if len(w.Args) > 0 && w.Args[0] == cobra.ShellCompRequestCmd {
		describePlainly(root)
	}
	cmd, err := root.ExecuteContextC(ctx)
	a.flags = cmd.Flags()
	return a.report(ctx, cmp.Or(err, a.flush()))
}

// getenv is the value of a variable in this run's environment; "" where it is
// not set.
func (a *app) getenv(name string) string { return gitdir.Getenv(a.Environ(), name) }

// screen is where stdout is read. Text there may carry styles on a terminal
// that does not call itself dumb, and not where NO_COLOR is set to anything
// (no-color.org).
func (a *app) screen() render.Screen {
	if a.Columns == nil || a.Columns() == 0 {
		return render.Screen{}
	}
	return render.Screen{Width: a.Columns(), Coloured: a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"}
}

// target is the repository that the call is about.
func (a *app) target() store.Target { return store.Target{BaseDir: a.baseDir} }

// caller is what the flags of this call say of who calls, and from where.
func (a *app) caller(agent *string) render.Caller {
	return render.Caller{BaseDir: a.baseDir, Agent: agent}
}

// repository is the one that baseDir lies in; nil: the working directory.
func (a *app) repository(ctx context.Context, baseDir *string) (*gitdir.Repo, error) {
	repo, err := gitdir.Find(ctx, gitdir.Query{BaseDir: baseDir, Getwd: a.Getwd, Environ: a.Environ()})
	if err != nil {
		return nil, store.GitError(err)
	}
	return repo, nil
}
