package gitdir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	hintInside  = "work inside the repository, or name a directory in it with `base_dir`"
	hintInstall = "install git and put it on PATH"
	// The git versions that introduced what we use: linked worktrees (2.5),
	// status --porcelain=v2 (2.11), config --show-scope (2.26).
	hintOld = "this git may be too old: agent-locks needs 2.5, drift 2.11, guard install and guard status 2.26"
)

const (
	// pipeDelay bounds how long a call waits for git's output after git has
	// exited, if a grandchild keeps the pipe open. It is long because reading
	// the output also takes time on a busy machine, and must not be cut off.
	pipeDelay = 10 * time.Second
	// killDelay is the same bound after the call was canceled, when nobody
	// needs the output any more.
	killDelay = time.Second
)

// exitUsage is git's exit code for an unknown option.
const exitUsage = 129

// A program is git as run by one call: its directory and environment.
type program struct {
	dir     string
	environ []string
}

// git prepares git for a directory. With an explicit base directory, variables
// that locate a repository are dropped from the environment.
func (r *Repo) git(dir string) program {
	environ := r.environ
	if r.explicit {
		environ = scrub(environ)
	}
	if r.fixed {
		environ = append(environ, r.located()...)
	}
	return program{dir: dir, environ: environ}
}

// Git runs git in the caller's worktree (or in Dir if there is none) and
// returns its output. The environment is that of the query, by the same rules
// as for Find. Git takes no optional locks, starts no file system monitor, and
// does not fetch objects missing from a partial clone.
//
// The error is an *Error of kind ErrGitFailed with git's message, or the
// context's if that ended first. It may wrap an *exec.ExitError, for commands
// whose exit code is an answer.
func (r *Repo) Git(ctx context.Context, args ...string) ([]byte, error) {
	g := r.git(r.Dir)
	if r.Worktree != "" && r.Worktree != r.Dir {
		g.dir = r.Worktree
		g.environ = pinned(g.environ, r.Dir)
	}
	out, err := g.run(ctx, slices.Concat([]string{"-c", "core.fsmonitor=false"}, r.settings, args)...)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, noGit(err)
	}
	return out, err
}

// unfound returns a repository that git has not located yet, for commands that
// do not need more.
func (q Query) unfound() (*Repo, error) {
	dir, err := q.dir()
	if err != nil {
		return nil, err
	}
	return &Repo{Dir: dir, explicit: q.BaseDir != nil, environ: q.Environ}, nil
}

// pinned makes absolute those variables that git reads relative to its working
// directory, so that they mean the same in another directory as in dir.
// (GIT_INDEX_FILE is relative to the worktree's root in any case.)
func pinned(environ []string, dir string) []string {
	out := make([]string, 0, len(environ))
	for _, entry := range environ {
		for _, name := range []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"} {
			if value, ok := valueOf(entry, name); ok && value != "" && !filepath.IsAbs(value) {
				entry = name + "=" + filepath.Join(dir, value)
			}
		}
		out = append(out, entry)
	}
	return out
}

// always is added to the environment of every git. Older versions ignore what
// they do not know.
var always = []string{
	"LC_ALL=C",             // messages are shown to users, but some are also matched
	"GIT_OPTIONAL_LOCKS=0", // like --no-optional-locks, from 2.15 on: nothing is written
	// Asked about an object that is missing from a partial clone, git fetches
	// it with whatever program the remote's URL names. Allowing only the
	// transport "none", which does not exist, prevents that.
	"GIT_NO_LAZY_FETCH=1", // from 2.45 on
	"GIT_ALLOW_PROTOCOL=none",
}

// onlyConfig reports whether an entry sets GIT_CONFIG: only `git config` reads
// that file, while all other commands use the regular settings.
func onlyConfig(entry string) bool {
	_, is := valueOf(entry, "GIT_CONFIG")
	return is
}

// run runs git and returns its output. The error is exec.ErrNotFound if there
// is no git program, the context's, or an *Error with git's message.
func (g program) run(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := g.runWith(ctx, nil, args...)
	return out, err
}

// runWith is run with input for git; said is git's standard error.
func (g program) runWith(ctx context.Context, input []byte, args ...string) (out []byte, said string, err error) {
	path, err := g.path()
	if err != nil {
		return nil, "", err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Dir = g.dir
	cmd.Env = append(slices.DeleteFunc(slices.Clone(g.environ), onlyConfig), "PWD="+g.dir)
	cmd.Env = append(cmd.Env, always...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if input != nil {
		cmd.Stdin = bytes.NewReader(input)
	}
	cmd.WaitDelay = pipeDelay
	err = finish(ctx, cmd)
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	if err != nil {
		return stdout.Bytes(), stderr.String(), g.failure(err, stderr.String())
	}
	return stdout.Bytes(), stderr.String(), nil
}

// finish runs a command until it has exited and its output has ended. If ctx
// ends first, it kills the command with everything that it has started, such as
// content filters, and waits at most killDelay. The command may then still be
// writing to its buffers, so they must not be read.
func finish(ctx context.Context, cmd *exec.Cmd) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	session, err := StartApart(cmd)
	if err != nil {
		return err
	}
	defer session.Close()
	end := make(chan error, 1)
	go func() { end <- cmd.Wait() }()
	select {
	case err := <-end:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-end: // it ended at the same moment: its process id may be reused
		return err
	default:
	}
	session.Kill()
	select {
	case <-end:
	case <-time.After(killDelay):
	}
	return ctx.Err()
}

// path finds the git program on the PATH of the environment. Relative entries
// are skipped: a repository must not supply its own git.
func (g program) path() (string, error) { return LookPath(g.environ, "", "git") }

// LookPath finds a program on an environment's PATH like a shell whose working
// directory is dir, so relative paths are relative to dir. If dir is "",
// relative entries of PATH are skipped. The error is as exec.LookPath's.
func LookPath(environ []string, dir, name string) (string, error) {
	if filepath.Base(name) != name {
		if dir != "" && !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return exec.LookPath(name)
	}
	for _, at := range filepath.SplitList(Getenv(environ, "PATH")) {
		if !filepath.IsAbs(at) {
			if dir == "" {
				continue
			}
			at = filepath.Join(dir, at)
		}
		if path, err := exec.LookPath(filepath.Join(at, name)); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// failure turns git's exit error and standard error into an *Error.
func (g program) failure(err error, stderr string) error {
	said, rest := words(stderr)
	const no = "fatal: not a git repository"
	if strings.HasPrefix(said, no) {
		hint := hintInside
		if strings.HasPrefix(said, no+":") { // git did not search: it was pointed there
			hint = "a .git file or GIT_DIR does not lead to a repository (any longer); " +
				"`git worktree repair`, run in the main worktree, fixes moved ones"
		}
		return &Error{Kind: ErrNotRepository, Hint: hint, Err: err, said: said,
			Message: fmt.Sprintf("%q is not in a git repository; git says: %s", g.dir, said)}
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == exitUsage {
		said, _, _ = strings.Cut(strings.TrimSpace(stderr), "\n") // the rest is the usage message
		rest = hintOld
	}
	if said == "" {
		said = err.Error()
	}
	return &Error{Kind: ErrGitFailed, Hint: rest, Err: err, said: said,
		Message: fmt.Sprintf("git failed in %q: %s", g.dir, said)}
}

// words splits git's message into the line that says what is wrong and the
// rest, which often says what to do. Each is returned as one line.
func words(stderr string) (said, rest string) {
	var lines, others []string
	for line := range strings.Lines(stderr) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	for _, line := range lines {
		if said == "" && strings.HasPrefix(line, "fatal: ") {
			said = line
		} else {
			others = append(others, line)
		}
	}
	if said == "" {
		return strings.Join(lines, " "), ""
	}
	return said, strings.Join(others, " ")
}

// Unlocated returns the environment without the variables that locate a
// repository, for a git that is told the location.
func Unlocated(environ []string) []string { return scrub(environ) }

// Path returns the git program that Find runs in this environment. The error is
// an *Error of kind ErrGitFailed.
func Path(environ []string) (string, error) {
	path, err := program{environ: environ}.path()
	if err != nil {
		return "", noGit(err)
	}
	return path, nil
}

// Program returns the git program that Find runs in this environment, and its version.
//
// The error is an *Error of kind ErrGitFailed, or the context's if that ended
// first. If the program was found, its path is returned even with an error.
func Program(ctx context.Context, environ []string) (path, version string, err error) {
	g := program{environ: environ}
	if path, err = g.path(); err != nil {
		return "", "", noGit(err)
	}
	g.dir = filepath.Dir(path) // a directory that exists, which the working directory may not
	out, err := g.run(ctx, "version")
	return path, strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), err
}

func noGit(err error) error {
	return &Error{Kind: ErrGitFailed, Message: "no git program on PATH", Hint: hintInstall, Err: err}
}

// locates reports whether an environment entry, NAME=value, is a variable that
// names a repository to git, which then does not search for one. These are the
// variables that `git rev-parse --local-env-vars` prints, except GIT_CONFIG and
// similar ones, which contain settings such as safe.directory.
func locates(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	switch name {
	case "GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_COMMON_DIR",
		"GIT_DIR",
		"GIT_GRAFT_FILE",
		"GIT_IMPLICIT_WORK_TREE",
		"GIT_INDEX_FILE",
		"GIT_INTERNAL_SUPER_PREFIX",
		"GIT_NO_REPLACE_OBJECTS",
		"GIT_OBJECT_DIRECTORY",
		"GIT_PREFIX",
		"GIT_REPLACE_REF_BASE",
		"GIT_SHALLOW_FILE",
		"GIT_WORK_TREE":
		return true
	}
	return false
}

// scrub returns the environment without the variables that locate a repository.
func scrub(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), locates)
}

// Getenv returns the value of a variable in an environment as from os.Environ,
// or "" if it is not set. If it is set twice the last value counts, as it does
// for a child process.
func Getenv(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := valueOf(entry, name); ok {
			return value
		}
	}
	return ""
}

// valueOf returns the value that an entry gives to the named variable, if it is
// about that variable. On Windows names are case-insensitive.
func valueOf(entry, name string) (value string, ok bool) {
	set, value, ok := strings.Cut(entry, "=")
	if !ok || set != name && !(runtime.GOOS == "windows" && strings.EqualFold(set, name)) {
		return "", false
	}
	return value, true
}
