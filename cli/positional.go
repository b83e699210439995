package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// What commands take besides flags.

// noArgs refuses positional arguments; hint says where they belong.
func noArgs(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return usage(cmp.Or(expandedHint(cmd), hint, helpHint(cmd)), "%s takes no arguments, got %q", cmd.Name(), args[0])
	}
}

// expandedHint is for the rest of a list of paths, of which a flag takes one, as
// when a shell has expanded a glob; "" where no such flag was given.
func expandedHint(cmd *cobra.Command) string {
	for _, name := range []string{"scope", "add-scope", "remove-scope"} {
		if cmd.Flags().Changed(name) {
			return fmt.Sprintf("give each path its own --%s, and quote globs so that the shell does not expand them", name)
		}
	}
	return ""
}

// textHint is for a text that was given without its flag, which would be -m; ""
// where a command has none, or the argument is a single word.
func textHint(cmd *cobra.Command, arg string) string {
	if cmd.Flags().ShorthandLookup("m") == nil || !strings.Contains(arg, " ") {
		return ""
	}
	return fmt.Sprintf("did you mean -m %s?", shell.Word(arg))
}

// needGlobs asks for at least one path or glob.
func needGlobs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && !cmd.Flags().Changed("scope") {
		return usage(fmt.Sprintf("as in agent-locks %s 'src/**'", cmd.Name()), "%s needs a path or glob", cmd.Name())
	}
	return nil
}

// onlyCommands refuses a word that is none of a command's own commands.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return nil
}

// oneID asks for exactly one lock id.
func oneID(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usage(listHint(cmd), "%s needs the id of a lock", cmd.Name())
	case 1:
		return nil
	default:
		hint := cmp.Or(expandedHint(cmd), textHint(cmd, args[1]), helpHint(cmd))
		return usage(hint, "%s takes one lock id, got %d arguments, the second %q", cmd.Name(), len(args), args[1])
	}
}

// listHint names the command that lists the locks that cmd is for.
func listHint(cmd *cobra.Command) string {
	switch cmd.Name() {
	case "reopen":
		return "agent-locks list --status done lists them"
	case "show":
		return "agent-locks list --status all lists them"
	}
	return "agent-locks status lists them"
}

// optionalID is the lock that the arguments name, nil where they name none.
func optionalID(args []string) *string {
	if len(args) == 0 {
		return nil
	}
	ref := lockID(args[0])
	return &ref.LockID
}

func atMostOneID(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return oneID(cmd, args)
}

// lockID is an id as the command line takes it: one that was copied from a
// table may still wear the mark of having been cut.
func lockID(arg string) store.Ref {
	return store.Ref{LockID: strings.TrimSuffix(arg, render.Ellipsis)}
}
