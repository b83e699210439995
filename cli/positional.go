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

// Positional arguments.

// noArgs refuses positional arguments; hint says what to use instead.
func noArgs(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return usage(cmp.Or(expandedHint(cmd), hint, helpHint(cmd)), "%s takes no arguments, got %q", cmd.Name(), args[0])
	}
}

// expandedHint returns a hint for extra arguments after a flag that takes one
// path, as when a shell has expanded a glob; "" if no such flag was given.
func expandedHint(cmd *cobra.Command) string {
	for _, name := range []string{"scope", "add-scope", "remove-scope"} {
		if cmd.Flags().Changed(name) {
			return fmt.Sprintf("give each path its own --%s, and quote globs so that the shell does not expand them", name)
		}
	}
	return ""
}

// textHint returns a hint for text that was given without its flag -m; "" if
// the command has no such flag, or the argument is a single word.
func textHint(cmd *cobra.Command, arg string) string {
	if cmd.Flags().ShorthandLookup("m") == nil || !strings.Contains(arg, " ") {
		return ""
	}
	return fmt.Sprintf("did you mean -m %s?", shell.Word(arg))
}

// needGlobs requires at least one path or glob.
func needGlobs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && !cmd.Flags().Changed("scope") {
		return usage(fmt.Sprintf("as in agent-locks %s 'src/**'", cmd.Name()), "%s needs a path or glob", cmd.Name())
	}
	return nil
}

// onlyCommands refuses a word that is not a subcommand.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return nil
}

// oneID requires exactly one lock id.
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

// listHint names the command that lists the locks that cmd applies to.
func listHint(cmd *cobra.Command) string {
	switch cmd.Name() {
	case "reopen":
		return "agent-locks list --status done lists them"
	case "show":
		return "agent-locks list --status all lists them"
	}
	return "agent-locks status lists them"
}

// optionalID returns the lock that the arguments name, or nil.
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

// lockID returns a lock id as given on the command line: one copied from a
// table may still end in the ellipsis of a shortened id.
func lockID(arg string) store.Ref {
	return store.Ref{LockID: strings.TrimSuffix(arg, render.Ellipsis)}
}
