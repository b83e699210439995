package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/server/connect"
	"github.com/agent-locks/agent-locks/server/listen"
)

func newConnect(a *app) *cobra.Command {
	var tokenFile, repo string
	cmd := &cobra.Command{
		Use:   "connect <unix:PATH or URL>",
		Short: "connect stdin and stdout to a listener, as its MCP server",
		Long: "Run an MCP server on stdin and stdout that forwards everything to a listener\n" +
			"(serve --listen), for clients that support neither sockets nor HTTP, and for\n" +
			"containers that have the listener's socket. It reads no repository itself.",
		Example: "  agent-locks connect unix:/run/agent-locks/s\n" +
			"  agent-locks connect http://host.docker.internal:8123 --token-file token",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("as in unix:/run/agent-locks/s, or http://127.0.0.1:8123", "connect needs the listener's address")
			case len(args) > 1:
				return usage(helpHint(cmd), "connect takes one address, got %d arguments, the second %q", len(args), args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.baseDir != nil {
				return usage("name the repository with --repo, or let calls pass base_dir",
					"connect takes no --base-dir, got %q", *a.baseDir)
			}
			var token func() (string, error)
			if cmd.Flags().Changed("token-file") {
				token = func() (string, error) { return listen.Token(tokenFile) }
				if _, err := token(); err != nil {
					return err
				}
			}
			target, err := connect.To(args[0], repo, token)
			if err != nil {
				return err
			}
			if a.IgnoreBrokenPipe != nil {
				a.IgnoreBrokenPipe()
			}
			return connect.Bridge(cmd.Context(), target, a.Stdin, a.Stdout, slog.New(slog.NewTextHandler(a.Stderr, nil)))
		},
	}
	cmd.Flags().StringVar(&tokenFile, "token-file", "", "a `file` with the token to send, on its first line")
	cmd.Flags().StringVar(&repo, "repo", "", "only the repository of this `name`")
	return cmd
}
