package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/guard"
	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
)

// A guardGone is a worktree in which git does not run the guard, or may not run
// it.
type guardGone struct {
	Worktree string `json:"worktree"`
	Why      string `json:"why"`
	Edited   bool   `json:"edited,omitempty"`
	Unknown  bool   `json:"unknown,omitempty"` // whether it runs is not known
}

// A guardState is the result of guard status.
type guardState struct {
	Runs    bool   `json:"runs"`              // git starts the guard in this worktree, and it is not switched off
	Edited  bool   `json:"edited,omitempty"`  // our hook was edited, so whether the guard runs is not known
	Unknown bool   `json:"unknown,omitempty"` // whether it runs is not known
	Why     string `json:"why,omitempty"`
	Fix     string `json:"fix,omitempty"` // what to do about the hook or the mode
	Hook    string `json:"hook"`
	Program string `json:"program,omitempty"` // the program that our hook starts
	store.GuardState
	Left      []string    `json:"left,omitempty"` // earlier hooks that nothing runs any more
	Elsewhere []guardGone `json:"elsewhere,omitempty"`
	NotRunBy  []string    `json:"notRunBy"`
}

func newGuardStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "say whether the guard really runs here and, if not, why",
		Long:    "Say whether git really runs the guard in this worktree and, if not, why.",
		Example: "  agent-locks guard status",
		Args:    noArgs(""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.guardStatus(cmd.Context()) },
	}
}

func (a *app) guardStatus(ctx context.Context) error {
	s, _, err := a.readGuard(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(s)
	}
	printGuardState(a.out, s)
	return a.flush()
}

// readGuard finds out whether git runs the guard, and whether it was ever
// installed.
func (a *app) readGuard(ctx context.Context) (s guardState, installed bool, err error) {
	repo, place, err := a.hooks(ctx, a.baseDir)
	if err != nil {
		return s, false, err
	}
	settings, err := a.locks.GuardSettings(ctx, a.target())
	a.warn(settings.Warnings)
	if err != nil {
		return s, false, err
	}
	s = guardState{Hook: place.Hook(), GuardState: settings.Result, NotRunBy: guard.NotRunBy()}
	status := guard.StatusOf(place, a.shell(repo.Worktree))
	s.Runs, s.Edited, s.Unknown, s.Why, s.Program = status.Runs, status.Edited, status.Unknown, status.Why, status.Program
	switch {
	case !s.Runs:
		s.Fix = cmp.Or(guard.Fix(ctx, place), guardFix(s.Edited, guardInstall))
	case s.Bypass:
		s.Runs, s.Why, s.Fix = false, render.Bypass+" is in the environment", "unset AGENT_LOCKS_BYPASS"
	case s.Mode == store.ModeOff:
		s.Runs, s.Why = false, "its mode is off (AGENT_LOCKS_GUARD, or git config agentlocks.guard)"
		s.Fix = "git config agentlocks.guard block"
		if a.getenv("AGENT_LOCKS_GUARD") != "" { // which overrides git's settings
			s.Fix = "unset AGENT_LOCKS_GUARD, or set it to block"
		}
	}
	// If git's hook cannot be read, the status already reports it.
	s.Left, _ = place.Left()
	if s.Elsewhere, err = a.elsewhere(ctx, repo); err != nil {
		return s, false, err
	}
	installed, err = guard.Installed(ctx, place)
	if err != nil {
		return s, false, store.GitError(err)
	}
	return s, installed, nil
}

// shell describes how a hook, which git starts in the worktree's root, finds
// the program in this run's environment.
func (a *app) shell(root string) guard.Shell {
	self, err := a.Executable()
	if err != nil {
		self = "" // then no program on the PATH can be recognized as this one
	}
	look := func(name string) (string, error) { return gitdir.LookPath(a.Environ(), root, name) }
	return guard.Shell{LookPath: look, Self: self}
}

func printGuardState(w io.Writer, s guardState) {
	if s.Runs {
		fmt.Fprintf(w, "runs here, mode %s: %s\n", s.Mode, render.Plain(s.Hook))
	} else {
		fmt.Fprintf(w, "%s here: %s\n", runsNot(s.Unknown), render.Plain(s.Why))
	}
	if s.Fix != "" {
		fmt.Fprintf(w, "to have it run: %s\n", s.Fix)
	}
	if s.RequireClaim {
		fmt.Fprintln(w, "files that no lock of yours covers are refused, too (agentlocks.requireClaim)")
	}
	for _, path := range s.Left {
		fmt.Fprintf(w, "%s %s; %s\n", render.Plain(path), guard.LeftIs, guard.LeftFix)
	}
	printElsewhere(w, s.Elsewhere)
	printNotRunBy(w, s.NotRunBy)
}

func printElsewhere(w io.Writer, elsewhere []guardGone) {
	for _, g := range elsewhere {
		fmt.Fprintf(w, "%s in %s: %s\n", runsNot(g.Unknown), render.Plain(g.Worktree), render.Plain(g.Why))
	}
}

// runsNot does not claim more than is known.
func runsNot(unknown bool) string {
	if unknown {
		return "may not run"
	}
	return "does not run"
}

const guardInstall = "agent-locks guard install"

// guardFix returns how to make the guard run with the given install command,
// which refuses to replace an edited hook.
func guardFix(edited bool, install string) string {
	if edited {
		return "move that hook away, then " + install
	}
	return install
}

func printNotRunBy(w io.Writer, ways []string) {
	fmt.Fprintf(w, "git does not run it for: %s\n", strings.Join(ways, ", "))
}

// elsewhere lists the repository's other worktrees in which git does not run
// the guard: they have hooks of their own, through a relative core.hooksPath or
// a per-worktree setting.
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
		there, place, err := a.hooks(ctx, &root)
		if err != nil {
			gone = append(gone, guardGone{Worktree: root, Why: err.Error()})
			continue
		}
		if s := guard.StatusOf(place, a.shell(root)); !s.Runs && repo.Owns(there) {
			gone = append(gone, guardGone{Worktree: root, Why: s.Why, Edited: s.Edited, Unknown: s.Unknown})
		}
	}
	return gone, nil
}
