package remote

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/shell"
)

// settings are the relevant git settings of the user, by key as git prints it.
type settings map[string][]string

// ErrRemote is the error for a remote that cannot be used as configured.
var ErrRemote = errors.New("this remote cannot be used")

// readSettings asks git once for all settings.
func (r *Repository) readSettings(ctx context.Context) (settings, error) {
	out, err := r.inRepository(ctx, "config", "-z", "--get-regexp", `^(remote\..*\.(url|pushurl)|url\..*\.pushinsteadof|core\.sshcommand|ssh\.variant)$`)
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !(ok && exit.ExitCode() == 1) { // 1: none set
		return nil, fmt.Errorf("git config failed: %s: %w", words(out.stderr), err)
	}
	s := settings{}
	for entry := range strings.SplitSeq(out.stdout, "\x00") {
		if key, value, _ := strings.Cut(entry, "\n"); key != "" {
			s[key] = append(s[key], value)
		}
	}
	return s, nil
}

// last returns the effective value of a single-valued setting.
func (s settings) last(key string) string {
	if values := s[key]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// remotes returns the names of remotes that have a URL.
func (s settings) remotes() []string {
	var names []string
	for key := range s {
		if name, ok := strings.CutSuffix(key, ".url"); ok && strings.HasPrefix(name, "remote.") {
			names = append(names, strings.TrimPrefix(name, "remote."))
		}
	}
	slices.Sort(names)
	return names
}

// others lists the configured remotes for an error message.
func (s settings) others() string {
	names := s.remotes()
	if len(names) == 0 {
		return ", nor any other one"
	}
	return fmt.Sprintf("; there are %s", strings.Trim(fmt.Sprintf("%q", names), "[]"))
}

// CheckURL returns an error if the remote is fetched from one URL and pushed to another,
// since what a look finds at the one would not hold for the other.
func (r *Repository) CheckURL(ctx context.Context) error {
	switch urls := r.settings["remote."+r.Remote+".url"]; {
	case len(urls) == 0:
		return fmt.Errorf("%w: there is no remote %q%s", ErrRemote, r.Remote, r.settings.others())
	case len(urls) > 1:
		return fmt.Errorf("%w: the remote %q has %d URLs", ErrRemote, r.Remote, len(urls))
	}
	if len(r.settings["remote."+r.Remote+".pushurl"]) == 0 && !r.settings.rewritesPushes() {
		return nil
	}
	var urls [2]string
	for i, args := range [][]string{{"remote", "get-url", "--all", r.Remote}, {"remote", "get-url", "--all",
		"--push", r.Remote}} {
		out, err := r.inRepository(ctx, args...)
		if err != nil {
			return fmt.Errorf("git remote get-url failed: %s: %w", words(out.stderr), err)
		}
		urls[i] = strings.TrimSpace(out.stdout)
	}
	switch {
	case strings.Contains(urls[1], "\n"):
		return fmt.Errorf("%w: the remote %q has several push URLs", ErrRemote, r.Remote)
	case urls[0] != urls[1]:
		return fmt.Errorf("%w: the remote %q is pushed to another URL than it is fetched from", ErrRemote, r.Remote)
	}
	return nil
}

func (s settings) rewritesPushes() bool {
	for key := range s {
		if strings.HasSuffix(key, ".pushinsteadof") {
			return true
		}
	}
	return false
}

// ssh returns the environment that keeps ssh from prompting and limits its time to
// connect, in addition to what the user has configured. Commands other than OpenSSH and
// plink are left alone, since they may not know the options.
func (s settings) ssh(environ []string) []string {
	command := gitdir.Getenv(environ, "GIT_SSH_COMMAND")
	if command == "" {
		command = s.last("core.sshcommand")
	}
	if program := gitdir.Getenv(environ, "GIT_SSH"); command == "" && program != "" {
		command = shell.Word(program)
	}
	if command == "" {
		command = "ssh"
	}
	variant := gitdir.Getenv(environ, "GIT_SSH_VARIANT")
	if variant == "" {
		variant = s.last("ssh.variant")
	}
	if variant == "" || variant == "auto" {
		variant = variantOf(command)
	}
	switch variant {
	case "ssh":
		return []string{"GIT_SSH_COMMAND=" + command + " -oBatchMode=yes -oConnectTimeout=5"}
	case "plink", "putty", "tortoiseplink":
		return []string{"GIT_SSH_COMMAND=" + command + " -batch"}
	}
	return nil
}

// variantOf returns the variant of ssh that git derives from a command.
func variantOf(command string) string {
	program := strings.TrimLeft(command, " ")
	if program != "" && (program[0] == '\'' || program[0] == '"') {
		program, _, _ = strings.Cut(program[1:], program[:1])
	} else {
		program, _, _ = strings.Cut(program, " ")
	}
	name := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	return strings.TrimSuffix(name, ".exe")
}

// fallback is the committer if git knows no identity.
const fallback = "agent-locks <agent-locks@localhost>"

// Identity returns the name and address that the user's commits here carry. A host may
// accept only commits of known authors.
func (r *Repository) Identity(ctx context.Context) (string, error) {
	dir := r.Worktree
	args := []string{"-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"}
	if dir == "" {
		dir, args = r.Root, slices.Concat(r.flags(), args)
	}
	out, err := r.run(ctx, call{dir: dir, environ: r.local, args: args})
	if err != nil {
		if exited(err) {
			return fallback, nil
		}
		return "", err
	}
	end := strings.LastIndexByte(out.stdout, '>')
	if end < 0 || strings.ContainsAny(out.stdout[:end], "\n\x00") {
		return fallback, nil
	}
	return out.stdout[:end+1], nil
}
