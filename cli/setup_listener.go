package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/setup"
	"github.com/agent-locks/agent-locks/server/connect"
	"github.com/agent-locks/agent-locks/store/shell"
)

// isVariable reports whether name is valid for an environment variable.
func isVariable(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return strings.Trim(name, letters+"0123456789") == "" && strings.ContainsRune(letters, rune((name + " ")[0]))
}

// readRemote reads --url and --token-env.
func (o *setupFlags) readRemote(cmd *cobra.Command, args []string) error {
	switch {
	case !cmd.Flags().Changed("url") && o.tokenEnv == "":
		return nil
	case !cmd.Flags().Changed("url"):
		return usage("name the listener with --url", "--token-env %q has no effect without --url", o.tokenEnv)
	case len(args) == 0 || args[0] == setup.AgentsMD:
		return usage("as in agent-locks setup claude --url "+shell.Word(o.url), "--url is for one client")
	case o.tools != nil:
		return usage("omit it: serve --listen has it", "--tools is for the listener to say")
	case strings.HasPrefix(o.url, "unix:"):
		return usage("have it start agent-locks connect "+shell.Word(o.url)+" instead",
			"clients cannot open the socket %q themselves", o.url)
	case o.tokenEnv != "" && !isVariable(o.tokenEnv):
		return usage("give the name of a variable; its value does not belong on a command line",
			"--token-env %q is not the name of a variable", o.tokenEnv)
	}
	url, err := connect.URL(o.url)
	if err != nil {
		return err
	}
	o.remote = &setup.Remote{URL: url, TokenEnv: o.tokenEnv}
	return nil
}
