package gitdir

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// answers are git's own words, a line each, still relative and unchecked.
type answers struct {
	common, git, toplevel, prefix, head, ref string
}

// askAll is one spawn for what a call needs, an answer a line in the order of
// the fields of answers. Where git cannot answer one of the questions (no work
// tree, no commit), it stops there.
func askAll(ctx context.Context, g program) ([]byte, error) {
	return g.run(ctx, "rev-parse", "--git-common-dir", "--git-dir", "--show-toplevel", "--show-prefix",
		"HEAD", "--symbolic-full-name", "HEAD")
}

// parse reads the answer to all questions; ok only where each line is what it
// must be. A name that holds a newline, or a question that git did not answer,
// makes another number of lines or moves the last two from their places.
func parse(out string) (a answers, ok bool) {
	lines := strings.Split(trimNewline(out), "\n")
	if len(lines) != 6 {
		return answers{}, false
	}
	a = answers{common: lines[0], git: lines[1], toplevel: lines[2], prefix: lines[3], head: lines[4], ref: lines[5]}
	return a, isHash(a.head) && (a.ref == "HEAD" || strings.HasPrefix(a.ref, "refs/"))
}

func isHash(line string) bool {
	return (len(line) == 40 || len(line) == 64) && strings.Trim(line, "0123456789abcdef") == ""
}

// trimNewline takes away the one newline that git puts after an answer, and
// nothing else: a directory's name may end in a space or a newline of its own.
func trimNewline(out string) string { return strings.TrimSuffix(out, "\n") }

// ask fills r with git's answers.
func (r *Repo) ask(ctx context.Context, g program) error {
	out, err := askAll(ctx, g)
	if err != nil && len(out) == 0 {
		return err // not even the first question was answered
	}
	var a answers
	var ok bool
	if err == nil {
		a, ok = parse(string(out))
	} else if a, ok = parseUnborn(string(out)); ok {
		err = askOne(ctx, g, question{&a.ref, false, refQuestion()})
	}
	if !ok {
		a, err = askEach(ctx, g)
	}
	if err != nil {
		return err
	}
	return r.fill(a)
}

// parseUnborn reads the answer that git breaks off where there is no commit
// yet: it repeats the question that it could not answer. A newline in a name
// would make more lines, and a prefix ends in a slash.
func parseUnborn(out string) (a answers, ok bool) {
	lines := strings.Split(trimNewline(out), "\n")
	if len(lines) != 5 || lines[4] != "HEAD" {
		return answers{}, false
	}
	return answers{common: lines[0], git: lines[1], toplevel: lines[2], prefix: lines[3]}, true
}

// refQuestion asks for the full name of the branch, born or not.
func refQuestion() []string { return []string{"symbolic-ref", "--quiet", "HEAD"} }

// A question is one thing to ask git, and where its answer goes.
type question struct {
	into     *string
	required bool // else git's refusal is the answer that there is none
	args     []string
}

func askOne(ctx context.Context, g program, q question) error {
	out, err := g.run(ctx, q.args...)
	if err == nil {
		if *q.into = trimNewline(string(out)); *q.into == "" && q.required {
			return &Error{Kind: ErrGitFailed, Message: fmt.Sprintf("git %s printed nothing", strings.Join(q.args, " ")),
				Hint: "see which program the `git` on your PATH is"}
		}
	} else if _, refused := errors.AsType[*Error](err); q.required || !refused {
		return err
	}
	return nil
}

// askEach asks each question alone. Only the common directory and the git
// directory must have an answer.
func askEach(ctx context.Context, g program) (a answers, err error) {
	for _, q := range []question{
		{&a.common, true, []string{"rev-parse", "--git-common-dir"}},
		{&a.git, true, []string{"rev-parse", "--git-dir"}},
		{&a.toplevel, false, []string{"rev-parse", "--show-toplevel"}},
		{&a.prefix, false, []string{"rev-parse", "--show-prefix"}},
		{&a.head, false, []string{"rev-parse", "--quiet", "--verify", "HEAD"}},
		{&a.ref, false, refQuestion()},
	} {
		if err := askOne(ctx, g, q); err != nil {
			return answers{}, err
		}
	}
	return a, nil
}

// fill makes git's answers absolute and symlink-free.
func (r *Repo) fill(a answers) error {
	var err error
	if r.GitDir, err = existing(r.Dir, a.git); err != nil {
		return err
	}
	toplevel := filepath.FromSlash(a.toplevel)
	if a.common == "--git-common-dir" { // git before 2.5, which has no worktrees, echoes it
		a.common = a.git
	}
	r.CommonDir, err = existing(r.Dir, a.common)
	if err != nil && toplevel != "" { // in a subdirectory, git before 2.13 answers from the root
		r.CommonDir, err = existing(toplevel, a.common)
	}
	if err != nil {
		return err
	}
	if toplevel != "" {
		r.Worktree, r.Prefix = resolved(toplevel), strings.TrimSuffix(a.prefix, "/")
	} else {
		r.Worktree, r.Prefix = linked(r.GitDir, r.Dir)
	}
	r.Head = a.head
	if branch, ok := strings.CutPrefix(a.ref, "refs/heads/"); ok {
		r.Branch = branch
	}
	return nil
}

// existing resolves a path that git printed relative to dir.
func existing(dir, path string) (string, error) {
	path = absolute(dir, path)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &Error{
			Kind:    ErrGitFailed,
			Message: fmt.Sprintf("git names the directory %q, which cannot be read: %v", path, reason(err)),
			Err:     err,
		}
	}
	return real, nil
}

// linked is the worktree that a linked worktree's git directory belongs to,
// where git itself will not say (core.bare=true over live worktrees), and the
// place of dir in it; empty where dir is not in it.
func linked(gitDir, dir string) (worktree, prefix string) {
	text, err := readFile(filepath.Join(gitDir, "gitdir"), maxPointer)
	if err != nil {
		return "", "" // the main worktree's git directory has none
	}
	return place(resolved(worktreeOf(gitDir, string(text))), dir)
}

// place is dir's place in a worktree, slash-separated; both are empty where
// dir is not in it.
func place(worktree, dir string) (root, prefix string) {
	prefix, err := filepath.Rel(worktree, dir)
	switch {
	case worktree == "" || err != nil || !filepath.IsLocal(prefix):
		return "", ""
	case prefix == ".":
		return worktree, ""
	}
	return worktree, filepath.ToSlash(prefix)
}
