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
	// What is asked of git and since when it can be: linked worktrees (2.5),
	// status --porcelain=v2 (2.11), config --show-scope (2.26).
	hintOld = "this git may be too old: agent-locks needs 2.5, drift 2.11, guard install and guard status 2.26"
)

const (
	// pipeDelay bounds how long a grandchild that keeps git's output open can
	// hold a call after git's end. On a busy machine reading what git has said
	// takes its time, too, and is not to be given up: so it is long.
	pipeDelay = 10 * time.Second
	// killDelay bounds the same after the call was cancelled, when nobody wants
	// to know any more what git says.
	killDelay = time.Second
)

// exitUsage is git's exit code where it does not know an option.
const exitUsage = 129

// A program is git as one call runs it: where, and in which environment.
type program struct {
	dir     string
	environ []string
}

// git prepares the program for a directory, by the environment's rules: an
// explicit base directory drops the variables that locate a repository.
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

// Git runs git in the caller's worktree (in Dir where there is none) in the
// environment of the query that found it, by the same rules as Find, without
// taking git's optional locks, starting a file system monitor or fetching what
// a partial clone lacks, and returns what it printed.
//
// The error is an *Error of kind ErrGitFailed with git's own words, or the
// context's own where that ended first. An *exec.ExitError is within reach of
// errors.As, for commands whose exit code is an answer.
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

// unfound is a repository that git has yet to look for, for what can be asked
// of it meanwhile.
func (q Query) unfound() (*Repo, error) {
	dir, err := q.dir()
	if err != nil {
		return nil, err
	}
	return &Repo{Dir: dir, explicit: q.BaseDir != nil, environ: q.Environ}, nil
}

// pinned makes the variables absolute that git reads relative to the directory
// it is started in, so that they mean in another directory what they meant in
// dir. (GIT_INDEX_FILE is relative to the worktree's root, wherever one stands.)
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

// always is what every git is given. What an older one does not know it ignores.
var always = []string{
	"LC_ALL=C",             // messages are shown as they are, but some are also recognised
	"GIT_OPTIONAL_LOCKS=0", // what --no-optional-locks sets, from 2.15 on: nothing is written
	// Asked about an object that a partial clone lacks, git fetches it, by
	// whatever program the remote's address names. "none" is the only transport
	// that may be used, and there is none of that name.
	"GIT_NO_LAZY_FETCH=1", // from 2.45 on
	"GIT_ALLOW_PROTOCOL=none",
}

// onlyConfig tells of GIT_CONFIG: `git config` alone reads that file instead of the
// settings by which all other commands work.
func onlyConfig(entry string) bool {
	_, is := valueOf(entry, "GIT_CONFIG")
	return is
}

// run runs git and returns what it printed. Its error is exec.ErrNotFound
// where there is no git program, the context's, or an *Error with git's words.
func (g program) run(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := g.runWith(ctx, nil, args...)
	return out, err
}

// runWith is run with something to read for git; said is its standard error.
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

// finish runs a command to its end and the end of its output. Where the context
// ends first, the command is killed with all that it has started, content filters
// too, and waited for no longer than killDelay; it may then still be writing to its
// buffers, which are not to be read.
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
	case err := <-end: // at the same moment: what has its number now is something else
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

// path finds the git program on the PATH that was handed in. Relative entries
// are passed over: a repository must not bring its own git.
func (g program) path() (string, error) { return LookPath(g.environ, "", "git") }

// LookPath finds a program by the PATH of an environment, as a shell that stands in
// dir would: there, what is relative is relative to dir. Where dir is "", relative
// entries of PATH are passed over. The error is as exec.LookPath's.
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

// failure turns git's standard error into an error.
func (g program) failure(err error, stderr string) error {
	said, rest := words(stderr)
	const no = "fatal: not a git repository"
	if strings.HasPrefix(said, no) {
		hint := hintInside
		if strings.HasPrefix(said, no+":") { // not looked for: pointed to
			hint = "a .git file or GIT_DIR does not lead to a repository (any longer); " +
				"`git worktree repair`, run in the main worktree, fixes moved ones"
		}
		return &Error{Kind: ErrNotRepository, Hint: hint, Err: err, said: said,
			Message: fmt.Sprintf("%q is not in a git repository; git says: %s", g.dir, said)}
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == exitUsage {
		said, _, _ = strings.Cut(strings.TrimSpace(stderr), "\n") // the usage follows
		rest = hintOld
	}
	if said == "" {
		said = err.Error()
	}
	return &Error{Kind: ErrGitFailed, Hint: rest, Err: err, said: said,
		Message: fmt.Sprintf("git failed in %q: %s", g.dir, said)}
}

// words splits git's message into the line that says what was wrong and the
// rest, which often says what to do, each as one line.
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

// Unlocated is an environment without the variables that locate a repository,
// for a git that is told where its repository is.
func Unlocated(environ []string) []string { return scrub(environ) }

// Path finds the git program that Find runs in this environment; the error is
// an *Error of kind ErrGitFailed.
func Path(environ []string) (string, error) {
	path, err := program{environ: environ}.path()
	if err != nil {
		return "", noGit(err)
	}
	return path, nil
}

// Program finds the git program that Find runs in this environment, and asks
// it for its version.
//
// The error is an *Error of kind ErrGitFailed, or the context's own where that
// ended first. Where the program was found, its path comes with the error.
func Program(ctx context.Context, environ []string) (path, version string, err error) {
	g := program{environ: environ}
	if path, err = g.path(); err != nil {
		return "", "", noGit(err)
	}
	g.dir = filepath.Dir(path) // a directory that exists: the working directory need not
	out, err := g.run(ctx, "version")
	return path, strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), err
}

func noGit(err error) error {
	return &Error{Kind: ErrGitFailed, Message: "no git program on PATH", Hint: hintInstall, Err: err}
}

// locates tells whether an entry of an environment, NAME=value, is one of the
// variables that name a repository to git, which then does not look for one:
// what `git rev-parse --local-env-vars` prints, less GIT_CONFIG and its like,
// which carry settings such as safe.directory.
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

// scrub is the environment without the variables that locate a repository.
func scrub(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), locates)
}

// Getenv is the value of a variable in an environment as from os.Environ, the
// last one where it is set twice, as for a child process; "" where it is not
// set.
func Getenv(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := valueOf(entry, name); ok {
			return value
		}
	}
	return ""
}

// valueOf is what an entry sets the variable to, if it sets that one; Windows
// folds the case of names.
func valueOf(entry, name string) (value string, ok bool) {
	set, value, ok := strings.Cut(entry, "=")
	if !ok || set != name && !(runtime.GOOS == "windows" && strings.EqualFold(set, name)) {
		return "", false
	}
	return value, true
}
