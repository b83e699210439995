package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/server"
)

func newServe(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "serve the operations as MCP tools on stdin and stdout",
		Long: "Be an MCP server on stdin and stdout, for an agent's client to start. The same\n" +
			"as agent-locks without arguments. It works on the repository of the directory\n" +
			"it is started in; calls reach others with base_dir, not serve with --base-dir.",
		Example: "  agent-locks serve",
		Args:    noArgs(""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), a) },
	}
}

func runServe(ctx context.Context, a *app) error {
	if a.baseDir != nil {
		return usage("start it in the directory, or let calls pass base_dir",
			"serve takes no --base-dir, got %q", *a.baseDir)
	}
	if a.StdinIsTerminal {
		fmt.Fprintln(a.Stderr,
			"agent-locks: locks for AI agents that share a git repository; this is its MCP server, waiting for a client on "+
				"stdin; people want agent-locks --help")
	}
	if a.IgnoreBrokenPipe != nil {
		a.IgnoreBrokenPipe()
	}
	return server.Serve(ctx, server.Options{
		Store:   newStore(a.World),
		Version: thisBuild().Version,
		In:      a.Stdin,
		Out:     a.Stdout,
		Log:     a.Stderr,
	})
}
