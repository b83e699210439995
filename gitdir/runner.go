package gitdir

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
)

// A Runner runs git in one place, with its own settings, variables and input.
// As with Git, nothing optional is written and nothing is fetched.
type Runner struct {
	program  program
	settings []string
}

// Here runs git in the caller's worktree, with additional variables
// (NAME=value) and settings (name=value). Git is told where the repository is
// instead of searching for it.
func (r *Repo) Here(variables, settings []string) Runner {
	environ := append(scrub(r.environ), "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+r.Worktree)
	return Runner{
		program:  program{dir: r.Worktree, environ: append(environ, variables...)},
		settings: slices.Concat([]string{"-c", "core.fsmonitor=false"}, r.settings, asFlags(settings)),
	}
}

// In runs git in another repository, such as a submodule, given its git
// directory or the file that points there. If that does not exist, git fails
// instead of searching further up. It reads no files of a worktree, so the
// submodule need not be checked out.
func (r *Repo) In(gitDir string) Runner {
	environ := append(scrub(r.environ), "GIT_DIR="+gitDir, "GIT_WORK_TREE="+r.Worktree)
	return Runner{program: program{dir: r.Worktree, environ: environ}, settings: []string{"-c", "core.fsmonitor=false"}}
}

// Apart runs git in a bare repository of our own. Only that repository's
// configuration and attributes apply, and the given settings (name=value).
// nothing is the path of an empty file. The user's environment still decides
// whether replacement objects are used.
func (r *Repo) Apart(bare, nothing string, settings []string) Runner {
	environ := slices.DeleteFunc(slices.Clone(r.environ), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") && !strings.HasPrefix(entry, "GIT_EXEC_PATH=") &&
			!strings.HasPrefix(entry, "GIT_TRACE") && !strings.HasPrefix(entry, "GIT_NO_REPLACE_OBJECTS=")
	})
	return Runner{
		program: program{dir: bare, environ: append(environ,
			"GIT_DIR="+bare,
			"GIT_CONFIG_GLOBAL="+nothing, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
			"HOME="+bare, "XDG_CONFIG_HOME="+bare)}, // git before 2.32 does not know GIT_CONFIG_GLOBAL
		settings: asFlags(slices.Concat([]string{"core.attributesFile=" + nothing}, settings)),
	}
}

func asFlags(settings []string) []string {
	var flags []string
	for _, s := range settings {
		flags = append(flags, "-c", s)
	}
	return flags
}

// Run runs git with input and returns its output, even if it failed. The error is as Git's.
func (g Runner) Run(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	out, _, err := g.RunAloud(ctx, input, args...)
	return out, err
}

// RunAloud is Run, but also returns git's standard error, in English: some
// failures are only reported there, as warnings.
func (g Runner) RunAloud(ctx context.Context, input []byte, args ...string) (out []byte, said string, err error) {
	out, said, err = g.program.runWith(ctx, input, slices.Concat(g.settings, args)...)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, "", noGit(err)
	}
	return out, said, err
}

// Unknown reports whether git failed because it does not know an option or a
// command, so is too old.
func Unknown(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == exitUsage
}

// Exited returns git's exit code if the error says that git exited by itself, else 0.
func Exited(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return exit.ExitCode()
	}
	return 0
}
