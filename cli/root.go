package cli

import (
	"github.com/spf13/cobra"
)

const rootHelp = `Advisory locks for AI agents that work on the same git repository:
claim files, see what others have claimed, leave a log of what was done.

The locks are markdown files in the git directory that all worktrees share.
Without arguments, agent-locks is an MCP server on stdin and stdout.`

const rootNotes = `Exit codes:
  0    success
  1    any error, including wrong usage; guard check refused a commit; doctor
       found a problem
  2    the answer, if an option asks for it (--exit-code, --if-free, --wait),
       if a wait timed out, or if state changed since its writer read it
  125  run: nothing was run; 126, 127: the command cannot be executed, was not
       found; any other is the command's own, 128+n if a signal ended it
  130  interrupted

Environment:
  AGENT_LOCKS_AGENT_ID       your id, unless --agent is given
  AGENT_LOCKS_PARENT_ID      the id of the agent that started you, unless
                             --parent is given
  AGENT_LOCKS_STALE_MINUTES  after how many silent minutes a lock is stale
                             (default 60)
  AGENT_LOCKS_GUARD          the commit guard: block, warn or off
  AGENT_LOCKS_TOOLS          which tools serve offers: default or all
  NO_COLOR                   no colours`

func newRoot(a *app) *cobra.Command {
	serve := newServe(a)
	version := false
	root := &cobra.Command{
		Use:     "agent-locks [command]",
		Short:   "advisory locks for AI agents that share a git repository",
		Long:    rootHelp,
		Example: "  agent-locks status\n  agent-locks claim --title \"Fix login\" --scope 'src/auth/**'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				return runVersion(a)
			}
			return serve.RunE(cmd, args)
		},
		Args:              onlyCommands,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.out)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(a.out, cmd) })
	root.Flags().BoolVar(&version, "version", false, "print the version")
	all := root.PersistentFlags()
	all.Var(lastWins{&a.baseDir}, "base-dir", "the repository that `path` lies in (default: the working directory's)")
	all.BoolVar(&a.json, "json", false, "print the answer as one line of JSON")
	all.BoolP("help", "h", false, "print help")
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Every day:", []*cobra.Command{
			newStatus(a), newCheck(a), newClaim(a), newUpdate(a), newTell(a), newFinish(a), newLog(a), newRun(a),
		}},
		{"Sometimes:", []*cobra.Command{
			newBoard(a), newList(a), newShow(a), newWait(a), newState(a), newDrift(a), newForecast(a), newReopen(a), newReap(a),
			newPrune(a), newDoctor(a),
		}},
		{"To set up, and for programs:", []*cobra.Command{
			newSetup(a), newGuard(a), newFleet(a), newDemo(a), newCompletion(a), newMan(a), newVersion(a), serve,
			newConnect(a), newHook(a), newHeartbeat(a),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, command := range g.commands {
			command.GroupID = g.title
			root.AddCommand(command)
		}
	}
	root.SetHelpCommand(newHelp())
	return root
}
