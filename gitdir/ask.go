package gitdir

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// answers are git's answers as printed, one line each: paths may be relative
// and are unchecked.
type answers struct {
	common, git, toplevel, prefix, head, ref string
}

// askAll asks git everything with one process. It prints one line for each
// field of answers, in their order, and stops at the first question that it
// cannot answer (no work tree, no commit).
func askAll(ctx context.Context, g program) ([]byte, error) {
	return g.run(ctx, "rev-parse", "--git-common-dir", "--git-dir", "--show-toplevel", "--show-prefix",
		"HEAD", "--symbolic-full-name", "HEAD")
}

// parse reads the answers to all questions. ok means that each line has the
// expected form: a name with a newline, or a missing answer, changes the number
// of lines or the position of the last two.
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

// trimNewline removes the newline that git prints after an answer, and nothing
// else: a directory's name may itself end in a space or a newline.
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

// parseUnborn reads the answers before the first commit: git stops there, and
// echoes the question that it could not answer. A newline in a name would add
// lines; a prefix ends in a slash, so it cannot be mistaken for "HEAD".
func parseUnborn(out string) (a answers, ok bool) {
	lines := strings.Split(trimNewline(out), "\n")
	if len(lines) != 5 || lines[4] != "HEAD" {
		return answers{}, false
	}
	return answers{common: lines[0], git: lines[1], toplevel: lines[2], prefix: lines[3]}, true
}

// refQuestion asks for the full name of the branch, even before its first commit.
func refQuestion() []string { return []string{"symbolic-ref", "--quiet", "HEAD"} }

// A question is one question to git, and the destination of the answer.
type question struct {
	into     *string
	required bool // if false, a failure of git means that there is no answer
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

// askEach asks each question separately. Only the common directory and the git
// directory are required.
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

// fill sets r's fields from git's answers, with paths absolute and symlink-free.
func (r *Repo) fill(a answers) error {
	var err error
	if r.GitDir, err = existing(r.Dir, a.git); err != nil {
		return err
	}
	toplevel := filepath.FromSlash(a.toplevel)
	if a.common == "--git-common-dir" { // git before 2.5, which has no worktrees, echoes the question
		a.common = a.git
	}
	r.CommonDir, err = existing(r.Dir, a.common)
	if err != nil && toplevel != "" { // git before 2.13 answers relative to the root, even in a subdirectory
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

// existing resolves a path that git printed, which may be relative to dir.
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

// linked returns the root of the worktree that a linked worktree's git
// directory belongs to, and the position of dir in it. It is for when git
// itself will not say (core.bare=true with linked worktrees). Both are empty if
// dir is not in that worktree.
func linked(gitDir, dir string) (worktree, prefix string) {
	text, err := readFile(filepath.Join(gitDir, "gitdir"), maxPointer)
	if err != nil {
		return "", "" // it is the main worktree's git directory
	}
	return place(resolved(worktreeOf(gitDir, string(text))), dir)
}

// place returns the worktree's root and the path of dir in it, slash-separated,
// or empty strings if dir is not in the worktree.
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
