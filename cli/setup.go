package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/setup"
	"github.com/agent-locks/agent-locks/gitdir"
)

type setupFlags struct {
	user, print, remove, force, check, yes bool
	tools                                  *string

	url, tokenEnv string
	remote        *setup.Remote // url and tokenEnv
}

// offered returns the value of --tools; "" if not given.
func (o setupFlags) offered() string {
	if o.tools == nil {
		return ""
	}
	return *o.tools
}

func newSetup(a *app) *cobra.Command {
	var o setupFlags
	cmd := &cobra.Command{
		Use:   "setup [client]",
		Short: "put agent-locks into a client's settings",
		Long: "Put the MCP server and, for Claude Code, the hooks into a client's settings: the\n" +
			"project's, or with --user your own. Everything else in them stays as it is. A\n" +
			"project's settings start the agent-locks on the PATH; your own start this very\n" +
			"program. If an entry with our name starts something else, setup refuses to\n" +
			"change it.\n\n" +
			"Without a client, it looks for clients in your home, shows what it would change\n" +
			"in your own settings for each, which apply to all your worktrees, and asks\n" +
			"before it writes.\n\n" +
			"Writes for: " + strings.Join(setup.Written(), ", ") + "\n" +
			"Prints what to add for: " + strings.Join(byHand(), ", ") + "\n" +
			"For agents without hooks: " + setup.AgentsMD + " adds a section to the project's AGENTS.md",
		Example: "  agent-locks setup\n  agent-locks setup claude\n  agent-locks setup cursor --user\n" +
			"  agent-locks setup claude --remove\n" +
			"  agent-locks setup claude --url http://host.docker.internal:8123 --token-env AGENT_LOCKS_TOKEN",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(helpHint(cmd), "setup takes one client, got %d arguments, the second %q", len(args), args[1])
			}
			return nil
		},
		ValidArgs: clients(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(checkOffered(o, args), o.readRemote(cmd, args)); err != nil {
				return err
			}
			switch {
			case o.check:
				return a.checkSettings(cmd.Context(), args, o)
			case len(args) == 0:
				return a.setUpAll(cmd.Context(), o)
			default:
				return a.setUpClient(cmd.Context(), args[0], o)
			}
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, "your own settings instead of the project's")
	f.BoolVar(&o.print, "print", false, "only show what would be written, and where")
	f.BoolVar(&o.remove, "remove", false, "remove it")
	f.BoolVar(&o.force, "force", false, "replace (or remove) entries with our name that start something else")
	f.BoolVar(&o.check, "check", false,
		"write nothing: compare the settings with what would be written; exit with 1\n"+
			"if they differ, or if a client found here is not set up")
	f.BoolVarP(&o.yes, "yes", "y", false, "without a client: do it without asking")
	textFlag(f, &o.tools, "tools", "`which` tools the server offers: default, or all (those on shared state, too)")
	completeValues(cmd, "tools", setup.ToolsDefault, setup.ToolsAll)
	f.StringVar(&o.url, "url", "",
		"the listener at this `URL` instead of this program, without hooks, which need\nthe repository")
	f.StringVar(&o.tokenEnv, "token-env", "", "with --url: the `variable` in which the client finds the token")
	cmd.MarkFlagsMutuallyExclusive("check", "remove")
	cmd.MarkFlagsMutuallyExclusive("check", "url")
	cmd.MarkFlagsMutuallyExclusive("check", "print")
	return cmd
}

// checkOffered refuses an unknown value of --tools, or --tools where no server
// is set up.
func checkOffered(o setupFlags, args []string) error {
	if o.tools == nil {
		return nil
	}
	if err := setup.CheckTools(*o.tools); err != nil {
		return usage("give --tools all, or omit it", "--tools %v", err)
	}
	if o.remove || slices.Contains(args, setup.AgentsMD) {
		return usage("omit it", "--tools has no effect here: no server is set up")
	}
	return nil
}

func byHand() []string {
	var names []string
	for _, i := range setup.Instructions() {
		names = append(names, i.Client)
	}
	return names
}

func clients() []string {
	return slices.Sorted(slices.Values(slices.Concat(setup.Written(), byHand(), []string{setup.AgentsMD})))
}

// checkClient refuses an unknown client.
func checkClient(client string) error {
	if slices.Contains(clients(), client) {
		return nil
	}
	meant := near(client, clients())
	if known, ok := otherWords["setup "+client]; ok {
		meant = []string{known}
	}
	return usage(didYouMean("", meant)+"clients are "+strings.Join(clients(), ", "), "unknown client %q", client)
}

func (a *app) setUpClient(ctx context.Context, client string, o setupFlags) error {
	if err := checkClient(client); err != nil {
		return err
	}
	instructions := setup.Instructions()
	if o.remote != nil {
		instructions = setup.RemoteInstructions(*o.remote)
	}
	for _, i := range instructions {
		if i.Client == client {
			return a.printInstruction(i.Offering(o.offered()), o)
		}
	}
	options := a.setupOptions(client, o)
	if !o.user {
		root, err := a.project(ctx)
		if err != nil {
			return err
		}
		options.Project = root
	}
	changes, err := setup.Plan(options)
	if err != nil {
		return refused(err)
	}
	if !o.print {
		if done, err := a.applySettings(changes); err != nil {
			for _, c := range changes[:done] {
				a.warn([]string{fmt.Sprintf("%q is %s already", c.Path, c.Action)})
			}
			return refused(err)
		}
	}
	for _, c := range changes {
		a.warn(c.Warnings)
	}
	return a.reportSettings(client, o, changes)
}

func (a *app) setupOptions(client string, o setupFlags) setup.Options {
	return setup.Options{
		Client: client, User: o.user, Remove: o.remove, Force: o.force, Print: o.print, Program: a.native(), Getenv: a.getenv,
		GOOS: runtime.GOOS, Tools: o.offered(), Remote: o.remote,
	}
}

// project returns the root of the caller's worktree.
func (a *app) project(ctx context.Context) (string, error) {
	repo, err := a.repository(ctx, a.baseDir)
	switch {
	case err != nil:
		return "", err
	case repo.Worktree == "":
		return "", usage("call it in a worktree, or with --user", "no worktree at %q", repo.Dir)
	}
	return repo.Worktree, nil
}

// refused turns a refusal into an error of the store.
func refused(err error) error {
	if r, ok := errors.AsType[*setup.Refusal](err); ok {
		return usage(r.Hint, "%v", r)
	}
	return err
}

// applySettings writes the files one after another, and returns how many it has
// written.
func (a *app) applySettings(changes []setup.Change) (done int, err error) {
	for i, c := range changes {
		warning, err := c.Apply()
		if warning != "" {
			a.warn([]string{fmt.Sprintf("%q: %s", c.Path, warning)})
		}
		if err != nil {
			return i, err
		}
	}
	return len(changes), nil
}

// native returns how the user's own settings should start this program: by the
// path found on the PATH if that is this very file (an upgrade keeps it), else
// by the path of the executable. It returns "" if the program may not stay
// there, as in a temporary directory or a cache, or has another name, which
// removing the settings would not recognize.
func (a *app) native() string {
	self, err := a.Executable()
	if err != nil {
		return ""
	}
	found, err := gitdir.LookPath(a.Environ(), "", "agent-locks")
	if err == nil && filepath.IsAbs(found) && sameFile(found, self) {
		self = found
	}
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(self)), ".exe")
	if !filepath.IsAbs(self) || name != "agent-locks" || within(a.TempDir, self) || cached(self) {
		return ""
	}
	return self
}

// within reports whether path is below dir, with or without resolving dir's
// symlinks.
func within(dir, path string) bool {
	for _, d := range []string{dir, resolved(dir)} {
		if rel, err := filepath.Rel(d, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// cached reports whether a program is in a cache of npx or pnpm dlx, which may
// delete it at any time.
func cached(program string) bool {
	for dir := range strings.SplitSeq(filepath.ToSlash(program), "/") {
		if dir == "_npx" || dir == "dlx" || strings.HasPrefix(dir, "dlx-") {
			return true
		}
	}
	return false
}

func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}
