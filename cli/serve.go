package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func newServe(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "serve the operations as MCP tools on stdin and stdout",
		Long: "Be an MCP server on stdin and stdout, for an agent's client to start. The same as\n" +
			"agent-locks without arguments.",
		Example: "  agent-locks serve",
		Args:    noArgs(""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), a) },
	}
}

func runServe(ctx context.Context, a *app) error {
	if a.StdinIsTerminal {
		fmt.Fprintln(a.Stderr, "agent-locks: an MCP server, waiting for a client on stdin; for people: agent-locks --help")
	}
	return errors.New("no server in this build")
}
