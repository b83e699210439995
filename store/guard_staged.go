package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// staged lists the files that the commit which is being made would change,
// relative to the worktree's root: both names of a rename and deletions too.
// head is what git says to stagedFiles (commit ""). While a merge is going on
// (of these commits) they are the files that differ from every parent, since
// what one parent brings as it is was committed under its own guard.
func staged(ctx context.Context, q gitdir.Query, merged, head []string) ([]string, error) {
	files := head
	for _, parent := range merged {
		differ, err := stagedFiles(ctx, q, parent)
		if err != nil {
			return nil, err
		}
		files = common(files, differ)
	}
	return files, nil
}

// stagedFiles lists the files in which the index differs from a commit, ""
// being the current one (or none yet). It goes by the index that the caller's
// environment names: `git commit file` makes one of its own.
func stagedFiles(ctx context.Context, q gitdir.Query, commit string) ([]string, error) {
	args := []string{"-c", "diff.relative=false", "diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "-z"}
	if commit != "" {
		args = append(args, commit)
	}
	out, err := gitdir.Run(ctx, q, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return SplitNames(out), nil
}

// mergeHeads are the commits that are being merged.
func mergeHeads(gitDir string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(gitDir, "MERGE_HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return strings.Fields(string(text)), err
}

// squashing reports whether the commit completes `git merge --squash`, which
// brings in other people's work as it is.
func squashing(gitDir string) bool {
	_, err := os.Lstat(filepath.Join(gitDir, "SQUASH_MSG"))
	return err == nil
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
