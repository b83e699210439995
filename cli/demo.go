package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

func newDemo(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "watch two agents meet in a throwaway repository",
		Long: "Make a repository with two worktrees, let two agents meet in it, and remove it\n" +
			"again. Every command shown is really run.",
		Example: "  agent-locks demo",
		Args:    noArgs(""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), a) },
	}
}

// A scene is one command of the demo.
type scene struct {
	remark string
	where  string // the worktree that the command is run in
	args   []string
	exit   int // the expected exit code
}

// The worktrees of the demo, and the task that is done in it.
const (
	mainTree  = "app"
	otherTree = "app-login"
	demoTask  = "Write the limiter"
)

func scenes() []scene {
	return []scene{
		{"agent-1 says what it is going to work on.", mainTree, []string{"claim", "--title", "Add rate limiting",
			"--scope", "src/api/**", "--task", demoTask, "--task", "Test it", "--agent", "agent-1"}, exitOK},
		{"agent-2, in another worktree, asks before it touches a file of the API.", otherTree,
			[]string{"check", "src/api/login.ts", "--exit-code"}, exitAnswer},
		{"The web pages are free, so it takes those.", otherTree, []string{"claim", "--title", "New login page",
			"--scope", "src/web/**", "--agent", "agent-2"}, exitOK},
		{"agent-1 makes progress.", mainTree, []string{"update", "add-rate-limiting", "--task", demoTask,
			"--note", "429 answers carry Retry-After", "--agent", "agent-1"}, exitOK},
		{"Anybody can see who is working on what.", otherTree, []string{"status"}, exitOK},
		{"agent-1 is done.", mainTree, []string{"finish", "add-rate-limiting",
			"--summary", "all of src/api is limited to 100 requests a minute", "--agent", "agent-1"}, exitOK},
		{"Now the file is free, and the record says why it looks different.", otherTree,
			[]string{"check", "src/api/login.ts", "--exit-code"}, exitOK},
		{"", otherTree, []string{"show", "add-rate-limiting"}, exitOK},
	}
}

// A played is a scene together with its outcome.
type played struct {
	Worktree string `json:"worktree"`
	Command  string `json:"command"`
	Output   string `json:"output"`
	Exit     int    `json:"exit"`
}

// runDemo plays the scenes in a temporary repository, which it removes however
// it ends.
func runDemo(ctx context.Context, a *app) (err error) {
	stage, err := os.MkdirTemp(a.TempDir, "agent-locks-demo-")
	if err != nil {
		return fmt.Errorf("cannot make a directory for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	env, err := buildStage(ctx, stage, a.Environ())
	if err != nil {
		return err
	}
	var all []played
	for _, s := range scenes() {
		p, err := a.play(ctx, stage, env, s)
		if err != nil {
			return err
		}
		all = append(all, p)
		if !a.json {
			printPlayed(a, s.remark, p)
			if err := a.flush(); err != nil {
				return err
			}
		}
	}
	if a.json {
		return a.printJSON(all)
	}
	fmt.Fprintln(a.out, "# The demo's repository has been removed.")
	return a.flush()
}

// play runs one scene through the same code as any other command line.
func (a *app) play(ctx context.Context, stage string, env []string, s scene) (played, error) {
	var out, fault bytes.Buffer
	code := Run(ctx, World{
		Args:    s.args,
		Stdin:   strings.NewReader(""),
		Stdout:  &out,
		Stderr:  &fault,
		Environ: func() []string { return env },
		Getwd:   func() (string, error) { return filepath.Join(stage, s.where), nil },
		Now:     a.Now,
		TempDir: a.TempDir,
		Columns: a.Columns,
	})
	p := played{s.where, "agent-locks " + shell.Words(s.args...), out.String(), code}
	if code != s.exit {
		return p, fmt.Errorf("%s ended with %d: %s", p.Command, code, strings.TrimSpace(fault.String()))
	}
	return p, nil
}

func printPlayed(a *app, remark string, p played) {
	if remark != "" {
		fmt.Fprintf(a.out, "# %s\n", remark)
	}
	fmt.Fprintf(a.out, "%s$ %s\n%s", p.Worktree, p.Command, p.Output)
	if p.Exit != exitOK {
		fmt.Fprintf(a.out, "(exit code %d)\n", p.Exit)
	}
	fmt.Fprintln(a.out)
}

// buildStage creates the demo's repository and its two worktrees under dir, and
// returns an environment in which git sees none of the user's repositories,
// settings and hooks.
func buildStage(ctx context.Context, dir string, environ []string) ([]string, error) {
	settings := filepath.Join(dir, "gitconfig")
	if err := os.WriteFile(settings, nil, 0o600); err != nil {
		return nil, fmt.Errorf("cannot set the demo up: %w", err)
	}
	env := stageEnviron(environ, settings)
	app := filepath.Join(dir, mainTree)
	for _, args := range [][]string{
		{"init", "--quiet", app},
		// Older versions of git cannot name the first branch in init.
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
	program, err := gitdir.LookPath(env, "", "git")
	var out []byte
	if err == nil {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir, cmd.Env = dir, env
		out, err = cmd.CombinedOutput()
	}
	if err == nil {
		return nil
	}
	message := "cannot run git for the demo: " + err.Error()
	if said := strings.TrimSpace(string(out)); said != "" {
		message += ": " + strings.Join(strings.Fields(said), " ")
	}
	return &store.Error{Code: store.GitFailed, Message: message, Hint: "the demo needs git in PATH", Err: err}
}

// stageEnviron removes the variables that point git at another repository or at
// the user's settings, and those that name an agent. It adds an identity for
// commits.
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
