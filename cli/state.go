package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newState(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "read and write shared state: short texts with versions",
		Long: "Keep what all agents need to know: a budget, the next number, a contract. Each\n" +
			"entry is a short text with a version; every write adds 1 to it. You cannot\n" +
			"overwrite a version that you have not read: --if-version says which one you\n" +
			"read. An agent that claims files is told about the entries that concern them.\n\n" +
			"A name has one to three parts, as in api/limits.",
		Example: "  agent-locks state set api/limits 'At most 100 requests a minute' --scope 'src/api/**'\n" +
			"  agent-locks state get api/limits\n" +
			"  agent-locks state add budget -8000 --min 0",
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStateSet(a), newStateAppend(a), newStateAdd(a), newStateDelete(a), newStateGet(a), newStateList(a),
		newStateLog(a), newStateExport(a))
	return cmd
}

// stateArgs requires a name and, if text is not "", at most one text, which it
// describes.
func stateArgs(text string, required bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		most := 1
		if text != "" {
			most = 2
		}
		switch {
		case len(args) == 0:
			return usage("agent-locks state list lists them", "%s needs the name of an entry", cmd.CommandPath())
		case len(args) < most && required:
			return usage(helpHint(cmd), "%s needs %s after the name", cmd.CommandPath(), text)
		case len(args) > most && most == 2:
			return usage("quote the text, if it is one", "%s takes a name and %s, got %d arguments, the third %q",
				cmd.CommandPath(), text, len(args), args[2])
		case len(args) > most:
			return usage(helpHint(cmd), "%s takes one name, got %d arguments, the second %q", cmd.CommandPath(), len(args),
				args[1])
		}
		return nil
	}
}

// completeEntries completes names of entries, described by their first lines.
func completeEntries(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ans, err := a.locks.ListState(cmd.Context(), store.ListStateRequest{Target: a.target()})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError | cobra.ShellCompDirectiveNoFileComp
		}
		var names []cobra.Completion
		for _, e := range ans.Result.Entries {
			if strings.HasPrefix(e.Name, typed) {
				names = append(names, cobra.CompletionWithDesc(e.Name, render.Plain(e.FirstLine)))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// ofArguments rewords an error about a tool's arguments for values that were
// typed without a flag.
func ofArguments(err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok {
		return err
	}
	named := strings.NewReplacer("`text`: ", "", "`text` ", "the text ", "`name`: ", "", "`history`: ", "")
	said := *e
	said.Message, said.Hint = named.Replace(e.Message), named.Replace(e.Hint)
	return &said
}

// writeEntry executes a command that writes an entry, and prints the result.
func (a *app) writeEntry(ctx context.Context, args []string, request store.SetStateRequest) error {
	request.Target, request.Name = a.target(), args[0]
	if len(args) > 1 {
		request.Text = &args[1]
	}
	if err := a.fromStdin(ctx, &request.Text); err != nil {
		return err
	}
	ans, err := a.locks.SetState(ctx, request)
	return answer(a, ans, ofArguments(err), render.StateWritten(request.Mode))
}

// withNegatives moves the negative numbers among a state command's arguments
// behind a "--", so that they are not taken for flags.
func withNegatives(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Parent() == nil || cmd.Parent().Name() != "state" || slices.Contains(args, "--") {
		return args
	}
	var kept, numbers []string
	for i, arg := range args {
		isNumber := len(arg) > 1 && arg[0] == '-' && '0' <= arg[1] && arg[1] <= '9'
		if isNumber && (i == 0 || !takesValue(cmd, args[i-1])) {
			numbers = append(numbers, arg)
		} else {
			kept = append(kept, arg)
		}
	}
	if numbers == nil {
		return args
	}
	return slices.Concat(kept, []string{"--"}, numbers)
}

// takesValue reports whether arg is a flag whose value is the next argument.
func takesValue(cmd *cobra.Command, arg string) bool {
	name, isFlag := strings.CutPrefix(arg, "--")
	if !isFlag {
		return false
	}
	var flag *pflag.Flag
	for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.InheritedFlags()} {
		if found := set.Lookup(name); found != nil {
			flag = found
		}
	}
	return flag != nil && flag.NoOptDefVal == ""
}
