package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/server"
)

// flagError rewords an error of pflag.
func flagError(cmd *cobra.Command, err error) error {
	if !cmd.HasParent() && cmd.Flags().NArg() > 0 {
		// `agent-locks chekc --exit-code`: the flag is unknown because the
		// command is.
		return unknownCommand(cmd, cmd.Flags().Arg(0))
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := "--" + unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			name = "-" + unknown.GetSpecifiedName()
		}
		return usage(flagHint(cmd, unknown.GetSpecifiedName(), name), "unknown flag %q for %s", name, cmd.CommandPath())
	}
	if bare, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		name, hint := bare.GetFlag().Name, helpHint(cmd)
		if bare.GetFlag().Value.Type() == "duration" {
			hint = fmt.Sprintf("as in --%s 5m", name)
		}
		return usage(hint, "--%s needs a value", name)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if e, ok := errors.AsType[durationError](err); ok {
			return usage(e.hint(), "--%s %q: %v", invalid.GetFlag().Name, invalid.GetValue(), e)
		}
		return usage(helpHint(cmd), "--%s %q: %s", invalid.GetFlag().Name, invalid.GetValue(), reason(invalid))
	}
	return usage(helpHint(cmd), "%v", err)
}

// reason returns why a value is invalid, without the function name in strconv's
// errors.
func reason(invalid *pflag.InvalidValueError) string {
	if invalid.GetFlag().Value.Type() == "bool" {
		return "not true or false"
	}
	return errors.Unwrap(invalid).Error()
}

func helpHint(cmd *cobra.Command) string {
	return fmt.Sprintf("see %s --help", cmd.CommandPath())
}

// flagHint names the most similar flags, if there are any, and all flags of the
// command.
func flagHint(cmd *cobra.Command, name, typed string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	meant := near(name, names)
	if flag := flagFor(name); len(meant) == 0 && slices.Contains(names, flag) { // the name of the tool's argument
		meant = []string{flag}
	}
	if flag, ok := otherWords[cmd.Name()+" "+typed]; ok {
		meant = []string{flag}
	}
	text := ""
	if cmd.Parent() != nil && cmd.Parent().Name() == "state" && cmd.Flags().Lookup("agent") != nil {
		text = "a text that begins with a dash goes after --; "
	}
	return didYouMean("--", meant) + text + "accepted are --" + strings.Join(names, ", --")
}

// otherWords maps words to the flags and clients that they mean, if these are
// spelled differently or another name is spelled more like them.
var otherWords = map[string]string{
	"claim -m":          "title",
	"claim --message":   "title",
	"run -m":            "title",
	"run --message":     "title",
	"update -t":         "task",
	"update --scope":    "add-scope",
	"update --message":  "note",
	"finish --message":  "summary",
	"finish --note":     "summary",
	"setup claude-code": "claude",
	"setup code":        "vscode",
}

// didYouMean returns a question that ends in a blank, or "" if near is empty.
func didYouMean(prefix string, near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + prefix + strings.Join(near, " or "+prefix) + "? "
}

func unknownCommand(root *cobra.Command, name string) error {
	var all []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, c.Name())
		}
	}
	slices.Sort(all)
	meant := near(name, all)
	if command := commandMeant(name); slices.Contains(all, command) {
		meant = []string{command}
	}
	hint := didYouMean("", meant) + "commands are " + strings.Join(all, ", ")
	return usage(hint, "unknown command %q", name)
}

// near returns the names that were probably meant: those that begin with the
// typed text, and those within one edit for every three letters, two at most.
func near(typed string, names []string) []string {
	typed = strings.ToLower(typed)
	most := min(2, (len(typed)+1)/3)
	var found []string
	for _, name := range names {
		switch {
		case len(typed) >= 2 && strings.HasPrefix(name, typed):
			found = append(found, name)
		case len(typed) <= len(name)+most && server.EditDistance(typed, name) <= most: // the typed text may be long
			found = append(found, name)
		}
	}
	return found
}

// commandMeant returns the command for a word that other programs or the tools
// use for it, or "".
func commandMeant(word string) string {
	if command := commandFor(word); command != "" {
		return command
	}
	words := map[string]string{
		"history": "log", "hist": "log",
		"note": "tell", "message": "tell", "say": "tell",
		"done": "finish", "release": "finish", "unlock": "finish", "rm": "finish",
		"create": "claim", "lock": "claim", "new": "claim",
		"ls": "list", "query": "list",
		"init": "setup", "install": "setup",
		"who": "status", "ps": "status", "watch": "board",
		"exec": "run", "with": "run",
	}
	return words[word]
}
