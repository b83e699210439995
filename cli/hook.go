package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/claude"
)

// hookLimit is how long a hook may take. It is well under the ten seconds that
// setup configures, after which the client lets the edit through.
const hookLimit = 5 * time.Second

func newHook(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "hook <client> <event>",
		Short: "answer an agent's client before and after edits",
		Long: "Answer one event of an agent's client (claude), given as JSON on stdin: tell the\n" +
			"session its id, deny edits of files that somebody else holds, keep the\n" +
			"session's locks alive. The client runs it; agent-locks setup claude adds it to\n" +
			"the client's settings.\n\n" +
			"Events: " + strings.Replace(claude.Events, "post-tool-use, ", "post-tool-use,\n", 1) + "\n\n" +
			"Whatever stdin contains, hook claude prints an answer and exits with 0.",
		Example: "  agent-locks hook claude pre-tool-use < event.json",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("the only client is claude", "hook needs the name of a client")
			case args[0] != "claude":
				return usage("the only client is claude; agent-locks setup knows others, which have no hooks", "unknown client %q",
					args[0])
			case len(args) == 1 && a.StdinIsTerminal: // otherwise the event itself may say which it is
				return usage("events are "+claude.Events, "hook needs an event")
			case len(args) > 2:
				return usage(helpHint(cmd), "hook takes a client and an event, got %d arguments, the third %q", len(args), args[2])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			hook := claude.Hook{Locks: a.locks, Getenv: a.getenv, Getwd: a.Getwd, BaseDir: a.baseDir, Warn: a.warn,
				Limit: hookLimit}
			reply := hook.Reply(cmd.Context(), append(args, "")[1], a.readObject)
			err := a.printJSON(reply)
			if err == nil {
				a.delivered(reply.Delivered)
			}
			return err
		},
	}
}
