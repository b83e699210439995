package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError puts a fault that pflag found into our words.
func flagError(cmd *cobra.Command, err error) error {
	if !cmd.HasParent() && cmd.Flags().NArg() > 0 {
		// `agent-locks chekc --exit-code`: the flag is unknown because the
		// command is.
		return unknownCommand(cmd, cmd.Flags().Arg(0))
	}
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			name = "-" + unknown.GetSpecifiedName()
		}
		return usage(flagHint(cmd, unknown.GetSpecifiedName()), "unknown flag %q for %s", name, cmd.CommandPath())
	case errors.As(err, &bare):
		return usage(helpHint(cmd), "--%s needs a value", bare.GetFlag().Name)
	case errors.As(err, &invalid):
		return usage(helpHint(cmd), "--%s %q: %s", invalid.GetFlag().Name, invalid.GetValue(), reason(invalid))
	default:
		return usage(helpHint(cmd), "%v", err)
	}
}

// reason leaves the function's name out of strconv's errors.
func reason(invalid *pflag.InvalidValueError) string {
	if invalid.GetFlag().Value.Type() == "bool" {
		return "not true or false"
	}
	return errors.Unwrap(invalid).Error()
}

func helpHint(cmd *cobra.Command) string {
	return fmt.Sprintf("see %s --help", cmd.CommandPath())
}

// flagHint names the nearest flags, if any is near, and all that are taken.
func flagHint(cmd *cobra.Command, name string) string {
	var all, near []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		all = append(all, "--"+f.Name)
		if similar(name, f.Name) {
			near = append(near, "--"+f.Name)
		}
	})
	hint := "accepted are " + strings.Join(all, ", ")
	if len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
	}
	return hint
}

func unknownCommand(root *cobra.Command, name string) error {
	var all []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, c.Name())
		}
	}
	slices.Sort(all)
	hint := "commands are " + strings.Join(all, ", ")
	if near := root.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
	}
	return usage(hint, "unknown command %q", name)
}

// similar reports whether typed is likely a slip for name: its beginning, or
// at most two edits away and not half of the word.
func similar(typed, name string) bool {
	typed = strings.ReplaceAll(strings.ToLower(typed), "_", "-")
	if len(typed) >= 2 && strings.HasPrefix(name, typed) || strings.HasPrefix(typed, name) && len(typed) <= len(name)+2 {
		return true
	}
	return distance(typed, name) <= min(2, len(name)/2)
}

// distance is the number of edits (insert, delete, replace) between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// noArgs refuses positional arguments; hint says where they belong.
func noArgs(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		if hint == "" {
			return usage(helpHint(cmd), "%s takes no arguments, got %q", cmd.Name(), args[0])
		}
		return usage(hint, "%s takes no arguments, got %q", cmd.Name(), args[0])
	}
}

// oneID asks for exactly one lock id.
func oneID(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usage("agent-locks status lists them", "%s needs the id of a lock", cmd.Name())
	case 1:
		return nil
	default:
		return usage(helpHint(cmd), "%s takes one lock id, got %d arguments, the second %q", cmd.Name(), len(args), args[1])
	}
}
