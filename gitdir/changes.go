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

// Changes relative to a commit, in the index or in the worktree. Names are
// relative to the worktree's root and slash-separated, as git prints them.

// Staged lists the files in which the index differs from HEAD, which are those
// that the commit in progress would change. It includes deletions and both
// names of a rename. It respects the index that q's environment names, since
// `git commit FILE` creates a temporary one, and can run concurrently with
// Find, before the repository is known.
//
// The error is as Find's.
func Staged(ctx context.Context, q Query) ([]string, error) {
	r, err := q.unfound()
	if err != nil {
		return nil, err
	}
	return r.differing(ctx, "--cached", "")
}

// StagedInMerge reduces the result of Staged to the files that also differ from
// every commit being merged: a file that is identical in one of them was
// committed elsewhere. Outside of a merge it returns staged unchanged.
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

// Uncommitted lists the files that differ from HEAD in the worktree or in the
// index, with both names of a rename, and each untracked file. During a merge,
// tracked files that equal one of the commits being merged do not count.
// Untracked files in the repository's other worktrees do not count either, nor
// do those in the remains of a worktree whose .git file points to a missing
// directory: git would list everything there as untracked. Such directories are
// returned as orphans.
func (r *Repo) Uncommitted(ctx context.Context, merging []string) (changed, orphans []string, err error) {
	return r.uncommitted(ctx, merging, nil)
}

// uncommitted is Uncommitted limited to some paths; none: everywhere.
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

// differing lists the tracked files that differ from a commit, in the worktree
// or, if where is "--cached", in the index. commit "" means HEAD, or nothing
// before the first commit.
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

// submodules returns the option that says what counts as a change of a
// submodule: another commit and, unless content filters must not run, a change
// inside it, for which git runs status there.
func (r *Repo) submodules() string {
	if r.unfiltered {
		return "--ignore-submodules=dirty"
	}
	return "--ignore-submodules=none"
}

// Squashing reports whether the commit in progress completes a `git merge --squash`.
func (r *Repo) Squashing() bool {
	_, err := os.Lstat(filepath.Join(r.GitDir, "SQUASH_MSG"))
	return err == nil
}

// statusPaths parses the output of git status --porcelain=v2 -z
// (git-status(1)). Records begin with 1, 2, u or ?, and end with the path. A
// record of type 2 is followed by the path that the file was renamed or copied from.
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

// SplitNames splits NUL-terminated names, as git prints them with -z.
func SplitNames(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// common returns the names that are in both lists, in the order of the first.
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

// maxMergeHead bounds the size of MERGE_HEAD: a merge of over a thousand branches.
const maxMergeHead = 64 << 10

// Merging lists the commits being merged into HEAD, as full object ids, or none
// if no merge is in progress. It refuses a MERGE_HEAD that contains anything
// else, since its words become arguments of git.
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

// objectID refuses anything but a full hexadecimal object id. Such an id cannot
// be taken for an option, which git before 2.24 (--end-of-options) cannot
// prevent otherwise.
func objectID(text string) error {
	if !isHash(text) {
		return fmt.Errorf("%s is not an object id", clipped(text))
	}
	return nil
}

// clipped quotes the beginning of a text of any length.
func clipped(text string) string {
	if len(text) > 80 {
		text = text[:80] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// Status, and diffs against the worktree, run content filters
// (filter.<name>.clean and .process): programs that a repository's own config
// names. In the repository where the caller works they run; in others, which
// may have been prepared to run them, they are switched off.

// FiltersOff returns the names of the content filters that Unfiltered switched off.
func (r *Repo) FiltersOff() []string { return r.filtersOff }

// Unfiltered returns the repository with the content filters from its config
// switched off, and their names. Files that they would convert may then be
// listed as changed. Uncommitted changes inside submodules are not noticed,
// since git would look for them with the submodule's own settings.
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
		if strings.Contains(name, "=") { // git takes the value to start there
			return nil, nil, &Error{Kind: ErrGitFailed,
				Message: fmt.Sprintf("the content filter %s of %q cannot be switched off, because its name contains a =",
					clipped(name), r.CommonDir),
				Hint: "run this from inside that repository if you trust it, or remove the filter from its config"}
		}
		for _, setting := range []string{"clean=", "process=", "required=false"} {
			copied.settings = append(copied.settings, "-c", "filter."+name+"."+setting)
		}
	}
	copied.unfiltered, copied.filtersOff = true, filters
	return &copied, filters, nil
}
