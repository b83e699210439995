package gitdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// What differs from a commit: in the index, or in the worktree. Names are
// relative to the worktree's root and slash-separated, as git has them.

// Staged lists the files in which the index differs from HEAD: what the commit
// that is being made would change, both names of a rename and deletions too. It
// goes by the index that q's environment names, since `git commit FILE` makes
// one of its own, and can be asked beside Find, before the repository is known.
//
// The error is as Find's.
func Staged(ctx context.Context, q Query) ([]string, error) {
	r, err := q.unfound()
	if err != nil {
		return nil, err
	}
	return r.differing(ctx, "--cached", "")
}

// StagedInMerge narrows what Staged said to the files that differ from every
// commit that is being merged as well: what one of them brings in as it is was
// committed elsewhere. Without such commits it is what Staged said.
func (r *Repo) StagedInMerge(ctx context.Context, staged, merging []string) ([]string, error) {
	for _, commit := range merging {
		differ, err := r.differing(ctx, "--cached", commit)
		if err != nil {
			return nil, err
		}
		staged = common(staged, differ)
	}
	return staged, nil
}

// Uncommitted lists what differs from HEAD in the worktree or in the index,
// untracked files one by one and both names of a rename. Of the tracked ones
// only those count that differ from the commits that are being merged, too; of
// the untracked ones those outside the repository's other worktrees. Nor do those
// count in what was a worktree, as the orphans that it names: their .git points
// to what is gone, and to git all that was checked out there is untracked here.
func (r *Repo) Uncommitted(ctx context.Context, merging []string) (changed, orphans []string, err error) {
	return r.uncommitted(ctx, merging, nil)
}

// uncommitted is that for what lies under some paths; none: everywhere.
func (r *Repo) uncommitted(ctx context.Context, merging, under []string) (changed, orphans []string, err error) {
	args := []string{"-c", "status.renames=false", "-c", "diff.renames=false"}
	if len(under) > 0 && r.IgnoreCase {
		args = append(args, "--icase-pathspecs")
	}
	args = append(args, "status", "--porcelain=v2", "-z", "--untracked-files=all", r.submodules(), "--")
	out, err := r.Git(ctx, append(args, under...)...)
	if err != nil {
		return nil, nil, err
	}
	tracked, untracked := statusPaths(string(out))
	for _, worktree := range r.Nested() {
		untracked = slices.DeleteFunc(untracked, func(name string) bool { return strings.HasPrefix(name, worktree+"/") })
	}
	untracked, orphans = r.withoutOrphans(untracked)
	for _, commit := range merging {
		there, err := r.HasCommit(ctx, commit)
		if err != nil {
			return nil, nil, err
		}
		if !there {
			continue
		}
		var differ []string
		for _, where := range []string{"", "--cached"} {
			names, err := r.differing(ctx, where, commit)
			if err != nil {
				return nil, nil, err
			}
			differ = append(differ, names...)
		}
		tracked = common(tracked, differ)
	}
	return append(tracked, untracked...), orphans, nil
}

// differing lists the tracked files that are not as a commit has them, ""
// being HEAD (or nothing, before the first commit), in the worktree or, with
// --cached, in the index.
func (r *Repo) differing(ctx context.Context, where, commit string) ([]string, error) {
	args := []string{"-c", "diff.relative=false", "diff", "--name-only", "--no-renames", "--no-ext-diff",
		r.submodules(), "-z"}
	for _, arg := range []string{where, commit} {
		if arg != "" {
			args = append(args, arg)
		}
	}
	out, err := r.Git(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return SplitNames(out), nil
}

// submodules says what of a submodule counts as a change of its path: another
// commit, and, unless content filters are not to be run, a change inside it,
// for which git runs status in there.
func (r *Repo) submodules() string {
	if r.unfiltered {
		return "--ignore-submodules=dirty"
	}
	return "--ignore-submodules=none"
}

// Squashing reports whether the commit that is being made completes `git merge
// --squash`.
func (r *Repo) Squashing() bool {
	_, err := os.Lstat(filepath.Join(r.GitDir, "SQUASH_MSG"))
	return err == nil
}

// statusPaths reads git status --porcelain=v2 -z (git-status(1)): records that
// begin with 1, 2, u or ?, whose path is their last field, and which in the
// case of 2 are followed by the path that it was renamed or copied from.
func statusPaths(out string) (tracked, untracked []string) {
	fields := map[byte]int{'1': 9, '2': 10, 'u': 11, '?': 2}
	records := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i < len(records); i++ {
		record := records[i]
		if record == "" || fields[record[0]] == 0 {
			continue
		}
		parts := strings.SplitN(record, " ", fields[record[0]])
		path := parts[len(parts)-1]
		if record[0] == '?' {
			untracked = append(untracked, path)
			continue
		}
		tracked = append(tracked, path)
		if record[0] == '2' && i+1 < len(records) {
			i++
			tracked = append(tracked, records[i])
		}
	}
	return tracked, untracked
}

// SplitNames reads names that each end in a NUL, as git prints them with -z.
func SplitNames(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// common are the names that both lists have, in the order of the first.
func common(a, b []string) []string {
	in := make(map[string]bool, len(b))
	for _, name := range b {
		in[name] = true
	}
	var out []string
	for _, name := range a {
		if in[name] {
			out = append(out, name)
		}
	}
	return out
}

// maxMergeHead bounds a MERGE_HEAD: a merge of over a thousand branches.
const maxMergeHead = 64 << 10

// Merging lists the commits that are being merged into HEAD, as full object
// ids; none where no merge is under way. Anything else in the file where git
// keeps them is an error: its words would be git's arguments.
func (r *Repo) Merging() ([]string, error) {
	path := filepath.Join(r.GitDir, "MERGE_HEAD")
	text, err := readFile(path, maxMergeHead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, badMerge(err, "%q, which names the commits being merged, cannot be read: %v", path, reason(err))
	}
	ids := strings.Fields(string(text))
	for _, id := range ids {
		if err := objectID(id); err != nil {
			return nil, badMerge(err, "%q, which names the commits being merged, is damaged: %v", path, err)
		}
	}
	return ids, nil
}

func badMerge(err error, format string, args ...any) error {
	return &Error{Kind: ErrGitFailed, Message: fmt.Sprintf(format, args...), Err: err,
		Hint: "end the merge (git merge --abort, or git merge --quit), or move that file away"}
}

// objectID refuses what is not a full object id, in hexadecimal. An id cannot be
// read as an option, which in git before 2.24 nothing else prevents
// (--end-of-options).
func objectID(text string) error {
	if !isHash(text) {
		return fmt.Errorf("%s is not an object id", clipped(text))
	}
	return nil
}

// clipped quotes text that may be of any length.
func clipped(text string) string {
	if len(text) > 80 {
		text = text[:80] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// Status and diffs against the worktree run content filters (filter.<name>.clean
// and .process), programs that a repository's own config names. They are run
// where the caller works; elsewhere, where somebody may have laid out a
// repository to have them run, they are switched off.

// Unfiltered is the repository without the content filters that its settings
// name, and their names. What they convert may then count as changed. What is
// changed in a submodule and not committed there does not: to know, git runs
// inside it, by the submodule's own settings.
//
// The error is as Git's.
func (r *Repo) Unfiltered(ctx context.Context) (unfiltered *Repo, filters []string, err error) {
	out, err := r.Git(ctx, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !(ok && exit.ExitCode() == 1) { // 1: there are none
		return nil, nil, err
	}
	for _, key := range SplitNames(out) {
		name := strings.TrimPrefix(key, "filter.")
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 && !slices.Contains(filters, name[:dot]) {
			filters = append(filters, name[:dot])
		}
	}
	copied := *r
	copied.settings = slices.Clone(r.settings)
	for _, name := range filters {
		if strings.Contains(name, "=") { // where git takes the value to begin
			return nil, nil, &Error{Kind: ErrGitFailed,
				Message: fmt.Sprintf("the content filter %s of %q cannot be switched off, because its name contains a =",
					clipped(name), r.CommonDir),
				Hint: "run this from inside that repository if you trust it, or remove the filter from its config"}
		}
		for _, setting := range []string{"clean=", "process=", "required=false"} {
			copied.settings = append(copied.settings, "-c", "filter."+name+"."+setting)
		}
	}
	copied.unfiltered = true
	return &copied, filters, nil
}
