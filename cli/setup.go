package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/setup"
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
)

type setupOptions struct {
	*app
	user, print, remove bool
}

// A setUp is what setup answers.
type setUp struct {
	Client  string      `json:"client"`
	Printed bool        `json:"printed,omitempty"` // nothing was written
	Files   []setUpFile `json:"files"`
}

type setUpFile struct {
	Path    string       `json:"path"`
	Action  setup.Action `json:"action"`
	Content string       `json:"content,omitempty"` // our entries, where nothing was written
}

func newSetup(a *app) *cobra.Command {
	o := &setupOptions{app: a}
	cmd := &cobra.Command{
		Use:   "setup <client>",
		Short: "put agent-locks into a client's settings",
		Long: "Put the MCP server into a client's settings, for Claude Code the hooks as well:\n" +
			"the project's settings, or with --user your own. Whatever else is in them stays\n" +
			"as it is.\n\n" +
			"Writes for: " + strings.Join(setup.Written(), ", ") + "\n" +
			"Tells what to add for: " + strings.Join(byHand(), ", "),
		Example: "  agent-locks setup claude\n  agent-locks setup cursor --user\n  agent-locks setup claude --remove",
		Args: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usage("clients are "+strings.Join(clients(), ", "), "setup needs the name of a client")
			case 1:
				return nil
			default:
				return usage(helpHint(cmd), "setup takes one client, got %d arguments, the second %q", len(args), args[1])
			}
		},
		ValidArgs: clients(),
		RunE:      func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, "your own settings instead of the project's")
	f.BoolVar(&o.print, "print", false, "only show what would be written, and where")
	f.BoolVar(&o.remove, "remove", false, "take it out again")
	return cmd
}

func byHand() []string {
	var names []string
	for _, i := range setup.Instructions() {
		names = append(names, i.Client)
	}
	return names
}

func clients() []string { return slices.Sorted(slices.Values(append(setup.Written(), byHand()...))) }

func (o *setupOptions) run(cmd *cobra.Command, client string) error {
	for _, i := range setup.Instructions() {
		if i.Client == client {
			return o.instruct(i)
		}
	}
	if !slices.Contains(setup.Written(), client) {
		hint := didYouMean("", nearest(cmd, client, clients())) + "clients are " + strings.Join(clients(), ", ")
		return usage(hint, "unknown client %q", client)
	}
	options := setup.Options{Client: client, User: o.user, Remove: o.remove, Getenv: o.getenv, GOOS: runtime.GOOS}
	if !o.user {
		root, err := o.project(cmd.Context())
		if err != nil {
			return err
		}
		options.Project = root
	}
	changes, err := setup.Plan(options)
	if err != nil {
		return refused(err)
	}
	if err := o.apply(changes); err != nil {
		return err
	}
	return o.tell(client, changes)
}

// nearest measures how near names are as cobra does for commands.
func nearest(cmd *cobra.Command, typed string, names []string) []string {
	all := &cobra.Command{SuggestionsMinimumDistance: cmd.Root().SuggestionsMinimumDistance}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return all.SuggestionsFor(typed)
}

// project is the root of the caller's worktree.
func (o *setupOptions) project(ctx context.Context) (string, error) {
	repo, err := gitdir.Find(ctx, gitdir.Query{BaseDir: o.baseDir, Getwd: o.Getwd, Environ: o.Environ()})
	var fault *gitdir.Error
	switch {
	case errors.As(err, &fault):
		code := store.GitFailed
		switch {
		case errors.Is(err, gitdir.ErrNotRepository):
			code = store.NotARepository
		case errors.Is(err, gitdir.ErrBaseDir):
			code = store.BadInput
		}
		return "", &store.Error{Code: code, Message: fault.Message, Hint: fault.Hint, Err: err}
	case err != nil:
		return "", err
	case repo.Worktree == "":
		return "", usage("call it in a worktree, or with --user", "no worktree at %q", repo.Dir)
	}
	return repo.Worktree, nil
}

// refused puts a refusal into our words.
func refused(err error) error {
	var r *setup.Refusal
	if errors.As(err, &r) {
		return usage(r.Hint, "%v", r)
	}
	return err
}

func (o *setupOptions) apply(changes []setup.Change) error {
	if o.print {
		return nil
	}
	for i, c := range changes {
		warning, err := c.Apply()
		if warning != "" {
			o.warn([]string{fmt.Sprintf("%q: %s", c.Path, warning)})
		}
		if err != nil {
			for _, done := range changes[:i] {
				o.warn([]string{fmt.Sprintf("%q is %s already", done.Path, done.Action)})
			}
			return refused(err)
		}
	}
	return nil
}

func (o *setupOptions) tell(client string, changes []setup.Change) error {
	answer := setUp{Client: client, Printed: o.print}
	for _, c := range changes {
		f := setUpFile{Path: c.Path, Action: c.Action}
		if o.print {
			f.Content = c.Entries
		}
		answer.Files = append(answer.Files, f)
	}
	if o.json {
		return o.printJSON(answer)
	}
	if o.print {
		printPlan(o.out, answer, o.remove)
		return o.flush()
	}
	for _, f := range answer.Files {
		fmt.Fprintf(o.out, "%s %s\n", f.Action, plain(f.Path))
	}
	if !o.remove {
		fmt.Fprintln(o.out, next(client, o.user))
	}
	return o.flush()
}

// printPlan shows our entries only: the rest of a user's settings may be long
// and hold secrets.
func printPlan(w io.Writer, answer setUp, remove bool) {
	would := map[setup.Action]string{
		setup.Created:   "would make %s:\n%s",
		setup.Changed:   "would see to it that %s holds:\n%s",
		setup.Unchanged: "would leave %s as it is, which holds already:\n%s",
	}
	if remove {
		would = map[setup.Action]string{
			setup.Changed:   "would take from %s what it holds of:\n%s",
			setup.Removed:   "would remove %s, which holds nothing but:\n%s",
			setup.Unchanged: "would leave %s as it is, which holds nothing of:\n%s",
		}
	}
	for _, f := range answer.Files {
		fmt.Fprintf(w, would[f.Action], plain(f.Path), f.Content)
	}
}

func next(client string, user bool) string {
	switch {
	case client == "vscode":
		return "next: start the server agent-locks (MCP: List Servers), and have agent-locks on the PATH"
	case client == "claude" && !user:
		return "next: start Claude Code anew, approve the server when asked, and have agent-locks on the PATH"
	default:
		return "next: start the client anew, and have agent-locks on the PATH"
	}
}

// instruct tells what to add by hand.
func (o *setupOptions) instruct(i setup.Instruction) error {
	if o.remove {
		return usage("take agent-locks out of "+i.User+" by hand", "setup writes nothing for %q, so there is nothing to remove", i.Client)
	}
	places := []string{i.Shared, i.User}
	if o.user || i.Shared == "" {
		places = places[1:]
	}
	if o.json {
		answer := setUp{Client: i.Client, Printed: true}
		for _, p := range places {
			answer.Files = append(answer.Files, setUpFile{Path: filepath.ToSlash(p), Action: setup.Manual, Content: i.Add})
		}
		return o.printJSON(answer)
	}
	fmt.Fprintf(o.out, "%s is not written to; add this to %s:\n\n%s", i.Title, strings.Join(places, " (this project) or "), i.Add)
	if i.Shell != "" {
		fmt.Fprintf(o.out, "\nor let it do so itself:\n\n%s\n", i.Shell)
	}
	return o.flush()
}
