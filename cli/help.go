package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// helpWidth is the column at which flag descriptions wrap. It is fixed, so that
// help reads the same everywhere.
const helpWidth = 80

// printHelp writes a command's description, usage, example and flags.
func printHelp(w io.Writer, cmd *cobra.Command) {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n", about, cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExample:\n%s\n", cmd.Example)
	}
	for _, g := range cmd.Groups() {
		printCommands(w, cmd, g.Title, g.ID)
	}
	if cmd.HasAvailableSubCommands() && len(cmd.Groups()) == 0 {
		printCommands(w, cmd, "Commands:", "")
	}
	if flags := cmd.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsagesWrapped(helpWidth))
	}
	everywhere := cmd.InheritedFlags()
	if !cmd.HasParent() {
		everywhere = cmd.PersistentFlags()
	}
	fmt.Fprintf(w, "\nFlags of every command:\n%s", everywhere.FlagUsagesWrapped(helpWidth))
	if !cmd.HasParent() {
		fmt.Fprintf(w, "\n%s\n", rootNotes)
	}
}

// printCommands lists the commands of a group.
func printCommands(w io.Writer, cmd *cobra.Command, title, group string) {
	fmt.Fprintf(w, "\n%s\n", title)
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.GroupID == group {
			fmt.Fprintf(w, "  %-11s %s\n", c.Name(), c.Short)
		}
	}
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "print help for a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, _, err := cmd.Root().Find(args)
			if err != nil || len(args) > 0 && !about.HasParent() {
				return unknownCommand(cmd.Root(), args[0])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
