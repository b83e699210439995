package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/guard"
	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
)

// A guardChange is the result of install and uninstall.
type guardChange struct {
	Action    string      `json:"action"` // installed, updated, unchanged; removed, restored, absent
	Hook      string      `json:"hook"`
	Chained   string      `json:"chained,omitempty"`   // the previous hook, which ours runs
	Elsewhere []guardGone `json:"elsewhere,omitempty"` // worktrees where git does not run it
	NotRunBy  []string    `json:"notRunBy,omitempty"`
}

func newGuardInstall(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "install",
		Short: "make git run the guard before each commit",
		Long: "Make git run the guard before each commit, in every worktree that shares this\n" +
			"one's hooks. An existing hook keeps running, after the guard: in a shell script,\n" +
			"the guard is a few marked lines at the top; any other program is moved aside and\n" +
			"run by ours, unless it may look for files beside itself.",
		Example: "  agent-locks guard install",
		Args:    noArgs(""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.installGuard(cmd.Context()) },
	}
}

func newGuardUninstall(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "remove the guard",
		Long: "Remove the guard, also from hooks that another tool has moved aside. Your\n" +
			"previous hook is restored byte for byte.",
		Example: "  agent-locks guard uninstall",
		Args:    noArgs(""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.uninstallGuard(cmd.Context()) },
	}
}

func (a *app) installGuard(ctx context.Context) error {
	repo, place, err := a.hooks(ctx, a.baseDir)
	if err != nil {
		return err
	}
	program, err := a.Executable()
	if err != nil {
		return fmt.Errorf("cannot find out where this program is: %w", err)
	}
	_, mode := repo.Modes()
	change, err := guard.Install(ctx, place, filepath.ToSlash(program), mode)
	if err != nil {
		return guardRefused(err)
	}
	answer := guardChange{Action: change.Action, Hook: change.Hook, Chained: change.Chained, NotRunBy: guard.NotRunBy()}
	if answer.Elsewhere, err = a.elsewhere(ctx, repo); err != nil {
		return err
	}
	if cached(program) {
		change.Notes = append(change.Notes,
			fmt.Sprintf("%q is in a cache and may be deleted; then the guard looks on the PATH: "+
				"install it there, as with npm install -g agent-locks", program))
	}
	a.warn(change.Notes)
	if a.json {
		return a.printJSON(answer)
	}
	fmt.Fprintf(a.out, "%s %s\n", answer.Action, render.Plain(answer.Hook))
	if answer.Chained != "" {
		fmt.Fprintf(a.out, "your previous hook runs after it: %s\n", render.Plain(answer.Chained))
	}
	printElsewhere(a.out, answer.Elsewhere)
	printNotRunBy(a.out, answer.NotRunBy)
	return a.flush()
}

func (a *app) uninstallGuard(ctx context.Context) error {
	_, place, err := a.hooks(ctx, a.baseDir)
	if err != nil {
		return err
	}
	change, err := guard.Uninstall(ctx, place)
	if err != nil {
		return guardRefused(err)
	}
	a.warn(change.Notes)
	if a.json {
		return a.printJSON(guardChange{Action: change.Action, Hook: change.Hook, Chained: change.Chained})
	}
	if change.Action == "absent" {
		fmt.Fprintf(a.out, "the guard is not installed in %s\n", render.Plain(change.Hook))
	} else {
		fmt.Fprintf(a.out, "%s %s\n", change.Action, render.Plain(change.Hook))
	}
	return a.flush()
}

// hooks finds the repository that contains dir and where git looks for its
// hooks.
func (a *app) hooks(ctx context.Context, dir *string) (*gitdir.Repo, guard.Place, error) {
	repo, err := a.repository(ctx, dir)
	if err != nil {
		return nil, guard.Place{}, err
	}
	place, err := guard.Find(ctx, repo, a.Environ())
	if err != nil {
		return nil, place, store.GitError(err)
	}
	return repo, place, nil
}

// guardRefused turns a refusal into an error of the store.
func guardRefused(err error) error {
	if r, ok := errors.AsType[*guard.Refusal](err); ok {
		return &store.Error{Code: store.BadInput, Message: r.Message, Hint: r.Hint, Err: r.Err}
	}
	return store.GitError(err)
}
