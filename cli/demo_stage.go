package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// buildStage makes the demo's repository with its two worktrees under dir,
// and returns the environment in which git knows nothing of the user's own
// repositories, settings and hooks.
func buildStage(ctx context.Context, dir string, environ []string) ([]string, error) {
	settings := filepath.Join(dir, "gitconfig")
	if err := os.WriteFile(settings, nil, 0o600); err != nil {
		return nil, fmt.Errorf("cannot set the demo up: %w", err)
	}
	env := stageEnviron(environ, settings)
	app := filepath.Join(dir, mainTree)
	for _, args := range [][]string{
		{"init", "--quiet", app},
		// Older gits cannot name the first branch in init.
		{"-C", app, "symbolic-ref", "HEAD", "refs/heads/main"},
		{"-C", app, "commit", "--quiet", "--allow-empty", "--message", "first"},
		{"-C", app, "worktree", "add", "--quiet", "-b", "login", filepath.Join(dir, otherTree)},
	} {
		if err := git(ctx, dir, env, args); err != nil {
			return nil, err
		}
	}
	return env, nil
}

func git(ctx context.Context, dir string, env, args []string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	message := "cannot run git for the demo: " + err.Error()
	if said := strings.TrimSpace(string(out)); said != "" {
		message += ": " + strings.Join(strings.Fields(said), " ")
	}
	return &store.Error{Code: store.GitFailed, Message: message, Hint: "the demo needs git in PATH", Err: err}
}

// stageEnviron takes away what points git at another repository or at the
// user's settings, and what names an agent; and gives git a name to commit by.
func stageEnviron(environ []string, settings string) []string {
	var env []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		foreign := strings.HasPrefix(name, "GIT_") && name != "GIT_EXEC_PATH" || strings.HasPrefix(name, "AGENT_LOCKS_")
		if !foreign {
			env = append(env, v)
		}
	}
	return append(env,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+settings,
		"GIT_AUTHOR_NAME=demo", "GIT_AUTHOR_EMAIL=demo@example.invalid",
		"GIT_COMMITTER_NAME=demo", "GIT_COMMITTER_EMAIL=demo@example.invalid",
	)
}
