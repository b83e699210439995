package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/guard"
	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
)

// A guardChange is what install and uninstall answer.
type guardChange struct {
	Action    string      `json:"action"` // installed, updated, unchanged; removed, restored, absent
	Hook      string      `json:"hook"`
	Chained   string      `json:"chained,omitempty"`   // the hook from before, which ours runs
	Elsewhere []guardGone `json:"elsewhere,omitempty"` // worktrees that it does not reach
	NotRunBy  []string    `json:"notRunBy,omitempty"`
}

// A guardGone is a worktree in which git does not run the guard, or may not.
type guardGone struct {
	Worktree string `json:"worktree"`
	Why      string `json:"why"`
	Edited   bool   `json:"edited,omitempty"`
	Unknown  bool   `json:"unknown,omitempty"` // whether it runs
}

// A guardState is what status answers.
type guardState struct {
	Runs    bool   `json:"runs"`              // git starts the guard in this worktree, and the guard looks
	Edited  bool   `json:"edited,omitempty"`  // our hook was, so whether the guard runs is not known
	Unknown bool   `json:"unknown,omitempty"` // whether it runs cannot be told
	Why     string `json:"why,omitempty"`
	Fix     string `json:"fix,omitempty"` // what to do about the hook
	Hook    string `json:"hook"`
	Program string `json:"program,omitempty"` // what the hook of ours starts
	store.GuardSettings
	Elsewhere []guardGone `json:"elsewhere,omitempty"`
	NotRunBy  []string    `json:"notRunBy"`
}

func newGuardInstall(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "install",
		Short: "make git run the guard before each commit",
		Long: "Make git run the guard before each commit, in every worktree that shares this\n" +
			"one's hooks. A hook that is there already goes on doing what it did, after the\n" +
			"guard: a shell script gets a few marked lines at its top, another program is\n" +
			"moved aside and run by ours.",
		Example: "  agent-locks guard install",
		Args:    noArgs(""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.installGuard(cmd.Context()) },
	}
}

func newGuardUninstall(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "uninstall",
		Short:   "take the guard out again",
		Long:    "Take the guard out again, also of hooks that another tool has moved aside. The\nhook that was there before is left as it was, byte for byte.",
		Example: "  agent-locks guard uninstall",
		Args:    noArgs(""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.uninstallGuard(cmd.Context()) },
	}
}

func newGuardStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "say whether the guard really runs here, and why not",
		Long:    "Say whether git really runs the guard in this worktree, and why not where it\ndoes not.",
		Example: "  agent-locks guard status",
		Args:    noArgs(""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.guardStatus(cmd.Context()) },
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
	a.warn(change.Notes)
	if a.json {
		return a.printJSON(answer)
	}
	fmt.Fprintf(a.out, "%s %s\n", answer.Action, plain(answer.Hook))
	if answer.Chained != "" {
		fmt.Fprintf(a.out, "the hook from before runs after it: %s\n", plain(answer.Chained))
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
		fmt.Fprintf(a.out, "the guard is not installed in %s\n", plain(change.Hook))
	} else {
		fmt.Fprintf(a.out, "%s %s\n", change.Action, plain(change.Hook))
	}
	return a.flush()
}

func (a *app) guardStatus(ctx context.Context) error {
	s, _, err := a.guardState(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(s)
	}
	printGuardState(a.out, s)
	return a.flush()
}

// guardState finds out whether git runs the guard, and whether somebody wanted
// it to.
func (a *app) guardState(ctx context.Context) (s guardState, installed bool, err error) {
	repo, place, err := a.hooks(ctx, a.baseDir)
	if err != nil {
		return s, false, err
	}
	settings, err := a.locks.GuardSettings(ctx, a.target())
	a.warn(settings.Warnings)
	if err != nil {
		return s, false, err
	}
	s = guardState{Hook: place.Hook(), GuardSettings: settings.Result, NotRunBy: guard.NotRunBy()}
	status := guard.StatusOf(place, a.shell())
	s.Runs, s.Edited, s.Unknown, s.Why, s.Program = status.Runs, status.Edited, status.Unknown, status.Why, status.Program
	switch {
	case !s.Runs:
		s.Fix = cmp.Or(guard.Fix(ctx, place), guardFix(s.Edited, guardInstall))
	case s.Bypass:
		s.Runs, s.Why = false, render.Bypass+" is in the environment"
	case s.Mode == store.ModeOff:
		s.Runs, s.Why = false, "its mode is off (AGENT_LOCKS_GUARD, or git config agentlocks.guard)"
	}
	if s.Elsewhere, err = a.elsewhere(ctx, repo); err != nil {
		return s, false, err
	}
	installed, err = guard.Installed(ctx, place)
	if err != nil {
		return s, false, store.GitError(err)
	}
	return s, installed, nil
}

// shell is how a hook finds the program in this run's environment.
func (a *app) shell() guard.Shell {
	self, err := a.Executable()
	if err != nil {
		self = "" // no program on PATH is known then
	}
	return guard.Shell{LookPath: a.lookPath, Self: self}
}

func printGuardState(w io.Writer, s guardState) {
	if s.Runs {
		fmt.Fprintf(w, "runs here, mode %s: %s\n", s.Mode, plain(s.Hook))
	} else {
		fmt.Fprintf(w, "%s here: %s\n", runsNot(s.Unknown), plain(s.Why))
	}
	if s.Fix != "" {
		fmt.Fprintf(w, "to have it run: %s\n", s.Fix)
	}
	if s.RequireClaim {
		fmt.Fprintln(w, "files that no lock of your own covers are refused, too (agentlocks.requireClaim)")
	}
	printElsewhere(w, s.Elsewhere)
	printNotRunBy(w, s.NotRunBy)
}

func printElsewhere(w io.Writer, elsewhere []guardGone) {
	for _, g := range elsewhere {
		fmt.Fprintf(w, "%s in %s: %s\n", runsNot(g.Unknown), plain(g.Worktree), plain(g.Why))
	}
}

// runsNot claims no more than is known.
func runsNot(unknown bool) string {
	if unknown {
		return "may not run"
	}
	return "does not run"
}

const guardInstall = "agent-locks guard install"

// guardFix is how a guard that does not run is made to, by a command that
// installs it: over an edited hook that would be refused.
func guardFix(edited bool, install string) string {
	if edited {
		return "move that hook away, then " + install
	}
	return install
}

func printNotRunBy(w io.Writer, ways []string) {
	fmt.Fprintf(w, "git does not run it for: %s\n", strings.Join(ways, ", "))
}

// hooks is where git looks for the hooks of the repository that a directory
// lies in.
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

// elsewhere lists the repository's other worktrees in which git does not run
// the guard: those with hooks of their own, by a relative core.hooksPath or by
// a setting of their own.
func (a *app) elsewhere(ctx context.Context, repo *gitdir.Repo) ([]guardGone, error) {
	roots, err := repo.Worktrees()
	if err != nil {
		return nil, err
	}
	var gone []guardGone
	for _, root := range roots {
		if _, err := os.Lstat(root); err != nil || root == repo.Worktree {
			continue
		}
		_, place, err := a.hooks(ctx, &root)
		if err != nil {
			gone = append(gone, guardGone{Worktree: root, Why: err.Error()})
			continue
		}
		if s := guard.StatusOf(place, a.shell()); !s.Runs {
			gone = append(gone, guardGone{Worktree: root, Why: s.Why, Edited: s.Edited, Unknown: s.Unknown})
		}
	}
	return gone, nil
}

// lookPath finds a program on the PATH of this run's environment.
func (a *app) lookPath(name string) (string, error) {
	for _, dir := range filepath.SplitList(a.getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil && dir != "" {
			return found, nil
		}
	}
	return "", exec.ErrNotFound
}

// guardRefused puts a refusal into our words.
func guardRefused(err error) error {
	if r, ok := errors.AsType[*guard.Refusal](err); ok {
		return &store.Error{Code: store.BadInput, Message: r.Message, Hint: r.Hint, Err: r.Err}
	}
	return store.GitError(err)
}
