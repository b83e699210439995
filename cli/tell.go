package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

// newTell returns update --note under a name of its own: refusals ask people to
// coordinate with a holder, who is somebody else.
func newTell(a *app) *cobra.Command {
	var request store.UpdateRequest
	cmd := &cobra.Command{
		Use:   "tell <id> <text>",
		Short: "leave a note for the holder of a lock",
		Long: "Add a note to anybody's lock. The holder gets it with its next update,\n" +
			"heartbeat, finish or edit. This is like update --note, except that without an id\n" +
			"it never counts as the holder's own note; - reads the text from stdin.",
		Example: "  agent-locks tell fix-login 'may I have src/auth/token.go?'",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("agent-locks status lists them", "tell needs the id of a lock")
			case len(args) == 1 && request.Note == nil:
				return usage("as in agent-locks tell fix-login 'may I have go.mod?'", "tell needs a text")
			case len(args) == 2 && request.Note != nil:
				return usage("give one of the two", "the text %q and --note exclude each other", args[1])
			case len(args) > 2:
				return usage("quote the text", "tell takes a lock id and one text, got %d arguments, the third %q",
					len(args), args[2])
			}
			return nil
		},
		ValidArgsFunction: completeIDs(a, "active"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				request.Note = &args[1]
			}
			if err := a.fromStdin(cmd.Context(), &request.Note); err != nil {
				return err
			}
			request.Target, request.Ref, request.Tell = a.target(), lockID(args[0]), true
			ans, err := a.locks.Update(cmd.Context(), request)
			if len(args) == 2 {
				err = ofText(err)
			}
			return answer(a, ans, err, render.NoteLeft)
		},
	}
	shortTextFlag(cmd.Flags(), &request.Note, "note", "m", "the `text`, as a flag")
	agentFlag(cmd.Flags(), &request.AgentID)
	return cmd
}

// ofText rewords an error about a note for text that was given as an argument.
func ofText(err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok {
		return err
	}
	named := strings.NewReplacer("`note`", "the text")
	said := *e
	said.Message, said.Hint = named.Replace(e.Message), named.Replace(e.Hint)
	return &said
}
