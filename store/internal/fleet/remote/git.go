package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
)

// environment returns the environment of each git. It removes variables that would lead
// git to another repository, and prevents prompts. An empty program for passwords means
// none; a program that answers nothing would make credential helpers erase what they have
// stored.
func environment(environ []string) []string {
	return append(gitdir.Unlocated(environ),
		"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never")
}

// flags returns the flags of each git that works in the bare repository.
func (r *Repository) flags() []string {
	flags := []string{"--git-dir=" + r.Dir}
	for _, s := range []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false",
		"push.gpgSign=false", "push.followTags=false", "push.pushOption=", "push.negotiate=false",
		"remote." + r.Remote + ".mirror=false", "remote." + r.Remote + ".promisor=false",
		"transfer.fsckObjects=true", "fetch.fsckObjects=true",
		// Keep what arrives packed, and do not load large objects into memory: a small
		// pack may unfold into a huge one.
		"fetch.unpackLimit=1", "core.bigFileThreshold=1m",
	} {
		flags = append(flags, "-c", s)
	}
	return flags
}

// A call is one run of git.
type call struct {
	dir     string
	environ []string
	args    []string
	watch   func() error // called regularly; an error ends the call
}

// An output is the output of git.
type output struct {
	stdout, stderr string
}

const (
	maxOutput  = 1 << 20
	watchEvery = 100 * time.Millisecond
	killDelay  = time.Second // time for git to end after it was asked, and again after it was killed
)

// inRepository runs git without using the network.
func (r *Repository) inRepository(ctx context.Context, args ...string) (output, error) {
	return r.run(ctx, call{dir: r.Root, environ: r.local, args: slices.Concat(r.flags(), args)})
}

// run runs git in a session of its own, so that neither it nor its children can prompt on
// the terminal. Its output goes to files, because a connection that ssh keeps open for
// later would also keep a pipe open. When the context ends, all of it is ended. The error
// is the context's, a watch's, or git's.
func (r *Repository) run(ctx context.Context, c call) (output, error) {
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp("", "agent-locks-git-")
		if err != nil {
			return output{}, err
		}
		if runtime.GOOS == "windows" {
			defer os.Remove(f.Name())
		} else {
			_ = os.Remove(f.Name()) // so that nothing remains if this process is killed
		}
		defer f.Close() // already read
		files[i] = f
	}
	cmd := exec.Command(r.program, c.args...)
	cmd.Dir, cmd.Env = c.dir, append(c.environ[:len(c.environ):len(c.environ)], "PWD="+c.dir)
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	err := finish(ctx, cmd, c.watch)
	var out output
	var readErr error
	for i, text := range []*string{&out.stdout, &out.stderr} {
		data, err := io.ReadAll(io.LimitReader(io.NewSectionReader(files[i], 0, maxOutput), maxOutput))
		*text, readErr = string(data), errors.Join(readErr, err)
	}
	return out, errors.Join(err, readErr)
}

// finish runs a command to its end. If ctx ends first, or watch fails, it ends the command
// and all that it has started: it asks first, then kills.
func finish(ctx context.Context, cmd *exec.Cmd, watch func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	session, err := gitdir.StartApart(cmd)
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	defer session.Close()
	end := make(chan error, 1)
	go func() { end <- cmd.Wait() }()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-end:
			return err
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-tick.C:
			if watch == nil {
				continue
			}
			if err = watch(); err == nil {
				continue
			}
		}
		session.End(killDelay)
		select {
		case <-end:
		case <-time.After(killDelay):
		}
		return err
	}
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, t time.Duration) error {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// exited reports whether git ended by itself, with any exit code.
func exited(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.Exited()
}

const maxWords = 600

// words returns the output of git and the host as one line of limited length.
func words(stderr string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(stderr, "\r", "\n"), "\n") {
		if line = strings.Trim(line, " \t\x00"); line != "" && line != "remote:" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	text := strings.ToValidUTF8(strings.Join(lines, "; "), "?")
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "") + "..."
	}
	return text
}
