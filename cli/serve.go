package cli

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/setup"
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/server"
	"github.com/agent-locks/agent-locks/server/listen"
)

func newServe(a *app) *cobra.Command {
	var (
		o     listen.Config
		tools *string
	)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "run the MCP server on stdin and stdout",
		Long: "Run an MCP server on stdin and stdout, to be started by an agent's client. This\n" +
			"is the same as agent-locks without arguments. It works on the repository of the\n" +
			"directory it is started in. Calls reach others with base_dir, not serve with\n" +
			"--base-dir.\n\n" +
			"With --listen it serves agents that cannot start it, such as those in\n" +
			"containers: the same tools over HTTP, at /mcp and /mcp/<repo>, until a signal\n" +
			"ends it.\n\n" +
			"Each tool takes up an agent's context. The tools for shared state are served\n" +
			"with --tools all, or AGENT_LOCKS_TOOLS=all.",
		Example: "  agent-locks serve\n" +
			"  agent-locks serve --listen unix:/run/user/1000/agent-locks.sock\n" +
			"  agent-locks serve --listen 127.0.0.1:8123 --token-file tokens --repo app=/home/me/app",
		Args: noArgs(""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := a.allTools(tools)
			if err != nil {
				return usage("give --tools all, or omit it", "--tools %v", err)
			}
			if cmd.Flags().Changed("listen") {
				return runListener(cmd.Context(), a, o, all)
			}
			if name := withoutListen(cmd); name != "" {
				return usage("say where, as in --listen 127.0.0.1:8123, or omit it", "--%s has no effect without --listen", name)
			}
			return runServe(cmd.Context(), a, all)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Address, "listen", "", "serve over HTTP on `unix:PATH`, a socket, or HOST:PORT")
	f.StringArrayVar(&o.Repos, "repo", nil,
		"a repository to serve, as `name=path`; may be repeated (default: the\nworking directory's, by its directory's name)")
	f.StringVar(&o.TokenFile, "token-file", "", "a `file` with the tokens that callers must send, one per line")
	f.BoolVar(&o.NoAuth, "no-auth", false, "require no token, on a loopback address")
	f.StringArrayVar(&o.AllowHosts, "allow-host", nil,
		"another `name` that callers may use for this host; may be repeated")
	f.StringVar(&o.SocketMode, "socket-mode", "", "the socket's `mode` (default: 600)")
	textFlag(f, &tools, "tools", "`which` tools: default, or all (default: AGENT_LOCKS_TOOLS)")
	completeValues(cmd, "tools", setup.ToolsDefault, setup.ToolsAll)
	return cmd
}

// withoutListen returns a flag that needs --listen but was given without it, or
// "".
func withoutListen(cmd *cobra.Command) string {
	all := []string{"repo", "token-file", "no-auth", "allow-host", "socket-mode"}
	i := slices.IndexFunc(all, cmd.Flags().Changed)
	if i < 0 {
		return ""
	}
	return all[i]
}

// allTools reports whether to serve every tool: the flag decides, else the
// variable. An unknown value of the variable is ignored.
func (a *app) allTools(flag *string) (bool, error) {
	if flag != nil {
		return *flag == setup.ToolsAll, setup.CheckTools(*flag)
	}
	said := a.getenv("AGENT_LOCKS_TOOLS")
	if said != "" && setup.CheckTools(said) != nil {
		a.warn([]string{fmt.Sprintf("AGENT_LOCKS_TOOLS is %q: ignored, since it is neither %s nor %s",
			said, setup.ToolsAll, setup.ToolsDefault)})
	}
	return said == setup.ToolsAll, nil
}

func runServe(ctx context.Context, a *app, all bool) error {
	if a.baseDir != nil {
		return usage("start it in the directory, or let calls pass base_dir",
			"serve takes no --base-dir, got %q", *a.baseDir)
	}
	if a.StdinIsTerminal {
		fmt.Fprintln(a.Stderr,
			"agent-locks: locks for AI agents that share a git repository; this is its MCP server, waiting for a client on "+
				"stdin; for help, run agent-locks --help")
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
		All:     all,
	})
}

// runListener serves remote callers. Nothing in this process's environment says
// who they are, or which repository they mean.
func runListener(ctx context.Context, a *app, o listen.Config, all bool) error {
	if a.baseDir != nil {
		return usage("name the repository with --repo", "serve takes no --base-dir, got %q", *a.baseDir)
	}
	if a.IgnoreBrokenPipe != nil { // the reader of the log may have gone
		a.IgnoreBrokenPipe()
	}
	w := a.World
	w.Environ = func() []string { return withoutCaller(a.Environ()) }
	o.Getwd, o.Environ, o.Now, o.Said = w.Getwd, w.Environ, w.Now, w.Stderr
	o.Log = slog.New(slog.NewTextHandler(a.Stderr, nil))
	l, err := listen.Open(ctx, o)
	if err != nil {
		return err
	}
	return server.ServeRemote(ctx, server.RemoteOptions{
		Store:    newStore(w),
		Version:  thisBuild().Version,
		Listener: l,
		Log:      o.Log,
		All:      all,
	})
}

// withoutCaller returns environ without the variables that identify a caller or
// locate a repository.
func withoutCaller(environ []string) []string {
	return slices.DeleteFunc(gitdir.Unlocated(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.ContainsFunc([]string{"AGENT_LOCKS_AGENT_ID", "AGENT_LOCKS_PARENT_ID", "AGENT_LOCKS_SESSION"},
			func(own string) bool { return strings.EqualFold(name, own) })
	})
}
